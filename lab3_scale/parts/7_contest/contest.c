/* contest.c: see contest.h. */
#include "contest.h"
#include "check.h"
#include "exercise.h"
#include "parts/5_noise/noise.h"
#include "parts/5_noise/paces.h"
#include "parts/6_optimisers/optimisers.h"
#include <math.h>

/* How a row's rate is found: tuned around `predicted` times √k, or by a rule. */
typedef enum { BY_TUNING, BY_SAME, BY_ROOT, BY_LINEAR } RateBy;

static const struct Kind {
    const char *name;
    OptimiserKind optimiser;
    RateBy by;
    double predicted[2]; /* at the small batch, of images and of text; 0: the contest's rate */
} kinds[ROWS] = {{"small batch", OPTIMISER_MOMENTUM, BY_TUNING, {0}},
                 {"same rate", OPTIMISER_MOMENTUM, BY_SAME, {0}},
                 {"tuned momentum", OPTIMISER_MOMENTUM, BY_TUNING, {0}},
                 {"tuned Nesterov", OPTIMISER_NESTEROV, BY_TUNING, {0}},
                 {"rate × √k", OPTIMISER_MOMENTUM, BY_ROOT, {0}},
                 {"rate × k", OPTIMISER_MOMENTUM, BY_LINEAR, {0}},
                 {"… with warm-up", OPTIMISER_MOMENTUM, BY_LINEAR, {0}},
                 {"gradient noise", OPTIMISER_MOMENTUM, BY_ROOT, {0}},
                 {"4 times as long", OPTIMISER_MOMENTUM, BY_ROOT, {0}},
                 {"growing batch", OPTIMISER_MOMENTUM, BY_SAME, {0}},
                 {"LARS", OPTIMISER_LARS, BY_TUNING, {0.3, 0.05}},
                 {"LARC", OPTIMISER_LARC, BY_TUNING, {0.03, 0.05}},
                 {"Adam", OPTIMISER_ADAM, BY_TUNING, {0.0005, 0.002}},
                 {"AdamW", OPTIMISER_ADAMW, BY_TUNING, {0.0005, 0.002}},
                 {"LAMB", OPTIMISER_LAMB, BY_TUNING, {0.004, 0.01}},
                 {"NovoGrad", OPTIMISER_NOVOGRAD, BY_TUNING, {0.005, 0.01}},
                 {"Muon", OPTIMISER_MUON, BY_TUNING, {0.004, 0.01}},
                 {"smoothed labels", OPTIMISER_MOMENTUM, BY_TUNING, {0}},
                 {"averaged weights", OPTIMISER_MOMENTUM, BY_TUNING, {0}}};

const char *contest_name(ContestRow row) { return kinds[row].name; }

static OptimiserSpec optimiser_of(ContestRow row)
{
    OptimiserSpec o = optimiser_default(kinds[row].optimiser);
    o.decay = row == ROW_ADAMW ? 0.01 : 0;
    o.smoothing = row == ROW_SMOOTH ? 0.1 : 0;
    o.keep = row == ROW_AVERAGE ? 0.9 : 0;
    return o;
}

const char *contest_missing(ContestRow row)
{
    const char *own = row == ROW_WARM    ? "3b_warm_up"
                    : row == ROW_NOISE   ? "5a_noise_weights"
                    : row == ROW_GROWING ? "5b_grow_batch"
                                         : NULL;
    OptimiserSpec o = optimiser_of(row);
    return own && exercise_missing(own) ? own : optimiser_missing(&o);
}

int contest_entry(ContestRow row, int size)
{
    return row == ROW_SMALL ? 0 : size * (ROWS - 1) + (int)row;
}

static ContestRow row_of(int entry) { return entry ? 1 + (entry - 1) % (ROWS - 1) : ROW_SMALL; }
static int k_of(const Contest *c, int entry) { return entry ? c->k[(entry - 1) / (ROWS - 1)] : 1; }

static double rule(const Tuned *t, int entry)
{
    const Contest *c = (const Contest *)t;
    RateBy by = kinds[row_of(entry)].by;
    if (by == BY_TUNING)
        return NAN;
    ScaleRule rule = by == BY_ROOT ? SCALE_ROOT : by == BY_LINEAR ? SCALE_LINEAR : SCALE_NONE;
    /* before entry 0 is tuned: any number says that there is a rule */
    return isnan(t->rate[0]) ? 0 : scaled_rate(rule, t->rate[0], k_of(c, entry));
}

/* ---- one training ---- */

typedef struct ContestPace {
    PlainPace plain;
    double from;  /* warm-up's first rate */
    int64_t warm; /* its updates; 0: none */
    GrowPace grow;
} ContestPace;

static Pace plain_pace(const void *context, double seen, int64_t update)
{
    const ContestPace *p = context;
    Pace pace = training_plain(&p->plain, seen, update);
    if (update < p->warm)
        pace.rate = warm_up(p->from, p->plain.rate, update, p->warm);
    return pace;
}

static Pace growing_pace(const void *context, double seen, int64_t update)
{
    return pace_grows(&((const ContestPace *)context)->grow, seen, update);
}

static TrainingSpec spec_of(const Contest *c, int entry, double rate, ContestPace *pace,
                            OptimiserSpec *o)
{
    ContestRow row = row_of(entry);
    const Dataset *d = c->tuned.study.lab->data;
    int k = k_of(c, entry), large = c->batch * k;
    double epochs = c->epochs * (row == ROW_LONGER ? 4 : 1);
    int64_t updates = (int64_t)ceil(epochs) * (c->images / large);
    *pace = (ContestPace){.plain = {large, rate, epochs, (int)(c->warm * (double)updates)},
                          .from = rate / k,
                          .warm = row == ROW_WARM ? updates / 5 : 0,
                          .grow = {c->batch, large, rate, epochs, .factor = 5, .drops = 2}};
    *o = optimiser_of(row);
    o->updates = (int)updates;
    if (o->kind == OPTIMISER_MOMENTUM || o->kind == OPTIMISER_NESTEROV)
        o->momentum = c->momentum;
    return (TrainingSpec){.be = c->tuned.study.lab->be,
                          .data = d,
                          .model = model_spec_for(c->model, d),
                          .images = c->images,
                          .test = c->test,
                          .batch = large,
                          .epochs = epochs,
                          .method = optimiser_maker(o),
                          .pace = row == ROW_GROWING ? growing_pace : plain_pace,
                          .context = pace};
}

static bool train(Tuned *t, int entry, bool tuning, double rate, uint64_t seed, double *value,
                  TaskFarmRun *farm)
{
    const Contest *c = (const Contest *)t;
    ContestPace pace;
    OptimiserSpec o;
    TrainingSpec spec = spec_of(c, entry, rate, &pace, &o);
    NoiseSpec noise = {{c->momentum, 0, false, 0}, c->batch, seed};
    if (row_of(entry) == ROW_NOISE)
        spec.method = noise_maker(&noise);
    Dataset held = tuned_held_out(spec.data, c->images, c->test);
    if (tuning)
        spec.data = &held;
    Training *n = training_new(&spec, seed);
    bool stopped = false;
    while (!stopped && training_step(n))
        stopped = task_farm_cancelled(farm) || stop_requested();
    if (!stopped) {
        double error = training_error(&spec, training_test(n));
        value[CONTEST_RESULT] = c->text ? error : 1 - error;
    }
    training_free(n);
    return !stopped;
}

static double higher(const double *value) { return value[CONTEST_RESULT]; }
static double lower(const double *value) { return -value[CONTEST_RESULT]; }

/* ---- the contest ---- */

static void set_up(Contest *c)
{
    Tuned *t = &c->tuned;
    t->entries = 1 + CONTEST_SIZES * (ROWS - 1);
    static SweepRange ranges[] = {{.high = 1e9, .whole = true}, {.high = 1e9}, {.high = 1}};
    if (c->text)
        ranges[1 + CONTEST_RESULT].high = log(c->tuned.study.lab->data->classes);
    t->columns = c->text ? "loss" : "accuracy";
    t->ranges = ranges;
    t->values = 2;
    t->rule = rule;
    t->train = train;
    t->score = c->text ? lower : higher;
    for (int e = 0; e < t->entries; e++) {
        double predicted = kinds[row_of(e)].predicted[c->text];
        int k = k_of(c, e);
        t->out[e] = contest_missing(row_of(e)) != NULL;
        t->setting[e] = 1000 * k + row_of(e);
        t->predicted[e] = scaled_rate(SCALE_ROOT, predicted > 0 ? predicted : c->rate, k);
    }
}

void contest_open(Contest *c, const Lab *lab, int64_t seed)
{
    const Dataset *d = lab->data;
    char digest[17];
    c->text = images_of_text(&d->train);
    int most = c->batch * c->k[CONTEST_SIZES - 1];
    c->test = c->test < d->test.count ? c->test : d->test.count;
    REQUIRE(c->images >= most, "--images=%d: the largest batch has %d: give at least %d", c->images,
            most, most);
    REQUIRE(c->images + c->test <= d->train.count,
            "--images=%d: %s has %d, and %d of them are held out for the tuning", c->images,
            d->name, d->train.count, c->test);
    c->tuned.seed = seed;
    set_up(c);
    dataset_digest(digest, d);
    json_t *config =
        json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:i, s:s, s:i}", "model",
                  c->model, "data", d->name, "digest", digest, "batch", c->batch, "k1", c->k[0],
                  "k2", c->k[1], "images", c->images, "test", c->test, "epochs", c->epochs, "rate",
                  c->rate, "momentum", c->momentum, "budget", c->tuned.budget, "device",
                  lab->be->description, "seed", (int)seed);
    if (c->warm > 0)
        json_object_set_new(config, "warm-up", json_real(c->warm));
    tuned_open(&c->tuned, lab, "entry", config);
    json_decref(config);
}

void contest_work(void *contest) { tuned_work(contest); }

static Verdict against(const Contest *c, int entry, int baseline)
{
    double a[TUNED_SEEDS], b[TUNED_SEEDS];
    int na = tuned_values_of(&c->tuned, entry, CONTEST_RESULT, a),
        nb = tuned_values_of(&c->tuned, baseline, CONTEST_RESULT, b);
    if (!na || !nb)
        return VERDICT_NONE;
    return c->text ? verdict(b, nb, a, na) : verdict(a, na, b, nb); /* of losses the lower wins */
}

ContestLine contest_line(const Contest *c, ContestRow row, int size)
{
    const Tuned *t = &c->tuned;
    int entry = contest_entry(row, size);
    Spread own = tuned_spread(t, entry, CONTEST_RESULT);
    double small = tuned_spread(t, 0, CONTEST_RESULT).median,
           same = tuned_spread(t, contest_entry(ROW_SAME, size), CONTEST_RESULT).median;
    bool gap = c->text ? small < same : small > same;
    return (ContestLine){.result = own,
                         .closed = gap ? (own.median - same) / (small - same) : NAN,
                         .same = against(c, entry, contest_entry(ROW_SAME, size)),
                         .nesterov = against(c, entry, contest_entry(ROW_NESTEROV, size))};
}
