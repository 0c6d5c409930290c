/* 1_batch_size.c: what does the batch size change? Images per second, and updates and time to a target accuracy, over
 * several seeds.
 *
 * Larger batches keep the processor busier; but beyond some size more pictures per update no longer save updates
 * (Shallue et al., arXiv 1811.03600). The two together make a best batch size. The sweep can be interrupted and goes on
 * where it was.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "lab3.h"
#include "plot.h"
#include "run.h"
#include "sweep.h"
#include "timer.h"

enum { IMAGES_PER_S, STEPS, SECONDS, EPOCHS, VALUES };

typedef struct Choices {
    RunOptions run;
    const char *model, *scale;
    int smallest, largest, seeds, train, test, check_every;
    double rate, momentum, target, epochs;
} Choices;

static Choices defaults(void)
{
    return (Choices){.run = run_options_default(), .model = "mlp", .scale = "sqrt", .smallest = 8, .largest = 2048, .seeds = 3,
                     .train = 20000, .test = 2000, .check_every = 1000, .rate = 0.02, .momentum = 0.9, .target = 0.82, .epochs = 6};
}

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS(c->run),
        {"model", ARG_STRING, &c->model, .help = "mlp, cnn, resnet8 …"},
        {"smallest", ARG_INT, &c->smallest, .min = 1, .max = 65536, .help = "smallest batch, pictures per update"},
        {"largest", ARG_INT, &c->largest, .min = 1, .max = 65536, .help = "largest batch; each is twice the one before"},
        {"seeds", ARG_INT, &c->seeds, .min = 1, .max = 100, .help = "runs per batch size"},
        {"rate", ARG_REAL, &c->rate, .min = 1e-6, .max = 100, .help = "learning rate at batch 64"},
        {"scale", ARG_CHOICE, &c->scale, .choices = "sqrt|linear|none", .help = "how the rate grows with the batch"},
        {"momentum", ARG_REAL, &c->momentum, .min = 0, .max = 0.9999, .help = "of SGD"},
        {"target", ARG_REAL, &c->target, .min = 0.01, .max = 1, .help = "test accuracy to reach"},
        {"epochs", ARG_REAL, &c->epochs, .min = 0.01, .max = 1000, .help = "give up after so many"},
        {"train", ARG_INT, &c->train, .min = 100, .max = 1000000, .help = "training pictures used"},
        {"test", ARG_INT, &c->test, .min = 100, .max = 1000000, .help = "test pictures used"},
        {"check-every", ARG_INT, &c->check_every, .min = 1, .max = 1000000, .help = "training pictures between two tests"},
        {0}};
    memcpy(table, options, sizeof options);
    args_parse("1_batch_size", "Batch size against images/s and steps to a target accuracy.", table, argc, argv);
    REQUIRE(c->smallest <= c->largest, "--smallest=%d is above --largest=%d", c->smallest, c->largest);
}

static double rate_at(const Choices *c, int batch)
{
    double k = batch / 64.0;
    return c->rate * (!strcmp(c->scale, "sqrt") ? sqrt(k) : !strcmp(c->scale, "linear") ? k : 1);
}

/* What makes two sweeps comparable: everything but the seeds and sizes that were asked for. */
static json_t *configuration(const Choices *c, const Dataset *d, const Backend *be, int ranks)
{
    return json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:i, s:i, s:i, s:s, s:i}", "model", c->model, "data", d->name, "scale",
                     c->scale, "rate", c->rate, "momentum", c->momentum, "target", c->target, "epochs", c->epochs, "train",
                     c->train, "test", c->test, "check_every", c->check_every, "device", be->description, "ranks", ranks);
}

/* All runs that are not there yet. */
static void sweep_run(Run *run, const Choices *c, const Setup *setup, Sweep *sweep)
{
    int total = 0, done = 0;
    for (int batch = c->smallest; batch <= c->largest; batch *= 2)
        total += c->seeds;
    for (int batch = c->smallest; batch <= c->largest; batch *= 2)
        for (int i = 0; i < c->seeds; i++, done++) {
            int64_t seed = c->run.seed + i;
            char *note = format_new("batch %d, seed %lld", batch, (long long)seed);
            run_progress(run, "sweep", done, total, "runs", note);
            free(note);
            double there = sweep && sweep_find(sweep, batch, seed) != NULL;
            comm_broadcast_host(setup->comm, &there, sizeof there, 0);
            if (there)
                continue;
            Outcome o = train_to_target(setup, batch, rate_at(c, batch), (uint64_t)seed);
            if (sweep)
                sweep_add(sweep, batch, seed, (double[]){o.images_per_s, o.steps, o.seconds, o.epochs});
        }
    run_progress(run, "sweep", total, total, "runs", "all done");
}

/* One value over the batch sizes: median with a bar from lowest to highest. */
static void draw(PlotPanel *panel, const Choices *c, const Sweep *sweep, int value)
{
    double x[32], median[32], low[32], high[32];
    int n = 0;
    for (int batch = c->smallest; batch <= c->largest; batch *= 2, n++) {
        SweepSpread s = sweep_spread(sweep, batch, value);
        x[n] = batch;
        median[n] = s.median;
        low[n] = s.low;
        high[n] = s.high;
    }
    char *label = format_new("median of %d run%s", c->seeds, c->seeds == 1 ? "" : "s");
    uint32_t color = plot_series(0);
    plot_errors(panel, n, x, low, high, (PlotStyle){.color = color});
    plot_line(panel, n, x, median, (PlotStyle){.label = label, .color = color});
    plot_scatter(panel, n, x, median, (PlotStyle){.color = color});
    if (value == STEPS && isfinite(median[0])) { /* twice the batch, half the updates */
        double perfect[32];
        for (int i = 0; i < n; i++)
            perfect[i] = median[0] * x[0] / x[i];
        plot_line(panel, n, x, perfect, (PlotStyle){.label = "perfect scaling", .color = PLOT_GREY, .dashed = true});
    }
    free(label);
}

static void figure(Run *run, const Choices *c, const Dataset *d, int ranks, const Sweep *sweep)
{
    Plot *plot = plot_new(1280, 560);
    char *title = format_new("%s on %s, %d pictures · to %.0f %% test accuracy · rate %g at 64, %s · %d rank%s", c->model, d->name,
                             c->train, 100 * c->target, c->rate, c->scale, ranks, ranks == 1 ? "" : "s");
    PlotAxis batch = {.label = "batch size (pictures per update)", .log = 2};
    plot_begin(plot, 1, 3, title);
    PlotPanel *speed = plot_panel(plot, (PlotAxes){.title = "Speed", .x = batch, .y = {.label = "images per second", .low = 0, .high = NAN}});
    PlotPanel *steps = plot_panel(plot, (PlotAxes){.column = 1, .title = "Updates to the target", .x = batch,
                                                   .y = {.label = "updates", .log = 10}});
    PlotPanel *seconds = plot_panel(plot, (PlotAxes){.column = 2, .title = "Time to the target", .x = batch,
                                                     .y = {.label = "training time (s)", .log = 10}});
    draw(speed, c, sweep, IMAGES_PER_S);
    draw(steps, c, sweep, STEPS);
    draw(seconds, c, sweep, SECONDS);
    char *path = run_path(run, "batch_size.png");
    if (plot_save(plot, path))
        run_say(run, "picture: %s", path);
    free(path);
    free(title);
    plot_free(plot);
}

static void print_table(Run *run, const Choices *c, const Sweep *sweep)
{
    run_say(run, "   batch   images/s            steps to target       seconds   missed");
    for (int batch = c->smallest; batch <= c->largest; batch *= 2) {
        SweepSpread speed = sweep_spread(sweep, batch, IMAGES_PER_S), steps = sweep_spread(sweep, batch, STEPS);
        SweepSpread seconds = sweep_spread(sweep, batch, SECONDS);
        run_say(run, "%8d %7.0f (%.0f–%.0f) %10.0f (%.0f–%.0f) %9.2f %6d of %d", batch, speed.median, speed.low, speed.high,
                steps.median, steps.low, steps.high, seconds.median, steps.missed, steps.runs + steps.missed);
    }
}

int main(int argc, char **argv)
{
    Choices c = defaults();
    Option options[32];
    parse(&c, options, argc, argv);
    stop_on_signals();
    Comm *comm = comm_open(c.run.comm);
    REQUIRE(c.smallest % comm->size == 0, "--smallest=%d: the %d ranks cannot share it evenly", c.smallest, comm->size);
    Backend *be = backend_open(c.run.device, comm->local_rank, comm->local_size, c.run.threads);
    Dataset *data = dataset_open(c.run.data, "fashion,synthetic", c.run.data_dir);
    Setup setup = {comm, be, data, {.name = c.model, .h = data->train.h, .w = data->train.w, .c = data->train.c, .classes = data->classes},
                   c.momentum, 0, c.target, c.epochs, c.train, c.test, c.check_every};
    setup.train = c.train = c.train < data->train.count ? c.train : data->train.count;
    setup.test = c.test = c.test < data->test.count ? c.test : data->test.count;
    REQUIRE(c.largest <= c.train && c.test <= c.train, "--largest=%d and --test=%d may not be above the %d training pictures", c.largest,
            c.test, c.train);
    json_t *facts = json_pack("{s:s, s:s, s:i}", "data", data->description, "device", be->description, "ranks", comm->size);
    Run *run = run_open("lab3_batch_size", &c.run, options, facts, comm->rank == 0);
    json_t *configuration_now = configuration(&c, data, be, comm->size);
    char *path = run_path(run, "sweep.csv");
    Sweep *sweep = comm->rank == 0 ? sweep_open(path, "batch,images_per_s,steps,seconds,epochs", configuration_now) : NULL;
    sweep_run(run, &c, &setup, sweep);
    if (sweep) {
        print_table(run, &c, sweep);
        figure(run, &c, data, comm->size, sweep);
        sweep_free(sweep);
    }
    free(path);
    json_decref(configuration_now);
    run_close(run);
    dataset_free(data);
    backend_close(be);
    comm_close(comm);
    return 0;
}
