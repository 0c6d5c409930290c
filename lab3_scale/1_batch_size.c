/* 1_batch_size.c: what does the batch size change? Images per second, and updates and time to a
 * target accuracy, over several seeds.
 *
 * Larger batches keep the processor busier, but beyond some size more images per update no longer
 * save updates (Shallue et al., arXiv 1811.03600). Together they make one batch size the best. An
 * interrupted sweep resumes.
 */
#include "batch_sweep.h"
#include "check.h"
#include "lab.h"
#include "live_figure.h"
#include <math.h>
#include <stdlib.h>

typedef struct Choices {
    RunOptions run;
    BatchSweep sweep;
} Choices;

static Choices defaults(void)
{
    return (Choices){.run = run_options_default(),
                     .sweep = {.model = "mlp",
                               .scale = "sqrt",
                               .smallest = 8,
                               .largest = 2048,
                               .factor = 2,
                               .seeds = 3,
                               .train = 20000,
                               .test = 2000,
                               .check_every = 1000,
                               .rate = 0.02,
                               .momentum = 0.9,
                               .target = 0.82,
                               .epochs = 6}};
}

static void figure(Run *run, const BatchSweep *b)
{
    Plot *plot = plot_new(1280, 560);
    int ranks = b->comm->size;
    char *title =
        format_new("%s on %s, %d images · to %.0f %% test accuracy · rate %g at 64, %s · %d rank%s",
                   b->model, b->setup.data->name, b->train, 100 * b->target, b->rate, b->scale,
                   ranks, ranks == 1 ? "" : "s");
    PlotAxis batch = {.label = "batch size (images per update)", .log = 2};
    plot_begin(plot, 1, 3, title);
    PlotPanel *speed =
        plot_panel(plot, (PlotAxes){.title = "Speed",
                                    .x = batch,
                                    .y = {.label = "images per second", .low = 0, .high = NAN}});
    PlotPanel *steps = plot_panel(plot, (PlotAxes){.column = 1,
                                                   .title = "Updates to the target",
                                                   .x = batch,
                                                   .y = {.label = "updates", .log = 10}});
    PlotPanel *seconds = plot_panel(plot,
                                    (PlotAxes){.column = 2,
                                               .title = "Time to the target",
                                               .x = batch,
                                               .y = {.label = "training time (s)", .log = 10}});
    PlotStyle style = {.color = plot_series(0)};
    batch_sweep_draw(b, speed, BATCH_IMAGES_PER_S, style);
    batch_sweep_draw(b, steps, BATCH_STEPS, style);
    batch_sweep_draw(b, seconds, BATCH_SECONDS, style);
    run_figure(run, plot, "batch_size.png");
    free(title);
    plot_free(plot);
}

int main(int argc, char **argv)
{
    Choices c = defaults();
    Option options[] = {RUN_OPTIONS(c.run), BATCH_SWEEP_OPTIONS(c.sweep), {0}};
    args_parse("1_batch_size",
               "Images/s, and updates and time to a target accuracy, by batch size.", options, argc,
               argv);
    stop_on_signals();
    Lab lab = lab_open(comm_open(c.run.comm), &c.run);
    lab_data(&lab, &c.run, NULL);
    batch_sweep_open(&c.sweep, lab.comm, lab.be, lab.data, c.run.seed);
    lab_run(&lab, "lab3_batch_size", &c.run, options);
    batch_sweep_file(&c.sweep, lab.run);
    if (!batch_sweep_run(&c.sweep, lab.run))
        die(130, "stopped: finished runs are kept; the same command resumes");
    if (lab.run->speaks) {
        batch_sweep_table(&c.sweep, lab.run);
        figure(lab.run, &c.sweep);
    }
    batch_sweep_free(&c.sweep);
    lab_close(&lab);
    return 0;
}
