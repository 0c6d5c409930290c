/* remedy_study.c: see remedy_study.h. */
#include "remedy_study.h"
#include "check.h"
#include "lab3.h"
#include "noise.h"
#include <math.h>

const char *const remedy_names[REMEDIES] = {"small batch",   "large batch",   "same rate",
                                            "same + noise",  "large + noise", "longer",
                                            "growing batch", "batch warm-up"};

void remedy_open(void *study, const Lab *lab, uint64_t seed)
{
    RemedyStudy *s = study;
    s->seed = seed;
    REQUIRE(s->images >= s->batch * s->k,
            "--images=%d: the large batch has %d times %d images: give at least %d", s->images,
            s->k, s->batch, s->k * s->batch);
    for (int r = 0; r < REMEDIES; r++)
        for (int i = 0; i < REMEDY_SEEDS; i++)
            s->result[r][i] = (RemedyResult){NAN, NAN, NAN};
}

Pace pace_warms_up(const void *grow, double seen, int64_t update)
{
    const GrowPace *g = grow;
    int batch = batch_warm_up(g->small, g->large, seen / g->epochs);
    double rate = pace_drops(grow, seen, update).rate;
    return (Pace){batch, scaled_rate(SCALE_ROOT, rate, (double)batch / g->small)};
}

static TrainingSpec spec_of(const RemedyStudy *s, Remedy r, GrowPace *pace, NoiseSpec *noise)
{
    const Dataset *d = s->study.lab->data;
    int large = s->batch * s->k;
    bool begins_small = r == REMEDY_SMALL || r == REMEDY_GROWS || r == REMEDY_WARMS_UP;
    bool same_rate = begins_small || r == REMEDY_SAME || r == REMEDY_NOISE;
    TrainingSpec spec = {.be = s->study.lab->be,
                         .data = d,
                         .model = model_spec_for(s->model, d),
                         .images = s->images,
                         .test = s->test,
                         .batch = large,
                         .epochs = r == REMEDY_LONGER ? s->longer * s->epochs : s->epochs,
                         .sgd = {s->momentum, s->weight_decay, false, 0},
                         .pace = r == REMEDY_GROWS    ? pace_grows
                               : r == REMEDY_WARMS_UP ? pace_warms_up
                                                      : pace_drops,
                         .context = pace};
    *pace = (GrowPace){.small = begins_small ? s->batch : large,
                       .large = large,
                       .rate = same_rate ? s->rate : scaled_rate(SCALE_ROOT, s->rate, s->k),
                       .epochs = spec.epochs,
                       .factor = 5,
                       .drops = 2};
    if (r == REMEDY_NOISE || r == REMEDY_NOISE_ROOT)
        spec.method = noise_maker(noise);
    return spec;
}

/* All remedies with one seed, then the next. */
static bool train(void *context, int item, double *value, TaskFarmRun *farm)
{
    const RemedyStudy *s = context;
    uint64_t seed = s->seed + (uint64_t)(item / REMEDIES);
    NoiseSpec noise = {{s->momentum, s->weight_decay, false, 0}, s->batch, seed};
    GrowPace pace;
    TrainingSpec spec = spec_of(s, item % REMEDIES, &pace, &noise);
    Training *t = training_new(&spec, seed);
    bool stopped = false;
    while (!stopped && training_step(t))
        stopped = task_farm_cancelled(farm);
    if (!stopped) {
        value[0] = training_error(&spec, training_test(t));
        value[1] = training_error(&spec, training_train(t));
        value[2] = (double)t->updates;
    }
    training_free(t);
    return !stopped;
}

static void found(void *context, int item, const double *value)
{
    RemedyStudy *s = context;
    study_lock(&s->study, true);
    s->result[item % REMEDIES][item / REMEDIES] = (RemedyResult){value[0], value[1], value[2]};
    s->done++;
    study_lock(&s->study, false);
    run_progress(s->study.lab->run, "trained", s->done, REMEDIES * s->seeds, "networks", "");
}

void remedy_work(void *study)
{
    RemedyStudy *s = study;
    study_farm(&s->study, (TaskFarm){.items = REMEDIES * s->seeds,
                                     .values = 3,
                                     .work = train,
                                     .found = found});
}

double remedy_share(const RemedyStudy *s, Remedy r, int seed)
{
    double small = s->result[REMEDY_SMALL][seed].test, large = s->result[REMEDY_LARGE][seed].test;
    return (large - s->result[r][seed].test) / (large - small);
}
