/* rate_study.c: see rate_study.h. */
#include "rate_study.h"
#include "check.h"
#include "parts/6_optimisers/optimisers.h"
#include <math.h>
#include <stdlib.h>

const char *rate_way_name(const RateStudy *s, int way)
{
    static const char *const names[RATE_WAYS] = {"same rate", "rate × √k", "rate × k",
                                                 "× k + warm-up"};
    return s->text && way == RATE_WAYS - 1 ? "× √k; β and ε too" : names[way];
}

int rate_arms(const RateStudy *s) { return s->text ? RATE_ARMS : RATE_ARMS / 2; }

const char *rate_arm_name(const RateStudy *s, int arm)
{
    static const char *const images[] = {"without warm-up", "with warm-up"},
                             *const text[] = {"pre-norm", "pre-norm + warm-up", "post-norm",
                                              "post-norm + warm-up"};
    return s->text ? text[arm] : images[arm];
}

/* The entropy of the characters, in nats. */
static double frequencies_loss(const Images *text)
{
    size_t n = (size_t)text->count * (size_t)images_positions(text), count[256] = {0};
    double loss = 0;
    for (size_t i = 0; i < n; i++)
        count[text->labels[i]]++;
    for (int c = 0; c < 256; c++)
        if (count[c])
            loss -= (double)count[c] / (double)n * log((double)count[c] / (double)n);
    return loss;
}

void rate_open(void *study, const Lab *lab, uint64_t seed)
{
    RateStudy *s = study;
    int largest = s->batch * s->k[RATE_KS - 1];
    s->seed = seed;
    s->text = images_of_text(&lab->data->train);
    s->frequencies = s->text ? frequencies_loss(&lab->data->train) : 0;
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
    for (int i = 0; i < RATE_ARMS * RATE_SEEDS; i++) {
        Start *start = &s->start[i % RATE_ARMS][i / RATE_ARMS];
        start->result = NAN;
        for (int part = 0; part < START_PARTS; part++)
            start->loss[part] = NAN;
    }
}

bool rate_converged(const RateStudy *s, Start start)
{
    return s->text ? start.result < 0.9 * s->frequencies : start.result >= 0.3;
}

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

/* adam: of text. */
static TrainingSpec spec_of(const RateStudy *s, const char *model, const WarmPace *pace, int images,
                            const OptimiserSpec *adam)
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
                          .method = s->text ? optimiser_maker(adam) : (MethodMaker){0},
                          .pace = warm_pace,
                          .context = pace};
}

/* Adam's running means over the same number of images: with a batch k times as large, 1 - β is k
 * times as large (at most 1), and ε smaller by √k, as the gradient's noise is. */
static OptimiserSpec scaled_adam(int k)
{
    OptimiserSpec o = optimiser_default(OPTIMISER_ADAM);
    o.momentum = fmax(0, 1 - k * (1 - o.momentum));
    o.beta2 = fmax(0, 1 - k * (1 - o.beta2));
    o.epsilon /= sqrt(k);
    return o;
}

/* ---- the tasks: first the rules, seed by seed; then the starts, arm by arm ---- */

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
    bool last = way == RATE_WAYS - 1;
    ScaleRule rule = !last ? (ScaleRule)way : s->text ? SCALE_ROOT : SCALE_LINEAR;
    pace.to = scaled_rate(rule, s->rate, k);
    int updates = s->images / pace.batch * (int)s->epochs;
    pace.warm = last && !s->text ? (int64_t)(s->warmup * updates) : 0;
    OptimiserSpec adam = scaled_adam(last ? k : 1);
    TrainingSpec spec = spec_of(s, s->model, &pace, s->images, &adam);
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
    int arm = item % rate_arms(s);
    pace.warm = arm % 2 ? (int64_t)(s->start_warmup * per_epoch) : 0;
    char *model = format_new("%s%s", s->start_model, arm / 2 ? "-post" : "");
    OptimiserSpec adam = optimiser_default(OPTIMISER_ADAM);
    TrainingSpec spec = spec_of(s, model, &pace, s->start_images, &adam);
    Training *t = training_new(&spec, s->seed + (uint64_t)(item / rate_arms(s)));
    bool stopped = false, finite = true;
    for (int part = 0; part < START_PARTS; part++) {
        double until = s->start_epochs * (part + 1) / START_PARTS - 1e-9;
        while (finite && !stopped && t->seen < until && training_step(t))
            stopped = task_farm_cancelled(farm);
        value[part] = finite ? training_loss(t) : NAN;
        finite = finite && isfinite(value[part]);
    }
    if (!stopped) {
        double guess = s->text ? log(spec.data->classes) : 0.9,
               error = finite ? training_error(&spec, training_test(t)) : guess;
        value[START_PARTS] = s->text ? error : 1 - error;
    }
    training_free(t);
    free(model);
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
        Start *start = &s->start[(item - rules) % rate_arms(s)][(item - rules) / rate_arms(s)];
        for (int part = 0; part < START_PARTS; part++)
            start->loss[part] = value[part];
        start->result = value[START_PARTS];
    }
    s->done++;
    study_lock(&s->study, false);
    run_progress(s->study.lab->run, "trained", s->done, rules + rate_arms(s) * s->starts,
                 "networks", "");
}

void rate_work(void *study)
{
    RateStudy *s = study;
    if (s->study.lab->comm->rank == 0 && !s->text && !exercise_missing("3c_update_spread"))
        rate_measure_spread(s);
    study_farm(&s->study, (TaskFarm){.items = rule_items(s) + rate_arms(s) * s->starts,
                                     .values = START_PARTS + 1,
                                     .work = train,
                                     .found = found});
}
