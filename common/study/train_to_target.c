/* train_to_target.c: see train_to_target.h. */
#include "train_to_target.h"
#include "check.h"
#include "epoch_order.h"
#include "schedule.h"
#include "timer.h"
#include "training.h"
#include <math.h>
#include <string.h>

/* Endless; the rate does not change. */
static Pace constant(const void *pace, double seen, int64_t update) { return *(const Pace *)pace; }

static TrainingSpec spec_of(const TargetSetup *s, const Pace *pace)
{
    return (TrainingSpec){.be = s->be,
                          .data = s->data,
                          .model = s->spec,
                          .images = s->train,
                          .test = s->test,
                          .batch = pace->batch,
                          .micro = s->micro,
                          .epochs = INFINITY,
                          .sgd = {s->momentum, s->weight_decay, false, 0},
                          .method = s->method,
                          .pace = constant,
                          .context = pace};
}

/* Asked between updates, whenever `images` passes a multiple of 256. */
static bool interrupted(const TargetSetup *s, int batch, long images)
{
    return s->interrupted && images / 256 != (images - batch) / 256 && s->interrupted(s->context);
}

TargetOutcome train_to_target(const TargetSetup *s, int batch, double rate, uint64_t seed)
{
    ASSERT(batch <= s->train);
    Pace pace = {batch, rate};
    TrainingSpec spec = spec_of(s, &pace);
    Training *t = training_new(&spec, seed);
    bool text = images_of_text(&s->data->train);
    TargetOutcome o = {.steps = NAN, .epochs = NAN, .best = text ? log(s->data->classes) : 0};
    long tested = 0;
    for (bool over = false; !over;) {
        training_step(t);
        long images = (long)t->updates * batch;
        over = o.interrupted = interrupted(s, batch, images);
        bool enough = images >= s->epochs * s->train ||
                      (s->updates > 0 && t->updates >= s->updates);
        if (over || (images - tested < s->check_every && !enough))
            continue;
        tested = images;
        Metrics m = training_test(t);
        double now = text ? metrics_loss(m) : metrics_accuracy(m);
        bool reached = text ? now <= s->target : now >= s->target;
        o.best = text ? fmin(o.best, now) : fmax(o.best, now);
        if (reached)
            o = (TargetOutcome){(double)t->updates, (double)images / s->train, now, false};
        over = reached || enough || !isfinite(training_loss(t));
    }
    training_free(t);
    return o;
}

/* ---- on a part of the images ---- */

typedef struct Subset {
    const int32_t *image;
    int count;
} Subset;

static int lay_out_subset(void *subset, int32_t *order, uint64_t seed, int epoch)
{
    const Subset *s = subset;
    epoch_order(order, s->count, seed, epoch);
    for (int i = 0; i < s->count; i++)
        order[i] = s->image[order[i]];
    return s->count;
}

typedef struct Falling {
    int batch;
    Schedule rates;
} Falling;

static Pace falling(const void *context, double seen, int64_t update)
{
    const Falling *f = context;
    return (Pace){f->batch, schedule_rate(&f->rates, update)};
}

double train_on_subset(const TargetSetup *s, const int32_t *subset, int count, int batch,
                       int updates, double rate, uint64_t seed)
{
    Falling fall = {batch < count ? batch : count,
                    {.kind = SCHEDULE_COSINE, .rate = rate, .steps = updates}};
    TrainingSpec spec = spec_of(s, &(Pace){.batch = fall.batch});
    spec.images = s->data->train.count; /* the subset may lie anywhere in the training set */
    ASSERT(count <= spec.images);
    spec.pace = falling;
    spec.context = &fall;
    spec.lay_out = lay_out_subset;
    spec.images_of = &(Subset){subset, count};
    Training *t = training_new(&spec, seed);
    bool stopped = false;
    while (t->updates < updates && !stopped) {
        training_step(t);
        stopped = interrupted(s, fall.batch, (long)t->updates * fall.batch);
    }
    if (!stopped && !isfinite(training_loss(t))) /* its accuracy is that of a guess */
        die(EXIT_WRONG,
            "training on %d images: the loss is not finite: diverged; try a lower --rate", count);
    double right = stopped ? NAN : metrics_accuracy(training_test(t));
    training_free(t);
    return right;
}

/* ---- its speed ---- */

static int lay_out_once(void *count, int32_t *order, uint64_t seed, int epoch)
{
    if (epoch == 0)
        epoch_order(order, *(int *)count, seed, 0);
    return *(int *)count;
}

static double timed_updates(Training *t, int64_t count)
{
    double began = timer_now();
    while (count-- > 0)
        training_step(t);
    t->m->be->op->stream_sync(t->m->s);
    return timer_now() - began;
}

UpdateTime target_update_time(const TargetSetup *s, int batch, double seconds)
{
    ASSERT(batch <= s->train);
    Pace pace = {batch, 0};
    TrainingSpec spec = spec_of(s, &pace);
    int train = s->train;
    spec.lay_out = lay_out_once;
    spec.images_of = &train;
    Training *t = training_new(&spec, 1);
    double guess = timed_updates(t, 1);
    if (guess < seconds)
        guess = timed_updates(t, 1);
    int64_t count = (int64_t)fmin(fmax(ceil(seconds / guess), 2), 1e6);
    double processor = timer_processor(), waited = timer_waited();
    double took = timed_updates(t, count);
    waited = (timer_waited() - waited) / s->be->threads;
    processor = timer_processor() - processor;
    bool gpu = strcmp(s->be->op->name, "cpu") != 0;
    training_free(t);
    if (s->be->threads > 1) /* those that sleep until another is done are not disturbed */
        processor = isnan(waited) ? took : fmax(took - waited, 0.01 * took);
    return (UpdateTime){took / count, (gpu ? took : fmin(processor, took)) / count};
}
