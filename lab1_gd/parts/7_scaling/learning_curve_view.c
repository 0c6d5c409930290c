/* learning_curve_view.c: the curve with its three regions, the uncertainty of the fit, and the
 * cost of a training run. */
#include "check.h"
#include "learning_curve.h"
#include <math.h>
#include <stdlib.h>

enum { CURVE = 81, WIDEST = 1 << 18 }; /* points of a drawn line; the largest D on the axis */

static void draw_points(const LearningCurve *l, PlotPanel *panel)
{
    int size[CURVE_SIZES], n = learning_curve_sizes(l, size);
    double x[CURVE_SIZES], median[CURVE_SIZES];
    PlotStyle run = {.label = "a run", .color = plot_series(5), .size = 5};
    for (int i = 0; i < l->runs->rows; i++)
        if (l->runs->row[i].setting <= l->largest) {
            plot_scatter(panel, 1, &l->runs->row[i].setting, l->runs->row[i].value, run);
            run.label = NULL;
        }
    for (int i = 0; i < n; i++) {
        x[i] = size[i];
        median[i] = sweep_spread(l->runs, size[i], 0).median;
    }
    plot_scatter(panel, n, x, median, (PlotStyle){.label = "median", .color = plot_series(0)});
}

static void draw_law(const LearningCurve *l, PlotPanel *panel)
{
    double x[CURVE], y[CURVE], low[CURVE], high[CURVE];
    for (int i = 0; i < CURVE; i++) {
        x[i] = l->fit_from * pow((double)WIDEST / l->fit_from, i / (CURVE - 1.0));
        y[i] = power_law_at(l->law, x[i]);
        Interval in = power_law_expect(l->draw, CURVE_DRAWS, x[i], 0.9);
        low[i] = in.low;
        high[i] = in.high;
    }
    char *label = format_new("%.2f·D^−%.3f + %.3f", l->law.alpha, -l->law.beta, l->law.gamma);
    plot_band(panel, CURVE, x, low, high,
              (PlotStyle){.label = "90 % of runs", .color = plot_series(1)});
    plot_line(panel, CURVE, x, y, (PlotStyle){.label = label, .color = plot_series(1)});
    free(label);
}

/* The floor: the 90 % interval of γ, which no amount of data gets below. */
static void draw_floor(const LearningCurve *l, PlotPanel *panel)
{
    Interval g = learning_curve_range(l, 2);
    double x[2] = {l->fit_from, WIDEST}, low[2] = {fmax(g.low, 1e-3), fmax(g.low, 1e-3)},
           high[2] = {g.high, g.high};
    if (g.high > 1e-3)
        plot_band(panel, 2, x, low, high,
                  (PlotStyle){.label = "irreducible error γ, and its 90 %",
                              .color = PLOT_GREY,
                              .opacity = 0.25});
    if (l->law.gamma > 1e-3)
        plot_line(panel, 2, x, (double[]){l->law.gamma, l->law.gamma},
                  (PlotStyle){.color = PLOT_GREY, .width = 1.5});
}

static void draw_target(const LearningCurve *l, PlotPanel *panel)
{
    plot_rule_y(
        panel, l->target,
        (PlotStyle){.note = "target", .color = plot_series(2), .dashed = true, .width = 1.5});
    if (!l->fitted || l->no_needed)
        return;
    double x[2] = {fmin(l->needed_range.low, WIDEST), fmin(l->needed_range.high, WIDEST)},
           y[2] = {l->target, l->target};
    plot_line(panel, 2, x, y,
              (PlotStyle){.label = "data needed, 90 %",
                          .color = plot_series(2),
                          .width = 6,
                          .opacity = 0.6});
    Spread s = sweep_spread(l->runs, l->check, 0);
    if (s.count)
        plot_spread(panel, l->check, s,
                    (PlotStyle){.label = "check: trained on that much",
                                .color = PLOT_INK,
                                .shape = PLOT_STAR,
                                .size = 13});
}

static void draw_curve(const LearningCurve *l, PlotPanel *panel)
{
    double chance = 1 - 1.0 / l->setup.data->classes, left = l->smallest / 2.0,
           right = l->fit_from / sqrt(2), low = -INFINITY, high = INFINITY;
    plot_boxes(panel, 1, &left, &right, &low, &high,
               (PlotStyle){.color = PLOT_GREY, .opacity = 0.12});
    plot_text(panel, l->smallest / 1.8, 0.055, "small data: not fitted",
              (PlotStyle){.color = PLOT_INK});
    plot_rule_y(panel, chance, (PlotStyle){.note = "chance", .color = PLOT_GREY, .dashed = true});
    if (l->fitted) {
        draw_floor(l, panel);
        draw_law(l, panel);
        plot_text(panel, 1.2 * l->fit_from, 0.6 * power_law_at(l->law, l->fit_from), "power law",
                  (PlotStyle){.color = plot_series(1)});
        plot_text(panel, 1.2 * l->fit_from, 0.055, "floor: γ and its 90 % interval",
                  (PlotStyle){.color = PLOT_INK});
    }
    draw_target(l, panel);
    draw_points(l, panel);
}

/* Floor and exponent of each bootstrap draw: a steeper law with a floor explains the same points as
 * a flatter one without. */
static void draw_open(const LearningCurve *l, PlotPanel *panel)
{
    double beta[CURVE_DRAWS], gamma[CURVE_DRAWS];
    for (int i = 0; i < CURVE_DRAWS && l->fitted; i++) {
        beta[i] = l->draw[i].law.beta;
        gamma[i] = l->draw[i].law.gamma;
    }
    if (!l->fitted) {
        plot_note(panel, "fitted when all\nsizes are trained");
        return;
    }
    plot_scatter(panel, CURVE_DRAWS, gamma, beta,
                 (PlotStyle){.label = "400 bootstrap fits",
                             .color = plot_series(1),
                             .size = 4,
                             .opacity = 0.4});
    plot_scatter(
        panel, 1, &l->law.gamma, &l->law.beta,
        (PlotStyle){.label = "the fit", .color = PLOT_INK, .shape = PLOT_DIAMOND, .size = 10});
}

static char *open_title(const LearningCurve *l)
{
    if (!l->fitted)
        return format_new("Uncertainty of the fit");
    Interval beta = learning_curve_range(l, 1), gamma = learning_curve_range(l, 2);
    return format_new("Uncertainty (90 %%): β %.2f to %.2f, γ %.2f to %.2f", beta.low, beta.high,
                      gamma.low, gamma.high);
}

static void draw_footer(const LearningCurve *l, Plot *plot)
{
    const char *phase = l->complete ? "complete" : l->study.paused ? "paused" : "running";
    if (l->fitted && l->complete && !l->no_needed) {
        char *needed = learning_curve_amount(l->needed),
             *low = learning_curve_amount(l->needed_range.low),
             *high = learning_curve_amount(l->needed_range.high);
        plot_footer(plot,
                    "%s · error %.4g needs %s examples (90 %%: %s to %s) · check at %d: expected "
                    "%.4f, trained %.4f",
                    phase, l->target, needed, low, high, l->check, power_law_at(l->law, l->check),
                    sweep_spread(l->runs, l->check, 0).median);
        free(needed);
        free(low);
        free(high);
    } else if (l->examples)
        plot_footer(plot, "%s · %d examples, seed %lld%s", phase, l->examples,
                    (long long)l->now_seed, l->fitted ? " · the check" : "");
    else
        plot_footer(plot, "%s", phase);
}

void learning_curve_draw(const void *study, Plot *plot)
{
    const LearningCurve *l = study;
    plot_begin(
        plot, 2, 5,
        "%s on %s · batch %d · η = %.3g, cosine · at least %d updates and %.3g epochs · %d seeds",
        l->model, dataset_title(l->setup.data), l->batch, l->rate, l->updates, l->epochs, l->seeds);
    PlotPanel *curve = plot_panel(plot, (PlotAxes){.rows = 2,
                                                   .columns = 3,
                                                   .title = "Learning curve",
                                                   .x = plot_log("training examples D", 10,
                                                                 l->smallest / 2.0, WIDEST),
                                                   .y = plot_log("test error", 10, 0.05, 1.1)});
    char *left_open = open_title(l);
    PlotPanel *open = plot_panel(plot, (PlotAxes){.column = 3,
                                                  .columns = 2,
                                                  .title = left_open,
                                                  .x.label = "irreducible error γ",
                                                  .y.label = "exponent β"});
    PlotPanel *cost =
        plot_panel(plot,
                   (PlotAxes){.row = 1,
                              .column = 3,
                              .columns = 2,
                              .title = "What a training run costs: the automotive example",
                              .x = plot_log("devices (Pascal GPUs; a DGX-1V is 20)", 10, 0.7, 1e5),
                              .y = plot_log("days", 10, 0.1, 1e5)});
    draw_curve(l, curve);
    draw_open(l, open);
    /* Its note gives way to what is measured without. */
    bool begun = l->runs->rows > 0;
    if (l->no_needed && !begun)
        plot_note(curve, l->study.missing);
    if (l->no_costs)
        plot_note(cost, l->no_needed ? "needs training_days, too" : l->study.missing);
    else
        cost_draw(&l->cost, cost);
    if (l->no_needed && begun)
        plot_footer(plot, "%s", l->study.missing);
    else
        draw_footer(l, plot);
    free(left_open);
}
