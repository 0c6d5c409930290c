/* learning_curve.c: the runs, the fit, the check. */
#include "learning_curve.h"
#include "check.h"
#include "epoch_order.h"
#include "lab1.h"
#include "timer.h"
#include <math.h>
#include <stdlib.h>

static bool interrupted(void *curve)
{
    LearningCurve *l = curve;
    return stop_requested() || task_farm_cancelled(l->farm);
}

void learning_curve_open(LearningCurve *l, const Lab *lab, int64_t seed)
{
    const Dataset *data = lab->data;
    const Images *train = &data->train;
    int fitted = 0, size[CURVE_SIZES], n;
    REQUIRE(l->smallest <= l->largest, "--smallest=%d is above --largest=%d", l->smallest,
            l->largest);
    REQUIRE(l->largest <= train->count, "--largest=%d is above the %d training images", l->largest,
            train->count);
    n = learning_curve_sizes(l, size);
    for (int i = 0; i < n; i++)
        fitted += size[i] >= l->fit_from;
    REQUIRE(fitted >= 5,
            "%d sizes from --fit-from=%d to --largest=%d: a law of three parameters "
            "and its uncertainty need at least 5",
            fitted, l->fit_from, l->largest);
    l->test = l->test < data->test.count ? l->test : data->test.count;
    l->seed = seed;
    l->study.lab = lab;
    l->setup = (TargetSetup){.be = lab->be,
                             .data = data,
                             .spec = model_spec_for(l->model, data),
                             .momentum = l->momentum,
                             .weight_decay = l->weight_decay,
                             .test = l->test,
                             .interrupted = interrupted,
                             .context = l};
    model_check(lab->be, &l->setup.spec, l->batch < l->largest ? l->batch : l->largest);
}

int learning_curve_sizes(const LearningCurve *l, int size[CURVE_SIZES])
{
    int n = 0;
    for (int64_t examples = l->smallest; examples <= l->largest && n < CURVE_SIZES; examples *= 2)
        size[n++] = (int)examples;
    return n;
}

void learning_curve_file(LearningCurve *l)
{
    char data[17];
    dataset_digest(data, l->setup.data);
    json_t *config = json_pack("{s:s, s:s, s:s, s:i, s:i, s:f, s:f, s:f, s:f, s:i, s:s, s:i, s:i}",
                               "model", l->model, "data", l->setup.data->name, "data digest", data,
                               "batch", l->batch, "updates", l->updates, "epochs", l->epochs,
                               "rate", l->rate, "momentum", l->momentum, "weight_decay",
                               l->weight_decay, "test", l->test, "device", l->setup.be->description,
                               "precision", (int)l->setup.be->precision, "ranks",
                               l->study.lab->comm->size);
    char *path = run_path(l->study.lab->run, "curve.csv");
    l->runs = sweep_open(path, "examples,error,seconds", config);
    sweep_require(l->runs, (SweepRange[]){{1, l->setup.data->train.count, .whole = true},
                                          {.high = 1},
                                          {.high = 1e12}});
    free(path);
    json_decref(config);
}

/* ---- the runs: sizes × seeds, dealt to the ranks ---- */

typedef struct Work {
    LearningCurve *l;
    const char *what;
    SweepItem *item; /* the runs to make; setting: examples */
    int total;       /* runs of the whole experiment */
} Work;

static void now_training(LearningCurve *l, int examples, int64_t seed)
{
    study_lock(&l->study, true);
    l->examples = examples;
    l->now_seed = seed;
    study_lock(&l->study, false);
}

/* One run, on any rank, on as many images as the item says; its seed selects them. */
static bool train(void *context, int item, double *value, TaskFarmRun *farm)
{
    Work *w = context;
    LearningCurve *l = w->l;
    int examples = (int)w->item[item].setting, count = l->setup.data->train.count;
    int passes = (int)fmin(l->epochs * examples / l->batch, 1e9),
        updates = passes > l->updates ? passes : l->updates;
    int64_t seed = w->item[item].seed;
    char *note = format_new("%d examples, seed %lld", examples, (long long)seed);
    run_progress(l->study.lab->run, w->what, l->done, w->total, "runs", note);
    free(note);
    now_training(l, examples, seed);
    l->farm = farm;
    int32_t *order = alloc(count, sizeof *order);
    /* A number beyond all epochs: not an epoch's order, but the choice of images. */
    epoch_order(order, count, (uint64_t)seed, 1 << 20);
    double began = timer_now();
    double accuracy = train_on_subset(&l->setup, order, examples, l->batch, updates, l->rate,
                                      (uint64_t)seed);
    value[0] = 1 - accuracy;
    value[1] = timer_now() - began;
    free(order);
    now_training(l, 0, seed);
    return !isnan(accuracy);
}

static void found(void *context, int item, const double *value)
{
    Work *w = context;
    study_lock(&w->l->study, true);
    sweep_add(w->l->runs, w->item[item].setting, w->item[item].seed, value);
    w->l->done++;
    study_lock(&w->l->study, false);
}

static bool may_continue(void *context) { return study_goes_on(&((Work *)context)->l->study); }

/* All missing runs on subsets of these sizes, one seed after the other. False: interrupted. */
static bool train_all(LearningCurve *l, const char *what, const int *examples, int sizes, int total)
{
    int count = sizes * l->seeds;
    Work w = {l, what, alloc(count, sizeof(SweepItem)), total};
    for (int i = 0; i < count; i++)
        w.item[i] = (SweepItem){examples[i % sizes], l->seed + i / sizes};
    int missing = sweep_missing(w.item, l->runs, l->study.lab->comm, count);
    l->done += count - missing;
    bool complete = task_farm_run(l->study.lab->comm, l->setup.be,
                                  &(TaskFarm){.items = missing,
                                              .values = 2,
                                              .context = &w,
                                              .work = train,
                                              .found = found,
                                              .goes_on = may_continue});
    free(w.item);
    return complete;
}

/* The points from fit_from to largest into examples and error [CURVE_POINTS]; returns how many. An
 * error of 0, not one mistake on the test images, says too little: the fit's errors are relative.
 */
static int points_to_fit(const LearningCurve *l, double *examples, double *error)
{
    int n = 0, fitted = 0, size[CURVE_SIZES], sizes = learning_curve_sizes(l, size);
    for (int i = 0; i < sizes; i++) {
        int before = n;
        for (int seed = 0; seed < l->seeds && size[i] >= l->fit_from; seed++) {
            const SweepRow *row = sweep_find(l->runs, size[i], l->seed + seed);
            if (row && row->value[0] > 0 && row->value[0] <= 1 && n < CURVE_POINTS) {
                examples[n] = size[i];
                error[n++] = row->value[0];
            }
        }
        fitted += n > before;
    }
    REQUIRE(fitted >= 4,
            "only %d sizes have a test error above 0, and a law of three parameters needs at least "
            "4: give more --test images, or a lower --smallest and --fit-from",
            fitted);
    return n;
}

/* On rank 0: the law through these points. */
static void fit(LearningCurve *l)
{
    double examples[CURVE_POINTS], error[CURVE_POINTS], needed[CURVE_DRAWS];
    int n = points_to_fit(l, examples, error);
    PowerLaw law = power_law_fit(examples, error, n);
    PowerLawDraw *draws = alloc(CURVE_DRAWS, sizeof *draws);
    power_law_bootstrap(draws, CURVE_DRAWS, law, examples, error, n, (uint64_t)l->seed);
    for (int i = 0; i < CURVE_DRAWS; i++)
        needed[i] = l->no_needed ? NAN
                                 : needed_examples(draws[i].law.alpha, draws[i].law.beta,
                                                   draws[i].law.gamma, l->target);
    study_lock(&l->study, true);
    l->law = law;
    l->count = n;
    for (int i = 0; i < CURVE_DRAWS; i++)
        l->draw[i] = draws[i];
    l->needed = l->no_needed ? NAN : needed_examples(law.alpha, law.beta, law.gamma, l->target);
    l->needed_range = l->no_needed ? (Interval){NAN, NAN} : interval_of(needed, CURVE_DRAWS, 0.9);
    int all = l->setup.data->train.count;
    l->check = l->no_needed ? 0 : l->needed < all ? (int)fmax(l->needed, 1) : all;
    l->fitted = true;
    study_lock(&l->study, false);
    free(draws);
}

/* The runs to fit, the fit, the check. */
static bool measure(LearningCurve *l)
{
    int size[CURVE_SIZES], n = learning_curve_sizes(l, size), total = (n + 1) * l->seeds;
    l->done = 0;
    if (!train_all(l, "curve", size, n, total))
        return false;
    if (l->runs)
        fit(l);
    comm_broadcast_host(l->study.lab->comm, &l->check, sizeof l->check, 0);
    if (l->check && !train_all(l, "check", &l->check, 1, total))
        return false;
    return true;
}

void learning_curve_work(void *study)
{
    LearningCurve *l = study;
    bool complete = measure(l);
    study_lock(&l->study, true);
    l->complete = complete;
    study_lock(&l->study, false);
    if (complete)
        run_progress(l->study.lab->run, "check", l->done, l->done, "runs", "all done");
}

Interval learning_curve_range(const LearningCurve *l, int which)
{
    double values[CURVE_DRAWS];
    for (int i = 0; i < CURVE_DRAWS; i++)
        values[i] = which == 0 ? l->draw[i].law.alpha
                  : which == 1 ? l->draw[i].law.beta
                               : l->draw[i].law.gamma;
    return interval_of(values, CURVE_DRAWS, 0.9);
}

/* How many of the check's runs lie where the law expects them? */
static void report_check(const LearningCurve *l)
{
    Run *run = l->study.lab->run;
    Spread s = sweep_spread(l->runs, l->check, 0);
    Interval in = power_law_expect(l->draw, CURVE_DRAWS, l->check, 0.9);
    int inside = 0;
    for (int i = 0; i < l->runs->rows; i++) {
        const SweepRow *row = &l->runs->row[i];
        inside += row->setting == l->check && row->value[0] >= in.low && row->value[0] <= in.high;
    }
    run_say(run, "check at %d examples%s: expected %.4f, 90 %% of runs within %.4f to %.4f",
            l->check,
            l->needed > l->check + 1 ? " (the whole data set)"
            : l->check <= l->largest
                ? " (within the fitted sizes: says nothing about extrapolation)"
                : " (which the fit has not seen)",
            power_law_at(l->law, l->check), in.low, in.high);
    run_say(run, "  trained: %.4f (median of %d, %.4f to %.4f): %d of %d within: the law %s",
            s.median, s.count, s.low, s.high, inside, s.count,
            s.median >= in.low && s.median <= in.high ? "HELD" : "did NOT hold");
}

char *learning_curve_amount(double examples)
{
    if (!isfinite(examples))
        return format_new("infinitely many");
    return examples < 1e9 ? format_new("%.0f", examples) : format_new("%.2g", examples);
}

static void curve_table(const LearningCurve *l)
{
    Run *run = l->study.lab->run;
    int size[CURVE_SIZES], n = learning_curve_sizes(l, size);
    run_say(run, "examples   test error (lowest–highest)    law");
    for (int i = 0; i < n; i++) {
        Spread s = sweep_spread(l->runs, size[i], 0);
        if (s.count && l->fitted && size[i] >= l->fit_from)
            run_say(run, "%8d %10.4f (%.4f–%.4f) %11.4f", size[i], s.median, s.low, s.high,
                    power_law_at(l->law, size[i]));
        else if (s.count)
            run_say(run, "%8d %10.4f (%.4f–%.4f)    not fitted", size[i], s.median, s.low, s.high);
    }
    if (!l->fitted)
        return;
    Interval a = learning_curve_range(l, 0), b = learning_curve_range(l, 1),
             g = learning_curve_range(l, 2);
    run_say(run,
            "error = α·D^β + γ, fitted to %d runs from %d examples up, 90 %% intervals:", l->count,
            l->fit_from);
    run_say(run, "  α = %.3g (%.3g to %.3g)   β = %.3f (%.3f to %.3f)   γ = %.4f (%.4f to %.4f)",
            l->law.alpha, a.low, a.high, l->law.beta, b.low, b.high, l->law.gamma, g.low, g.high);
    char *needed = learning_curve_amount(l->needed),
         *low = learning_curve_amount(l->needed_range.low),
         *high = learning_curve_amount(l->needed_range.high);
    run_say(run, "for an error of %.4g: %s examples, 90 %%: %s to %s%s", l->target, needed, low,
            high, isinf(l->needed_range.high) ? " (the floor may be above it)" : "");
    free(needed);
    free(low);
    free(high);
    if (l->complete)
        report_check(l);
}

void learning_curve_report(const void *study)
{
    const LearningCurve *l = study;
    if (l->study.missing)
        return;
    curve_table(l);
    cost_table(&l->cost, l->study.lab->run);
}
