/* partition_view.c: three panels: the share of the data seen against the number of ranks, and
 * against epochs; the accuracy against epochs. Lines are predicted, dots counted. */
#include "partition_study.h"
#include "quantiles.h"
#include <math.h>
#include <stdio.h>

/* Two kinds lie on one line at 1: the dots of the first are larger and drawn first. */
static PlotStyle dots(PartitionKind kind)
{
    static const PlotShape shapes[] = {PLOT_SQUARE, PLOT_DOT, PLOT_DIAMOND, PLOT_TRIANGLE};
    return (PlotStyle){.color = plot_series(kind),
                       .shape = shapes[kind],
                       .size = kind == PARTITION_PLAIN ? 12 : 8};
}

static void draw_share(const PartitionStudy *s, PlotPanel *panel, int n, const double *x,
                       PartitionKind kind, bool by_size)
{
    double predicted[STUDY_SIZES + STUDY_EPOCHS];
    for (int i = 0; i < n; i++)
        predicted[i] = by_size ? share_seen(kind, (int)x[i], 1)
                               : share_seen(kind, s->split, (int)x[i]);
    PlotStyle line = {.color = plot_series(kind)}, dot = dots(kind);
    plot_line(panel, n, x, predicted, line);
    dot.label = partition_kind_names[kind];
    plot_scatter(panel, n, x, by_size ? s->by_size[kind] : s->by_epoch[kind], dot);
}

static void draw_shares(const PartitionStudy *s, Plot *plot)
{
    double sizes[STUDY_SIZES], epochs[STUDY_EPOCHS];
    char title[64];
    for (int k = 0; k < STUDY_SIZES; k++)
        sizes[k] = 1 << k;
    for (int e = 0; e < s->epochs; e++)
        epochs[e] = e + 1;
    PlotAxis share = {.label = "share of the images seen by any rank", .low = 0, .high = 1.05};
    PlotPanel *panel =
        plot_panel(plot, (PlotAxes){.title = "One epoch",
                                    .x = {.label = "ranks P", .log = 2, .low = 0.8, .high = 80},
                                    .y = share,
                                    .no_legend = true});
    for (int kind = 0; kind < PARTITION_KINDS; kind++)
        draw_share(s, panel, STUDY_SIZES, sizes, kind, true);
    guess_rule(&s->guess, panel);
    snprintf(title, sizeof title, "%d ranks, over the epochs", s->split);
    panel = plot_cell(plot, 0, 1, title, plot_axis("epochs", 0.5, s->epochs + 0.5), share);
    for (int kind = 0; kind < PARTITION_KINDS; kind++)
        draw_share(s, panel, s->epochs, epochs, kind, false);
}

/* Accuracy of one kind after an epoch. */
static Spread spread(const PartitionStudy *s, PartitionKind kind, int epoch)
{
    double v[STUDY_SEEDS];
    for (int k = 0; k < s->seeds; k++)
        v[k] = s->accuracy[kind][k][epoch];
    return spread_of(v, s->seeds);
}

static void draw_accuracy(const PartitionStudy *s, Plot *plot)
{
    PlotPanel *panel = plot_cell(plot, 0, 2, "Test accuracy",
                                 plot_axis("epochs", 0.5, s->epochs + 0.5),
                                 plot_axis("test accuracy: median, lowest, highest", 0, 0));
    for (int kind = 0; kind < PARTITION_KINDS; kind++) {
        double x[STUDY_EPOCHS];
        Spread v[STUDY_EPOCHS];
        for (int e = 0; e < s->epochs; e++) {
            v[e] = spread(s, kind, e);
            x[e] = e + 1 + 0.08 * (kind - 1.5);
        }
        PlotStyle style = dots(kind);
        style.size = 8;
        style.width = 1.5;
        style.label = partition_kind_names[kind];
        plot_spreads(panel, s->epochs, x, v, style);
    }
}

void partition_draw(const void *study, Plot *plot)
{
    const PartitionStudy *s = study;
    bool shows = study_begin(&s->study, plot, 1, 3,
                             "%s on %d images of %s · %d ranks with batches of %d · η = %g",
                             s->model, s->images, dataset_title(s->study.lab->data), s->split,
                             s->batch, s->rate);
    plot_footer(plot,
                "lines: predicted by share_seen · points: counted · trained %d of %d networks",
                s->done, PARTITION_KINDS * s->seeds);
    if (!shows)
        return;
    draw_shares(s, plot);
    draw_accuracy(s, plot);
}

void partition_report(const void *study)
{
    const PartitionStudy *s = study;
    Run *run = s->study.lab->run;
    run_say(run, "%d ranks, %d of the %d images each per epoch", s->split, s->images / s->split,
            s->images);
    run_say(run, "kind                  epochs     seen  predicted   test accuracy (%d trainings)",
            s->seeds);
    run_metrics_header(run, "kind,epoch,predicted,counted,low,median,high,trainings");
    for (int kind = 0; kind < PARTITION_KINDS; kind++)
        for (int e = 0; e < s->epochs; e++) {
            double share = share_seen(kind, s->split, e + 1);
            Spread v = spread(s, kind, e);
            run_metrics(run, "%s,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%d", partition_kind_names[kind], e + 1,
                        share, s->by_epoch[kind][e], v.low, v.median, v.high, v.count);
            if (e == 0 || e == s->epochs - 1)
                run_say(run, "%-20s  %6d  %5.1f %%    %5.1f %%   %.3f (%.3f to %.3f)",
                        partition_kind_names[kind], e + 1, 100 * s->by_epoch[kind][e], 100 * share,
                        v.median, v.low, v.high);
        }
    guess_found(&s->guess, run, s->by_epoch[PARTITION_OWN_ORDERS][0]);
}
