/* trainer.c: see trainer.h.
 */
#include "timeline_figure.h"
#include "trainer.h"
#include "check.h"
#include <math.h>
#include <stdlib.h>

void trainer_batches(Trainer *t)
{
    const TrainOptions *o = t->o;
    const Dataset *d = t->data;
    AugmentSpec augment = {.flip = o->flip, .shift = o->shift, .cutout = o->cutout};
    int halo = model_halo(t->model);
    t->train = loader_new(t->be, &d->train, d->mean, d->istd, o->batch, halo, augment, t->at.seed);
    t->test = loader_new(t->be, &d->test, d->mean, d->istd, o->batch, halo, (AugmentSpec){0}, t->at.seed);
    t->order = alloc((unsigned long)d->train.count, sizeof *t->order);
    t->mine = alloc((unsigned long)d->train.count, sizeof *t->mine);
    t->test_order = alloc((unsigned long)d->test.count, sizeof *t->test_order);
    for (int i = 0; i < d->test.count; i++)
        t->test_order[i] = i;
    t->totals = tensor_new(t->be, F64, 2, 1, 1, 1, 0);
    trace_track(t->trace, 0, "compute");
    trace_track(t->trace, 1, "communication");
    trace_track(t->trace, 2, "data");
}

Metrics trainer_metrics(Trainer *t, int images)
{
    double sums[2];
    t->be->op->download(t->model->s, sums, t->totals);
    if (!isfinite(sums[0]))
        die(EXIT_WRONG, "epoch %d, update %lld: the loss is %g: diverged; try a lower --rate or a longer --warmup",
            t->at.epoch + 1, (long long)t->at.step, sums[0]);
    return (Metrics){.loss = sums[0], .correct = sums[1], .count = images};
}

/* Two updates of the timeline as a picture. */
static void draw_trace(const Trainer *t, const char *trace)
{
    char *picture = run_path(t->run, "timeline.png");
    char *title = format_new("%s on %s · batch %d per rank · two updates", t->o->model, t->data->name, t->o->batch);
    if (trace_picture(trace, picture, title, 2))
        run_say(t->run, "timeline: %s and %s", picture, trace);
    free(title);
    free(picture);
}

static void write_trace(Trainer *t)
{
    char *path = run_path(t->run, "trace.json");
    Comm *alone = t->comm ? NULL : comm_open("self");
    trace_write(t->trace, alone ? alone : t->comm, path);
    comm_close(alone);
    trace_free(t->trace);
    if (t->run->speaks)
        draw_trace(t, path);
    free(path);
}

void trainer_finish(Trainer *t)
{
    if (t->trace)
        write_trace(t);
    run_close(t->run);
    tensor_free(t->be, t->totals);
    free(t->test_order);
    free(t->mine);
    free(t->order);
    loader_free(t->test);
    loader_free(t->train);
    sgd_free(t->model, t->sgd);
    model_free(t->model);
    dataset_free(t->data);
    backend_close(t->be);
}
