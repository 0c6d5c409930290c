/* rate_study.c: see rate_study.h. */
#include "rate_study.h"
#include "check.h"
#include <math.h>

const char *const rate_way_names[RATE_WAYS] = {"same rate", "rate × √k", "rate × k",
                                               "× k + warm-up"};

void rate_open(void *study, const Lab *lab, uint64_t seed)
{
    RateStudy *s = study;
    int largest = s->batch * s->k[RATE_KS - 1];
    s->seed = seed;
    s->start_images = s->start_images < s->images ? s->start_images : s->images;
    REQUIRE(s->images >= largest, "--images=%d: the largest batch has %d", s->images, largest);
    REQUIRE(s->start_images >= s->start_batch, "--start-images=%d: a batch has %d", s->start_images,
            s->start_batch);
    for (int k = 0; k < RATE_KS; k++) {
        for (int i = 0; i < RATE_WAYS * RATE_SEEDS; i++)
            s->error[k][i / RATE_SEEDS][i % RATE_SEEDS] = NAN;
        for (int rule = 0; rule < SCALE_RULES; rule++)
            s->spread[k][rule] = NAN;
    }
    for (int i = 0; i < 2 * RATE_SEEDS; i++) {
        Start *start = &s->start[i % 2][i / 2];
        start->accuracy = NAN;
        for (int part = 0; part < START_PARTS; part++)
            start->loss[part] = NAN;
    }
}

bool rate_converged(Start s) { return s.accuracy >= 0.3; }

/* ---- the paces ---- */

typedef struct WarmPace {
    int batch;
    double from, to, epochs;
    int64_t warm; /* updates of the warm-up */
    bool decays;  /* to 0, as a cosine */
} WarmPace;

static Pace warm_pace(const void *context, double seen, int64_t update)
{
    const WarmPace *p = context;
    double rate = warm_up(p->from, p->to, update, p->warm);
    return (Pace){p->batch, p->decays ? training_cosine(rate, seen / p->epochs) : rate};
}

static TrainingSpec spec_of(const RateStudy *s, const char *model, const WarmPace *pace, int images)
{
    const Dataset *d = s->study.lab->data;
    return (TrainingSpec){.be = s->study.lab->be,
                          .data = d,
                          .model = model_spec_for(model, d),
                          .images = images,
                          .test = s->test,
                          .batch = pace->batch,
                          .epochs = pace->epochs,
                          .sgd = {s->momentum, 0, false, 0},
                          .pace = warm_pace,
                          .context = pace};
}

/* ---- the tasks: first the rules, seed by seed; then the starts, in pairs ---- */

static int rule_items(const RateStudy *s) { return RATE_KS * RATE_WAYS * s->seeds; }

/* k = 1 needs one training, not four. */
static bool train_rule(const RateStudy *s, int item, double *value, TaskFarmRun *farm)
{
    int way = item % RATE_WAYS, k = s->k[item / RATE_WAYS % RATE_KS];
    uint64_t seed = s->seed + (uint64_t)(item / RATE_WAYS / RATE_KS);
    value[0] = NAN;
    if (k == 1 && way > 0)
        return true;
    WarmPace pace = {.batch = s->batch * k, .from = s->rate, .epochs = s->epochs, .decays = true};
    pace.to = scaled_rate(way < SCALE_RULES ? (ScaleRule)way : SCALE_LINEAR, s->rate, k);
    int updates = s->images / pace.batch * (int)s->epochs;
    pace.warm = way < SCALE_RULES ? 0 : (int64_t)(s->warmup * updates);
    TrainingSpec spec = spec_of(s, s->model, &pace, s->images);
    Training *t = training_new(&spec, seed);
    bool stopped = false;
    while (!stopped && training_step(t))
        stopped = task_farm_cancelled(farm);
    if (!stopped)
        value[0] = training_error(&spec, training_test(t));
    training_free(t);
    return !stopped;
}

/* Once the loss is not finite, stop. */
static bool train_start(const RateStudy *s, int item, double *value, TaskFarmRun *farm)
{
    WarmPace pace = {.batch = s->start_batch,
                     .from = s->start_base,
                     .to = scaled_rate(SCALE_LINEAR, s->start_base, s->start_k),
                     .epochs = s->start_epochs};
    int per_epoch = s->start_images / s->start_batch;
    pace.warm = item % 2 ? (int64_t)(s->start_warmup * per_epoch) : 0;
    TrainingSpec spec = spec_of(s, s->start_model, &pace, s->start_images);
    Training *t = training_new(&spec, s->seed + (uint64_t)(item / 2));
    bool stopped = false, finite = true;
    for (int part = 0; part < START_PARTS; part++) {
        double until = s->start_epochs * (part + 1) / START_PARTS - 1e-9;
        while (finite && !stopped && t->seen < until && training_step(t))
            stopped = task_farm_cancelled(farm);
        value[part] = finite ? training_loss(t) : NAN;
        finite = finite && isfinite(value[part]);
    }
    if (!stopped)
        value[START_PARTS] = 1 - (finite ? training_error(&spec, training_test(t)) : 0.9);
    training_free(t);
    return !stopped;
}

static bool train(void *context, int item, double *value, TaskFarmRun *farm)
{
    const RateStudy *s = context;
    int rules = rule_items(s);
    return item < rules ? train_rule(s, item, value, farm)
                        : train_start(s, item - rules, value, farm);
}

static void found(void *context, int item, const double *value)
{
    RateStudy *s = context;
    int rules = rule_items(s);
    study_lock(&s->study, true);
    if (item < rules)
        s->error[item / RATE_WAYS % RATE_KS][item % RATE_WAYS][item / RATE_WAYS / RATE_KS] =
            value[0];
    else {
        Start *start = &s->start[(item - rules) % 2][(item - rules) / 2];
        for (int part = 0; part < START_PARTS; part++)
            start->loss[part] = value[part];
        start->accuracy = value[START_PARTS];
    }
    s->done++;
    study_lock(&s->study, false);
    run_progress(s->study.lab->run, "trained", s->done, rules + 2 * s->starts, "networks", "");
}

void rate_work(void *study)
{
    RateStudy *s = study;
    if (s->study.lab->comm->rank == 0)
        rate_measure_spread(s);
    study_farm(&s->study, (TaskFarm){.items = rule_items(s) + 2 * s->starts,
                                     .values = START_PARTS + 1,
                                     .work = train,
                                     .found = found});
}
