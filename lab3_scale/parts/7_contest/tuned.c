/* tuned.c: see tuned.h. */
#include "tuned.h"
#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct TunedItem {
    int entry, number; /* of the try, or of the seed */
    double rate;
} TunedItem;

/* Rounds begin with tries 0, 3, 5, 7, … */
static int round_start(int i) { return i < 3 ? 0 : 3 + (i - 3) / 2 * 2; }

/* The rate of try number i, 0 …, after those before it: their rates and scores. */
static double next_rate(const double *rate, const double *score, int i, double predicted)
{
    static const double grid[] = {1, 0.25, 4};
    int start = round_start(i), best = 0;
    if (start == 0)
        return predicted * grid[i];
    for (int j = 1; j < start; j++)
        if (score[j] > score[best] || isnan(score[best]))
            best = j;
    double step = pow(2, pow(0.5, (start - 3) / 2));
    return (i - start) % 2 ? rate[best] * step : rate[best] / step;
}

Dataset tuned_held_out(const Dataset *d, int from, int count)
{
    Dataset held = *d;
    size_t pixels = (size_t)d->train.h * d->train.w * d->train.c;
    ASSERT(from + count <= d->train.count);
    held.test = d->train;
    held.test.count = count;
    held.test.pixels += from * pixels;
    held.test.labels += (size_t)from * (size_t)images_positions(&d->train);
    return held;
}

void tuned_open(Tuned *t, const Lab *lab, const char *setting_name, const json_t *config)
{
    for (int e = 0; e < TUNED_ENTRIES; e++)
        t->rate[e] = NAN;
    t->total = 0;
    for (int e = 0; e < t->entries; e++)
        t->total += t->out[e] ? 0 : t->seeds;
    if (!lab->run->speaks)
        return;
    char *columns = format_new("%s,rate,%s", setting_name, t->columns);
    char *tries = t->recorded ? format_new("%s/tries.csv", t->recorded)
                              : run_path(lab->run, "tries.csv");
    char *runs = t->recorded ? format_new("%s/sweep.csv", t->recorded)
                             : run_path(lab->run, "sweep.csv");
    t->tries = (t->recorded ? sweep_open_recorded(tries, columns)
                            : sweep_open(tries, columns, config));
    t->runs = (t->recorded ? sweep_open_recorded(runs, columns)
                           : sweep_open(runs, columns, config));
    if (t->ranges) {
        sweep_require(t->tries, t->ranges);
        sweep_require(t->runs, t->ranges);
    }
    free(columns);
    free(tries);
    free(runs);
}

void tuned_free(Tuned *t)
{
    if (!t->runs)
        return;
    sweep_free(t->tries);
    sweep_free(t->runs);
}

/* ---- the trainings ---- */

static bool work(Tuned *t, int i, bool tuning, double *value, TaskFarmRun *farm)
{
    TunedItem item = t->item[i];
    /* seeds differ from those of the runs */
    uint64_t seed = (uint64_t)t->seed + (tuning ? 1000000 : item.number);
    value[TUNED_RATE] = item.rate;
    return t->train(t, item.entry, tuning, item.rate, seed, value, farm);
}

static bool work_try(void *context, int i, double *value, TaskFarmRun *farm)
{
    return work(context, i, true, value, farm);
}

static bool work_run(void *context, int i, double *value, TaskFarmRun *farm)
{
    return work(context, i, false, value, farm);
}

static void keep(Tuned *t, int i, bool tuning, const double *value)
{
    TunedItem item = t->item[i];
    study_lock(&t->study, true);
    if (tuning)
        sweep_add(t->tries, t->setting[item.entry], item.number, value);
    else
        sweep_add(t->runs, t->setting[item.entry], t->seed + item.number, value);
    t->done += !tuning;
    study_lock(&t->study, false);
    char *note = format_new("%s %g", tuning ? "tuning" : "training", t->setting[item.entry]);
    run_progress(t->study.lab->run, tuning ? "tuning" : "trained", tuning ? i + 1 : t->done,
                 tuning ? t->round : t->total, "networks", note);
    free(note);
}

static void found_try(void *context, int i, const double *value) { keep(context, i, true, value); }
static void found_run(void *context, int i, const double *value) { keep(context, i, false, value); }

static bool train_all(Tuned *t, int items, bool tuning)
{
    Comm *c = t->study.lab->comm;
    comm_broadcast_host(c, &items, sizeof items, 0);
    comm_broadcast_host(c, t->item, items * sizeof *t->item, 0);
    t->round = items;
    if (t->recorded && items > 0)
        die(EXIT_USAGE, "%s: %d trainings of these choices are not recorded there", t->recorded,
            items);
    return study_farm(&t->study, (TaskFarm){.items = items,
                                            .values = t->values,
                                            .work = tuning ? work_try : work_run,
                                            .found = tuning ? found_try : found_run});
}

static bool follows_rule(const Tuned *t, int e) { return t->rule && !isnan(t->rule(t, e)); }

/* Entry e's tries so far; returns how many. */
static int tries_of(const Tuned *t, int e, double *rate, double *score)
{
    int n = 0;
    for (const SweepRow *row; n < t->budget && (row = sweep_find(t->tries, t->setting[e], n));
         n++) {
        rate[n] = row->value[TUNED_RATE];
        score[n] = t->score(row->value);
    }
    return n;
}

/* What is still to try in the round that begins with try number `first`. Rank 0. */
static int plan_round(Tuned *t, int first)
{
    double rate[TUNED_BUDGET], score[TUNED_BUDGET];
    int items = 0;
    for (int e = 0; e < t->entries; e++)
        for (int i = first; !follows_rule(t, e) && i < t->budget && round_start(i) == first; i++) {
            if (t->out[e] || sweep_find(t->tries, t->setting[e], i))
                continue;
            tries_of(t, e, rate, score);
            t->item[items++] = (TunedItem){e, i, next_rate(rate, score, i, t->predicted[e])};
        }
    return items;
}

static void choose_rates(Tuned *t)
{
    double rate[TUNED_BUDGET], score[TUNED_BUDGET];
    for (int pass = 0; pass < 2; pass++) /* the rules need entry 0's */
        for (int e = 0; e < t->entries; e++) {
            int n = tries_of(t, e, rate, score), best = 0;
            for (int j = 1; j < n; j++)
                if (score[j] > score[best] || isnan(score[best]))
                    best = j;
            t->rate[e] = follows_rule(t, e) ? t->rule(t, e) : n ? rate[best] : t->predicted[e];
        }
}

static int plan_runs(Tuned *t)
{
    int items = 0;
    for (int s = 0; s < t->seeds; s++)
        for (int e = 0; e < t->entries; e++)
            if (!t->out[e] && !sweep_find(t->runs, t->setting[e], t->seed + s))
                t->item[items++] = (TunedItem){e, s, t->rate[e]};
    t->done = t->total - items;
    return items;
}

bool tuned_work(Tuned *t)
{
    bool leads = t->study.lab->comm->rank == 0, on = true;
    t->item = alloc((unsigned long)t->entries * (t->seeds + t->budget + 1), sizeof *t->item);
    for (int first = 0; on && first < t->budget; first = first ? first + 2 : 3)
        on = train_all(t, leads ? plan_round(t, first) : 0, true);
    if (on && leads) {
        study_lock(&t->study, true);
        choose_rates(t);
        study_lock(&t->study, false);
    }
    comm_broadcast_host(t->study.lab->comm, t->rate, sizeof t->rate, 0);
    on = on && train_all(t, leads ? plan_runs(t) : 0, false);
    free(t->item);
    return on;
}

bool tuned_complete(const Tuned *t)
{
    static const char words[] = "stopped: finished trainings are kept; the same command resumes";
    if (t->done >= t->total)
        return true;
    if (stop_requested())
        die(130, "%s", words);
    run_say(t->study.lab->run, "%s", words);
    return false;
}

int tuned_values_of(const Tuned *t, int entry, int value, double out[TUNED_SEEDS])
{
    int n = 0;
    for (int s = 0; s < t->seeds; s++) {
        const SweepRow *row = sweep_find(t->runs, t->setting[entry], t->seed + s);
        if (row)
            out[n++] = row->value[value];
    }
    return n;
}

Spread tuned_spread(const Tuned *t, int entry, int value)
{
    double v[TUNED_SEEDS];
    return spread_of(v, tuned_values_of(t, entry, value, v));
}
