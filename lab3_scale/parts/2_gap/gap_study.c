/* gap_study.c: see gap_study.h. */
#include "gap_study.h"
#include "check.h"
#include "hessian.h"
#include "lab3.h"
#include <math.h>
#include <stdlib.h>

const char *const gap_way_names[GAP_WAYS] = {"small batch", "large batch", "large at √k",
                                             "large for longer"};

enum { SUBSET = 1000, PRODUCTS = 16 }; /* images of the Hessian and the landscapes; products */

static TrainingSpec spec_of(const GapStudy *s, PlainPace *pace, GapWay way, int decay)
{
    const Dataset *d = s->study.lab->data;
    double epochs = way == GAP_LONGER ? s->longer * s->epochs : s->epochs;
    *pace = (PlainPace){.batch = way == GAP_SMALL ? s->batch : s->batch * s->k,
                        .rate = way == GAP_ROOT || way == GAP_LONGER ? s->rate * sqrt(s->k)
                                                                     : s->rate,
                        .epochs = epochs};
    return (TrainingSpec){.be = s->study.lab->be,
                          .data = d,
                          .model = model_spec_for(s->model, d),
                          .images = s->images,
                          .test = s->test,
                          .batch = pace->batch,
                          .epochs = epochs,
                          .sgd = {s->momentum, decay ? s->decay : 0, false, 0},
                          .pace = training_plain,
                          .context = pace};
}

void gap_open(void *study, const Lab *lab, uint64_t seed)
{
    GapStudy *s = study;
    const Dataset *d = lab->data;
    s->seed = seed;
    REQUIRE(s->images >= s->batch * s->k,
            "--images=%d: the large batch has %d times %d images: give at least %d", s->images,
            s->k, s->batch, s->k * s->batch);
    for (int i = 0; i < 2 * GAP_WAYS * GAP_SEEDS; i++)
        s->result[i % 2][i / 2 % GAP_WAYS][i / 2 / GAP_WAYS] = (GapResult){NAN, NAN, NAN,
                                                                           NAN, NAN, NAN};
    for (int i = 0; i < GAP_LINE; i++) {
        s->t[i] = -0.5 + 2.0 * i / (GAP_LINE - 1);
        s->line_train[i] = s->line_test[i] = NAN;
    }
    PlainPace pace;
    TrainingSpec spec = spec_of(s, &pace, GAP_SMALL, 0);
    int train = s->images < SUBSET ? s->images : SUBSET, test = s->test < SUBSET ? s->test : SUBSET;
    s->m = model_new(lab->be, &spec.model, 250);
    s->train_set = eval_set_new(lab->be, &d->train, d->mean, d->istd, NULL, train, 250,
                                model_halo(s->m));
    s->test_set = eval_set_new(lab->be, &d->test, d->mean, d->istd, NULL, test, 250,
                               model_halo(s->m));
    for (int i = 0; i < 4; i++)
        s->solution[i / 2][i % 2] = alloc(s->m->params.n, sizeof(float));
    for (int decay = 0; decay < 2; decay++)
        s->plane[decay] = surface_new(s->side, s->side);
}

void gap_close(void *study)
{
    GapStudy *s = study;
    for (int i = 0; i < 4; i++)
        free(s->solution[i / 2][i % 2]);
    for (int decay = 0; decay < 2; decay++)
        surface_free(s->plane[decay]);
    eval_set_free(s->train_set);
    eval_set_free(s->test_set);
    model_free(s->m);
}

/* ---- the trainings: all ways without and with weight decay, seed by seed ---- */

static double sharpness(const GapStudy *s, Model *m, uint64_t seed)
{
    HessianData data = {NULL, s->train_set, MODEL_FROZEN_STATS};
    HessianEdges e = hessian_edges(m, &data, PRODUCTS, 0.02, seed, NULL, NULL);
    double top = e.top;
    hessian_edges_free(&e);
    return top;
}

static bool train(void *context, int item, double *value, TaskFarmRun *farm)
{
    GapStudy *s = context;
    int way = item % GAP_WAYS, decay = item / GAP_WAYS % 2, seed = item / GAP_WAYS / 2;
    PlainPace pace;
    TrainingSpec spec = spec_of(s, &pace, way, decay);
    Training *t = training_new(&spec, s->seed + (uint64_t)seed);
    bool stopped = false;
    while (!stopped && training_step(t))
        stopped = task_farm_cancelled(farm);
    if (!stopped) {
        Metrics test = training_test(t), train = training_train(t);
        GapResult r = {training_error(&spec, test),
                       training_error(&spec, train),
                       metrics_loss(test),
                       metrics_loss(train),
                       .sharpness = isfinite(metrics_loss(train)) ? sharpness(s, t->m, s->seed)
                                                                  : NAN,
                       .updates = (double)t->updates};
        double values[] = {r.test,
                           r.train,
                           r.test_loss,
                           r.train_loss,
                           r.sharpness,
                           r.updates,
                           s->study.lab->comm->rank};
        for (int i = 0; i < 7; i++)
            value[i] = values[i];
        if (seed == 0 && way <= GAP_LARGE)
            t->m->be->op->download(t->m->s, s->solution[decay][way], t->m->params);
    }
    training_free(t);
    return !stopped;
}

static void found(void *context, int item, const double *value)
{
    GapStudy *s = context;
    int way = item % GAP_WAYS, decay = item / GAP_WAYS % 2, seed = item / GAP_WAYS / 2;
    study_lock(&s->study, true);
    s->result[decay][way][seed] = (GapResult){value[0], value[1], value[2],
                                              value[3], value[4], value[5]};
    if (seed == 0 && way <= GAP_LARGE)
        s->owner[decay][way] = (int)value[6];
    s->done++;
    study_lock(&s->study, false);
    run_progress(s->study.lab->run, "trained", s->done, 2 * GAP_WAYS * s->seeds, "networks", "");
}

void gap_work(void *study)
{
    GapStudy *s = study;
    Comm *c = s->study.lab->comm;
    if (!study_farm(&s->study, (TaskFarm){.items = 2 * GAP_WAYS * s->seeds,
                                          .values = 7,
                                          .work = train,
                                          .found = found}))
        return;
    comm_broadcast_host(c, s->owner, sizeof s->owner, 0);
    for (int i = 0; i < 4; i++)
        comm_broadcast_host(c, s->solution[i / 2][i % 2], s->m->params.n * sizeof(float),
                            s->owner[i / 2][i % 2]);
    gap_look_between(s);
}

double gap_tau(const GapStudy *s, int *trainings)
{
    double x[2 * GAP_WAYS * GAP_SEEDS], y[2 * GAP_WAYS * GAP_SEEDS];
    int n = 0;
    for (int i = 0; i < 2 * GAP_WAYS * s->seeds; i++) {
        const GapResult *r = &s->result[i % 2][i / 2 % GAP_WAYS][i / 2 / GAP_WAYS];
        if (isnan(r->sharpness))
            continue;
        x[n] = r->sharpness;
        y[n++] = r->test;
    }
    *trainings = n;
    return kendall_tau(x, y, n);
}
