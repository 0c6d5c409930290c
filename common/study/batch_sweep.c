/* batch_sweep.c: see batch_sweep.h. */
#include "batch_sweep.h"
#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* setup.interrupted */
static bool interrupted(void *context)
{
    BatchSweep *b = context;
    return stop_requested() || task_farm_cancelled(b->farm);
}

void batch_sweep_open(BatchSweep *b, Comm *comm, Backend *be, const Dataset *data, int64_t seed)
{
    const Images *train = &data->train;
    REQUIRE(b->smallest <= b->largest, "--smallest=%d is above --largest=%d", b->smallest,
            b->largest);
    b->train = b->train < train->count ? b->train : train->count;
    b->test = b->test < data->test.count ? b->test : data->test.count;
    REQUIRE(b->largest <= b->train && b->test <= b->train,
            "--largest=%d and --test=%d may not be above the %d training images", b->largest,
            b->test, b->train);
    b->seed = seed;
    b->comm = comm;
    b->setup = (TargetSetup){.be = be,
                             .data = data,
                             .spec = model_spec_for(b->model, data),
                             .momentum = b->momentum,
                             .target = b->target,
                             .epochs = b->epochs,
                             .train = b->train,
                             .test = b->test,
                             .check_every = b->check_every,
                             .interrupted = interrupted,
                             .context = b};
    model_check(be, &b->setup.spec, b->largest);
}

json_t *batch_sweep_config(const BatchSweep *b)
{
    char data[17];
    dataset_digest(data, b->setup.data);
    return json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:i, s:i, s:i, s:s, s:i, s:i}",
                     "model", b->model, "data", b->setup.data->name, "data digest", data, "scale",
                     b->scale, "rate", b->rate, "momentum", b->momentum, "target", b->target,
                     "epochs", b->epochs, "train", b->train, "test", b->test, "check_every",
                     b->check_every, "device", b->setup.be->description, "precision",
                     (int)b->setup.be->precision, "ranks", b->comm->size);
}

void batch_sweep_file(BatchSweep *b, Run *run)
{
    int size[BATCH_SIZES], n = batch_sweep_sizes(b, size);
    for (int i = 0; i < n; i++)
        speed_size(&b->speeds, size[i]);
    speed_open(&b->speeds, &b->setup, b->comm, run, NULL);
    if (!run->speaks)
        return;
    json_t *config = batch_sweep_config(b);
    char *path = run_path(run, "sweep.csv");
    b->runs = sweep_open(path, "batch,steps,epochs", config);
    sweep_require(b->runs, (SweepRange[]){{1, 65536, .whole = true},
                                          {0, 1e15, .whole = true, .missing = true},
                                          {0, INFINITY, .missing = true}});
    free(path);
    json_decref(config);
}

void batch_sweep_free(BatchSweep *b)
{
    speed_free(&b->speeds);
    if (b->runs)
        sweep_free(b->runs);
}

double batch_sweep_rate(const BatchSweep *b, int batch)
{
    double k = batch / 64.0;
    return b->rate * (!strcmp(b->scale, "sqrt") ? sqrt(k) : !strcmp(b->scale, "linear") ? k : 1);
}

int batch_sweep_sizes(const BatchSweep *b, int size[BATCH_SIZES])
{
    int n = 0;
    for (int64_t batch = b->smallest; batch <= b->largest && n < BATCH_SIZES; batch *= b->factor)
        size[n++] = (int)batch;
    return n;
}

typedef struct Work {
    BatchSweep *b;
    Run *run;
    SweepItem *item; /* the missing runs; setting: the batch */
    int total;       /* all runs, finished ones included */
} Work;

static void now_training(Work *w, int batch, int64_t seed)
{
    background_lock(w->b->background);
    w->b->batch = batch;
    w->b->batch_seed = seed;
    background_unlock(w->b->background);
}

/* One run, on any rank. */
static bool train(void *context, int item, double *value, TaskFarmRun *farm)
{
    Work *w = context;
    BatchSweep *b = w->b;
    int batch = (int)w->item[item].setting;
    int64_t seed = w->item[item].seed;
    char *note = format_new("batch %d, seed %lld", batch, (long long)seed);
    run_progress(w->run, "sweep", b->done, w->total, "runs", note);
    free(note);
    now_training(w, batch, seed);
    b->farm = farm;
    TargetOutcome o = train_to_target(&b->setup, batch, batch_sweep_rate(b, batch), (uint64_t)seed);
    now_training(w, 0, seed);
    value[BATCH_STEPS] = o.steps;
    value[BATCH_EPOCHS] = o.epochs;
    return !o.interrupted;
}

static void found(void *context, int item, const double *value)
{
    Work *w = context;
    background_lock(w->b->background);
    sweep_add(w->b->runs, w->item[item].setting, w->item[item].seed, value);
    w->b->done++;
    background_unlock(w->b->background);
}

static bool goes_on(void *context)
{
    return !stop_requested() && background_goes_on(((Work *)context)->b->background);
}

bool batch_sweep_run(BatchSweep *b, Run *run)
{
    int size[BATCH_SIZES], n = batch_sweep_sizes(b, size), total = n * b->seeds;
    if (!speed_measure(&b->speeds, b->background))
        return false;
    Work w = {b, run, alloc(total, sizeof(SweepItem)), total};
    for (int i = 0; i < total; i++)
        w.item[i] = (SweepItem){size[i % n], b->seed + i / n};
    int missing = sweep_missing(w.item, b->runs, b->comm, total);
    background_lock(b->background);
    b->done = total - missing;
    background_unlock(b->background);
    bool complete = task_farm_run(b->comm, b->setup.be,
                                  &(TaskFarm){.items = missing,
                                              .values = BATCH_VALUES,
                                              .context = &w,
                                              .work = train,
                                              .found = found,
                                              .goes_on = goes_on});
    free(w.item);
    return complete;
}

Spread batch_sweep_spread(const BatchSweep *b, int size, int value)
{
    if (value != BATCH_SECONDS)
        return sweep_spread(b->runs, size, value);
    Spread s = sweep_spread(b->runs, size, BATCH_STEPS);
    double each = speed_of(&b->speeds, size).seconds;
    s.median *= each;
    s.low *= each;
    s.high *= each;
    return s;
}

/* "12.3 (11.9–13.0)", or a dash; free() it. */
static char *spread_text(Spread s, int decimals)
{
    if (s.count == 0)
        return format_new("–");
    return format_new("%.*f (%.*f–%.*f)", decimals, s.median, decimals, s.low, decimals, s.high);
}

void batch_sweep_table(const BatchSweep *b, Run *run)
{
    static const struct {
        const char *title;
        int value, decimals, width;
    } columns[] = {{"steps to target", BATCH_STEPS, 0, 20},
                   {"epochs", BATCH_EPOCHS, 2, 20},
                   {"seconds", BATCH_SECONDS, 2, 22}};
    int size[BATCH_SIZES], n = batch_sweep_sizes(b, size);
    run_say(run, "   batch  %-20s   %-20s   %-22s   missed", columns[0].title, columns[1].title,
            columns[2].title);
    for (int i = 0; i < n; i++) {
        char *line = format_new("%8d ", size[i]);
        Spread steps = sweep_spread(b->runs, size[i], BATCH_STEPS);
        for (int c = 0; c < 3; c++) {
            Spread s = batch_sweep_spread(b, size[i], columns[c].value);
            char *text = spread_text(s, columns[c].decimals), *before = line;
            /* the dash is three bytes and one column wide */
            line = format_new("%s %-*s", before, columns[c].width + 2, text);
            free(text);
            free(before);
        }
        run_say(run, "%s %d of %d", line, steps.missed, steps.count + steps.missed);
        free(line);
    }
}

/* Twice the batch, half the updates, starting at the smallest batch. */
static void draw_perfect(PlotPanel *panel, int n, const double *x, const double *median)
{
    double perfect[BATCH_SIZES];
    for (int i = 0; i < n; i++)
        perfect[i] = median[0] * x[0] / x[i];
    plot_line(panel, n, x, perfect,
              (PlotStyle){.label = "perfect scaling", .color = PLOT_GREY, .dashed = true});
}

void batch_sweep_draw(const BatchSweep *b, PlotPanel *panel, int value, PlotStyle style)
{
    int size[BATCH_SIZES], n = batch_sweep_sizes(b, size), missed = 0;
    double x[BATCH_SIZES], median[BATCH_SIZES], low[BATCH_SIZES], high[BATCH_SIZES],
        at[BATCH_SIZES], top = 0;
    for (int i = 0; i < n; i++) {
        Spread s = batch_sweep_spread(b, size[i], value);
        x[i] = size[i];
        median[i] = s.median;
        low[i] = s.low;
        high[i] = s.high;
        top = fmax(top, s.high);
        if (s.missed)
            at[missed++] = x[i];
    }
    char *label = format_new("median of %d run%s", b->seeds, b->seeds == 1 ? "" : "s");
    PlotStyle plain = style, cross = {.label = "target missed",
                                      .color = PLOT_INK,
                                      .shape = PLOT_CROSS,
                                      .size = 10};
    plain.label = NULL;
    plot_errors(panel, n, x, low, high, plain);
    style.label = style.label ? style.label : label;
    plot_line(panel, n, x, median, style);
    plot_scatter(panel, n, x, median, plain);
    if (value == BATCH_STEPS && isfinite(median[0]))
        draw_perfect(panel, n, x, median);
    double above = top > 0 ? 1.5 * top : 1;
    for (int i = 0; i < missed; i++, cross.label = NULL)
        plot_scatter(panel, 1, at + i, &above, cross);
    free(label);
}

void batch_sweep_dots(const BatchSweep *b, PlotPanel *panel, int value, PlotStyle style)
{
    for (const SweepRow *r = b->runs->row; r < b->runs->row + b->runs->rows; r++) {
        double y = value == BATCH_SECONDS
                     ? r->value[BATCH_STEPS] * speed_of(&b->speeds, (int)r->setting).seconds
                     : r->value[value];
        plot_scatter(panel, 1, &r->setting, &y, style);
        style.label = NULL;
    }
}
