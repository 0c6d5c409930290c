/* size_study.c: see size_study.h. */
#include "size_study.h"
#include "check.h"
#include <math.h>

/* The sum of squares at this B_crit, with the best floor for it. */
static double misfit(double critical, const double *batch, const double *updates, int n,
                     double *floor)
{
    double sum = 0, mean = 0, count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            if (!isfinite(updates[i]))
                continue;
            double off = log(updates[i]) - log1p(critical / batch[i]);
            if (pass)
                sum += (off - mean / count) * (off - mean / count);
            else
                mean += off, count++;
        }
    *floor = exp(mean / count);
    return sum;
}

Bend bend_fit(const double *batch, const double *updates, int n)
{
    Bend best = {NAN, NAN, 0};
    double least = INFINITY, floor;
    int known = 0;
    for (int i = 0; i < n; i++)
        known += isfinite(updates[i]);
    for (double c = 0.5; known >= 3 && c < 1e5; c *= 1.005) {
        double sum = misfit(c, batch, updates, n, &floor);
        if (sum < least) {
            least = sum;
            best = (Bend){floor, c, 0};
        }
    }
    for (int i = 0; i < n; i++)
        if (isfinite(updates[i]))
            best.worst = fmax(best.worst,
                              fabs(best.floor * (1 + best.critical / batch[i]) / updates[i] - 1));
    return best;
}

static _Thread_local TaskFarmRun *farm_now;
static bool interrupted(void *context) { return stop_requested() || task_farm_cancelled(farm_now); }

static bool train(Tuned *t, int entry, bool tuning, double rate, uint64_t seed, double *value,
                  TaskFarmRun *farm)
{
    const SizeStudy *s = (const SizeStudy *)t;
    TargetSetup setup = s->setup;
    farm_now = farm;
    if (tuning) {
        setup.data = &s->held;
        setup.updates = s->updates;
    }
    TargetOutcome o = train_to_target(&setup, (int)t->setting[entry], rate, seed);
    value[SIZE_STEPS] = o.steps;
    value[SIZE_EPOCHS] = o.epochs;
    value[SIZE_BEST] = o.best;
    return !o.interrupted;
}

/* The fewest updates; of those that missed the target, the nearest. */
static double score_of(double steps, double near)
{
    return isnan(steps) ? near : 2 - 1e-9 * steps + 1e-10 * near;
}
static double higher(const double *value) { return score_of(value[SIZE_STEPS], value[SIZE_BEST]); }
static double lower(const double *value) { return score_of(value[SIZE_STEPS], -value[SIZE_BEST]); }

void size_open(SizeStudy *s, const Lab *lab, int64_t seed)
{
    Tuned *t = &s->tuned;
    const Dataset *d = lab->data;
    const Images *i = &d->train;
    s->text = images_of_text(i);
    REQUIRE(s->text || s->target <= 1, "--target=%g: an accuracy is at most 1", s->target);
    REQUIRE(s->smallest <= s->largest, "--smallest=%d is above --largest=%d", s->smallest,
            s->largest);
    s->test = s->test < d->test.count ? s->test : d->test.count;
    s->train = s->train < i->count - s->test ? s->train : i->count - s->test;
    REQUIRE(s->largest <= s->train, "--largest=%d may not be above the %d training images",
            s->largest, s->train);
    for (int64_t batch = s->smallest; batch <= s->largest && t->entries < TUNED_ENTRIES;
         batch *= s->factor) {
        REQUIRE(!s->micro || batch <= s->micro || batch % s->micro == 0,
                "--micro=%d: batch %d is not a multiple of it", s->micro, (int)batch);
        speed_size(&s->speeds, (int)batch);
        t->setting[t->entries] = (double)batch;
        t->predicted[t->entries++] = s->rate * sqrt((double)batch / 64);
    }
    s->held = tuned_held_out(d, s->train, s->test);
    s->setup = (TargetSetup){.be = lab->be,
                             .data = d,
                             .spec = model_spec_for(s->model, d),
                             .momentum = s->momentum,
                             .target = s->target,
                             .epochs = s->epochs,
                             .micro = s->micro,
                             .train = s->train,
                             .test = s->test,
                             .check_every = s->check_every,
                             .interrupted = interrupted};
    model_check(lab->be, &s->setup.spec, s->micro && s->micro < s->largest ? s->micro : s->largest);
    static SweepRange ranges[] = {{1, 1 << 30, .whole = true},
                                  {.high = 1e9},
                                  {.high = 1e12, .missing = true},
                                  {.high = 1e9, .missing = true},
                                  {.high = 1}};
    if (s->text)
        ranges[1 + SIZE_BEST].high = log(d->classes);
    t->columns = s->text ? "steps,epochs,loss" : "steps,epochs,accuracy";
    t->ranges = ranges;
    t->values = SIZE_VALUES;
    t->train = train;
    t->score = s->text ? lower : higher;
    t->seed = seed;
    char digest[17];
    dataset_digest(digest, d);
    json_t *config =
        json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:s, s:i}",
                  "model", s->model, "data", d->name, "digest", digest, "train", s->train, "test",
                  s->test, "check", s->check_every, "micro", s->micro, "updates", s->updates,
                  "budget", t->budget, "rate", s->rate, "momentum", s->momentum, "target",
                  s->target, "epochs", s->epochs, "device", lab->be->description, "ranks",
                  lab->comm->size);
    tuned_open(t, lab, "batch", config);
    speed_open(&s->speeds, &s->setup, lab->comm, lab->run, t->recorded);
    if (s->ways)
        size_critical_open(s, lab, config);
    json_decref(config);
}

void size_work(void *study)
{
    SizeStudy *s = study;
    if (speed_measure(&s->speeds, s->tuned.study.own) && tuned_work(&s->tuned) && s->ways)
        size_critical_work(s);
}

void size_results(const SizeStudy *s, double *batch, Speed *speed, Spread *updates)
{
    for (int e = 0; e < s->tuned.entries; e++) {
        batch[e] = s->tuned.setting[e];
        speed[e] = speed_of(&s->speeds, (int)batch[e]);
        updates[e] = tuned_spread(&s->tuned, e, SIZE_STEPS);
    }
}
