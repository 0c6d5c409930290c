/* race_study.c: see race_study.h. */
#include "race_study.h"
#include "check.h"
#include "parts/7_contest/tuned.h"
#include "training.h"
#include <math.h>

const char *race_name(int racer)
{
    return racer == RACE_SMOOTHED ? "smoothed labels"
         : racer == RACE_AVERAGED ? "averaged weights"
                                  : optimiser_name(racer);
}

double race_rate(int racer, int i)
{
    static const double usual[RACERS] = {0.1,  0.1,  1,    0.1, 0.003, 0.003,
                                         0.01, 0.01, 0.03, 0.1, 0.1};
    return usual[racer] * pow(3, i - RACE_RATES / 2);
}

int race_updates(const RaceStudy *s) { return (int)(s->epochs * (s->images / s->batch)); }

bool race_of_text(const RaceStudy *s) { return images_of_text(&s->study.lab->data->train); }

static bool better(const RaceStudy *s, double a, double b)
{
    return race_of_text(s) ? a < b : a > b;
}

int race_best(const RaceStudy *s, int racer)
{
    int best = -1;
    for (int i = 0; i < RACE_RATES; i++)
        if (!isnan(s->search[racer][i]) &&
            (best < 0 || better(s, s->search[racer][i], s->search[racer][best])))
            best = i;
    return best;
}

void race_open(void *study, const Lab *lab, uint64_t seed)
{
    RaceStudy *s = study;
    s->seed = seed;
    int count = lab->data->train.count - s->test;
    if (s->images > count)
        s->images = count;
    s->held = tuned_held_out(lab->data, s->images, s->test);
    REQUIRE(s->images >= s->batch, "--images=%d: give at least a batch: %d", s->images, s->batch);
    REQUIRE(race_updates(s) >= RACE_POINTS,
            "--epochs=%g makes %d updates: at least %d, for the curve", s->epochs, race_updates(s),
            RACE_POINTS);
    REQUIRE(s->warm < race_updates(s), "--warmup=%d: a training has %d updates: give fewer",
            s->warm, race_updates(s));
    for (int k = 0; k < RACERS; k++) {
        for (int i = 0; i < RACE_RATES; i++)
            s->search[k][i] = NAN;
        for (int i = 0; i < RACE_SEEDS * RACE_POINTS; i++)
            s->reached[k][i / RACE_POINTS][i % RACE_POINTS] = NAN;
    }
}

/* The accuracy, of text the loss. Where it has diverged 0, and the loss of a guess. */
static double tested(const RaceStudy *s, Training *t)
{
    if (race_of_text(s))
        return training_error(t->spec, training_test(t));
    return isfinite(training_loss(t)) ? metrics_accuracy(training_test(t)) : 0;
}

static OptimiserSpec spec_of(const RaceStudy *s, int racer)
{
    OptimiserSpec o = optimiser_default(racer < OPTIMISERS ? racer : OPTIMISER_MOMENTUM);
    o.updates = race_updates(s);
    o.decay = s->decay;
    o.smoothing = racer == RACE_SMOOTHED ? s->smoothing : 0;
    o.keep = racer == RACE_AVERAGED ? 1 - 5.0 / o.updates : 0;
    return o;
}

const char *race_missing(const RaceStudy *s, int racer)
{
    OptimiserSpec o = spec_of(s, racer);
    return optimiser_missing(&o);
}

void race_enter(RaceStudy *s)
{
    for (int racer = 0; racer < RACERS; racer++)
        if (!race_missing(s, racer))
            s->racer[s->racers++] = racer;
}

/* The test at RACE_POINTS moments. False: stopped. */
static bool train(const RaceStudy *s, const Dataset *d, int racer, double rate, uint64_t seed,
                  double *value, TaskFarmRun *farm)
{
    OptimiserSpec o = spec_of(s, racer);
    PlainPace pace = {s->batch, rate, s->epochs, s->warm};
    TrainingSpec spec = {.be = s->study.lab->be,
                         .data = d,
                         .model = model_spec_for(s->model, d),
                         .images = s->images,
                         .test = s->test,
                         .batch = s->batch,
                         .epochs = s->epochs,
                         .method = optimiser_maker(&o),
                         .pace = training_plain,
                         .context = &pace};
    int point = 0;
    bool stopped = false;
    Training *t = training_new(&spec, seed);
    while (!stopped && point < RACE_POINTS && training_step(t)) {
        stopped = task_farm_cancelled(farm);
        if (!stopped && t->updates == (int64_t)o.updates * (point + 1) / RACE_POINTS)
            value[point++] = tested(s, t);
    }
    training_free(t);
    return !stopped;
}

/* ---- the search: a task is a racer with a rate; then a racer with its best rate and a seed ----
 * */

static bool search(void *context, int item, double *value, TaskFarmRun *farm)
{
    const RaceStudy *s = context;
    int racer = s->racer[item % s->racers];
    return train(s, &s->held, racer, race_rate(racer, item / s->racers), s->seed, value, farm);
}

static void found(RaceStudy *s)
{
    s->done++;
    run_progress(s->study.lab->run, "trained", s->done, s->racers * (RACE_RATES + s->seeds),
                 "networks", "");
}

static void searched(void *context, int item, const double *value)
{
    RaceStudy *s = context;
    study_lock(&s->study, true);
    s->search[s->racer[item % s->racers]][item / s->racers] = value[RACE_POINTS - 1];
    found(s);
    study_lock(&s->study, false);
}

static bool race(void *context, int item, double *value, TaskFarmRun *farm)
{
    const RaceStudy *s = context;
    int racer = s->racer[item % s->racers];
    return train(s, s->study.lab->data, racer, race_rate(racer, race_best(s, racer)),
                 s->seed + 1 + (uint64_t)(item / s->racers), value, farm);
}

static void raced(void *context, int item, const double *value)
{
    RaceStudy *s = context;
    study_lock(&s->study, true);
    for (int i = 0; i < RACE_POINTS; i++)
        s->reached[s->racer[item % s->racers]][item / s->racers][i] = value[i];
    found(s);
    study_lock(&s->study, false);
}

void race_work(void *study)
{
    RaceStudy *s = study;
    if (!study_farm(&s->study, (TaskFarm){.items = s->racers * RACE_RATES,
                                          .values = RACE_POINTS,
                                          .work = search,
                                          .found = searched}))
        return;
    /* Rank 0 alone knows what was found. */
    comm_broadcast_host(s->study.lab->comm, s->search[0], sizeof s->search, 0);
    study_farm(&s->study, (TaskFarm){.items = s->racers * s->seeds,
                                     .values = RACE_POINTS,
                                     .work = race,
                                     .found = raced});
}
