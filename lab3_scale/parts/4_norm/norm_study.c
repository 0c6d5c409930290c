/* norm_study.c: see norm_study.h. */
#include "norm_study.h"
#include "check.h"
#include <math.h>

void norm_open(void *study, const Lab *lab, uint64_t seed)
{
    NormStudy *s = study;
    s->seed = seed;
    REQUIRE(s->images >= s->large && s->large >= s->batch,
            "--batch=%d, --large=%d, --images=%d: expected batch <= large <= images", s->batch,
            s->large, s->images);
    s->ghost[NORM_GHOSTS - 1] = s->large;
    double *all[] = {s->inputs[0][0], s->error[0][0], s->ghost_error[0], s->apart[0]};
    int count[] = {sizeof s->inputs / sizeof(double), sizeof s->error / sizeof(double),
                   sizeof s->ghost_error / sizeof(double), sizeof s->apart / sizeof(double)};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < count[k]; i++)
            all[k][i] = NAN;
    s->own_norm = NAN;
}

/* ---- the tasks, seed by seed: each rate without and with batch norm, then the ghosts ---- */

enum { PLAIN = 2 * NORM_RATES, KINDS = PLAIN + NORM_GHOSTS };

static bool train(void *context, int item, double *value, TaskFarmRun *farm)
{
    const NormStudy *s = context;
    int kind = item % KINDS;
    bool ghosts = kind >= PLAIN;
    PlainPace pace = {.batch = ghosts ? s->large : s->batch,
                      .rate = s->rate[ghosts ? 1 : kind / 2],
                      .epochs = s->epochs};
    TrainingSpec spec = norm_spec(s, &pace, ghosts || kind % 2,
                                  ghosts ? s->ghost[kind - PLAIN] : 0);
    Training *t = training_new(&spec, s->seed + (uint64_t)(item / KINDS));
    bool stopped = false;
    while (!stopped && training_step(t))
        stopped = task_farm_cancelled(farm);
    if (!stopped)
        value[0] = training_error(&spec, training_test(t));
    training_free(t);
    return !stopped;
}

static void found(void *context, int item, const double *value)
{
    NormStudy *s = context;
    int kind = item % KINDS, seed = item / KINDS;
    study_lock(&s->study, true);
    if (kind < PLAIN)
        s->error[kind % 2][kind / 2][seed] = value[0];
    else
        s->ghost_error[kind - PLAIN][seed] = value[0];
    s->done++;
    study_lock(&s->study, false);
    run_progress(s->study.lab->run, "trained", s->done, KINDS * s->seeds, "networks", "");
}

/* The two trainings whose inputs are looked at: on two ranks, where there are two. */
static bool watch_both(NormStudy *s)
{
    Comm *c = s->study.lab->comm;
    static double at[2][NORM_LOOKS][3];
    double stopped = 0;
    for (int norm = 0; norm < 2; norm++)
        if (norm % c->size == c->rank && !norm_watch(s, norm, at[norm]))
            stopped = 1;
    comm_all_reduce_host(c, &stopped, 1, COMM_MAX);
    for (int norm = 0; norm < 2; norm++) {
        comm_broadcast_host(c, at[norm], sizeof at[norm], norm % c->size);
        comm_broadcast_host(c, &s->own_norm, sizeof s->own_norm, 1 % c->size);
        study_lock(&s->study, true);
        for (int i = 0; i < NORM_LOOKS; i++)
            for (int p = 0; p < 3; p++)
                s->inputs[norm][i][p] = at[norm][i][p];
        study_lock(&s->study, false);
    }
    return !stopped;
}

void norm_work(void *study)
{
    NormStudy *s = study;
    norm_compare_ranks(s);
    if (!watch_both(s))
        return;
    study_farm(&s->study,
               (TaskFarm){.items = KINDS * s->seeds, .values = 1, .work = train, .found = found});
}
