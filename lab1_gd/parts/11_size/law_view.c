/* law_view.c: the losses and the law; one budget spent on models of several sizes; where each
 * budget is spent best. */
#include "check.h"
#include "law_study.h"
#include "number.h"
#include <math.h>
#include <stdlib.h>

enum { CURVE = 80, LEVELS = 6 };

static PlotStyle of_width(int w) { return (PlotStyle){.color = plot_shade(w), .size = 8}; }

static double smallest(const LawStudy *s) { return s->grid[0][0].N; }
static double shortest(const LawStudy *s) { return s->grid[0][0].D; }

/* The i-th of CURVE values from low to high, evenly spaced on a logarithmic axis. */
static double on_curve(double low, double high, int i)
{
    return low * pow(high / low, i / (CURVE - 1.0));
}

static void draw_losses(const LawStudy *s, Plot *plot)
{
    double low = 0.8 * shortest(s), high = 1.25 * s->grid[0][LAW_SIZES - 1].D;
    PlotPanel *panel = plot_cell(plot, 0, 0, "More text, larger models: less loss",
                                 plot_log("characters D", 10, low, high),
                                 plot_log("test loss above the floor E (nats)", 10, 0, 0));
    for (int w = 0; w < LAW_WIDTHS; w++) {
        double x[CURVE], y[CURVE];
        PlotStyle style = of_width(w);
        for (int i = 0; i < CURVE; i++) {
            x[i] = on_curve(low, high, i);
            y[i] = s->fitted ? law_excess(s->law, s->grid[w][0].N, x[i]) : NAN;
        }
        plot_line(panel, CURVE, x, y, (PlotStyle){.color = style.color, .width = 1.5});
        char have[27], *label = format_new("N = %s", commas(have, (uint64_t)s->grid[w][0].N));
        for (int d = 0; d < LAW_SIZES; d++) {
            style.label = d ? NULL : label;
            plot_spread(panel, s->grid[w][d].D, law_loss(s, &s->grid[w][d]), style);
        }
        free(label);
    }
}

static void draw_budget(const LawStudy *s, Plot *plot)
{
    double C = law_compute(s), x[CURVE], y[CURVE], low[CURVE], high[CURVE];
    PlotPanel *panel = plot_cell(plot, 0, 1, "One budget: too small, right, too large",
                                 plot_log("parameters N", 10, s->best / 12, s->best * 12),
                                 plot_log("test loss above the floor E (nats)", 10, 0, 0));
    if (isnan(s->best)) {
        plot_note(panel, s->no_optimum ? s->no_optimum : "when the law is fitted");
        return;
    }
    for (int i = 0; i < CURVE; i++) {
        x[i] = on_curve(s->best / 6, s->best * 6, i);
        y[i] = law_excess(s->law, x[i], C / (6 * x[i]));
        Interval in = law_expect(s, x[i], C / (6 * x[i]));
        low[i] = in.low, high[i] = in.high;
    }
    plot_band(panel, CURVE, x, low, high,
              (PlotStyle){.label = "90 % of trainings", .color = plot_series(1)});
    plot_line(panel, CURVE, x, y, (PlotStyle){.label = "the law", .color = plot_series(1)});
    plot_rule_x(panel, s->best,
                (PlotStyle){.note = "best N", .color = plot_series(1), .dashed = true, .width = 1});
    for (int i = 0; i < LAW_TESTS; i++)
        plot_spread(panel, s->tested[i].N, law_loss(s, &s->tested[i]),
                    (PlotStyle){.label = i ? NULL : "trained afterwards",
                                .color = PLOT_INK,
                                .shape = PLOT_STAR,
                                .size = 13});
}

/* Lines of equal loss, which the law gives: D for each N. */
static void draw_levels(const LawStudy *s, PlotPanel *panel, double low, double high)
{
    for (int k = 0; k < LEVELS; k++) {
        double level = 0.8 / pow(1.5, k), x[CURVE], y[CURVE];
        for (int i = 0; i < CURVE; i++) {
            x[i] = on_curve(low, high, i);
            double rest = level - s->law.A * pow(x[i], -s->law.alpha);
            y[i] = rest > 0 ? pow(s->law.B / rest, 1 / s->law.beta) : NAN;
        }
        char *text = format_new("%.2f", level);
        plot_line(panel, CURVE, x, y, (PlotStyle){.color = PLOT_GREY, .width = 1.2});
        plot_text(panel, high / 2.4, 1.17 * y[CURVE - 1], text,
                  (PlotStyle){.color = PLOT_GREY, .size = 11});
        free(text);
    }
}

/* The best N for each budget from a ten-thousandth of this one to ten times as much. */
static void draw_best(const LawStudy *s, PlotPanel *panel)
{
    double x[CURVE], y[CURVE], C = law_compute(s);
    for (int i = 0; i < CURVE; i++) { /* at the best N the two slopes are equal */
        double budget = on_curve(1e-4 * C, 10 * C, i),
               power = s->law.beta / (s->law.alpha + s->law.beta);
        x[i] = s->best * pow(budget / C, power);
        y[i] = budget / (6 * x[i]);
    }
    plot_line(panel, CURVE, x, y,
              (PlotStyle){.label = "best for each budget", .color = plot_series(1)});
    plot_line(panel, 2, (double[]){C / 6e7, C / 6e4}, (double[]){1e7, 1e4},
              (PlotStyle){.label = "the budget C = 6·N·D", .color = PLOT_INK, .dashed = true});
}

static void draw_map(const LawStudy *s, Plot *plot)
{
    double low = smallest(s) / 2, high = 8e5, bottom = shortest(s) / 3, top = 2e7;
    PlotPanel *panel = plot_cell(plot, 0, 2, "How to spend a budget",
                                 plot_log("parameters N", 10, low, high),
                                 plot_log("characters D", 10, bottom, top));
    if (s->fitted)
        draw_levels(s, panel, low, high);
    if (!isnan(s->best))
        draw_best(s, panel);
    for (int w = 0; w < LAW_WIDTHS; w++)
        for (int d = 0; d < LAW_SIZES; d++)
            if (law_loss(s, &s->grid[w][d]).count)
                plot_scatter(panel, 1, &s->grid[w][d].N, &s->grid[w][d].D, of_width(w));
    for (int i = 0; i < LAW_TESTS; i++)
        plot_scatter(panel, 1, &s->tested[i].N, &s->tested[i].D,
                     (PlotStyle){.color = PLOT_INK, .shape = PLOT_STAR, .size = 13});
}

void law_draw(const void *study, Plot *plot)
{
    const LawStudy *s = study;
    plot_begin(plot, 1, 3,
               "GPTs with 2 layers on facts · each window once, batch %d · η = %g, cosine · %d "
               "seed%s · E = %.3f",
               s->batch, s->rate, s->seeds, s->seeds > 1 ? "s" : "",
               s->study.lab->data->least_loss);
    draw_losses(s, plot);
    draw_budget(s, plot);
    draw_map(s, plot);
    if (s->fitted)
        plot_footer(plot,
                    "L = E + %.3g/N^%.3g + %.3g/D^%.3g · lines on the left: this law · grey: equal "
                    "loss above E",
                    s->law.A, s->law.alpha, s->law.B, s->law.beta);
    else
        plot_footer(plot, "trained %d models", s->done);
}

/* ---- the tables ---- */

static Interval range(const LawStudy *s, double (*of)(const SizeLaw *))
{
    double v[LAW_DRAWS];
    for (int k = 0; k < LAW_DRAWS; k++)
        v[k] = of(&s->draw[k]);
    return interval_of(v, LAW_DRAWS, 0.9);
}

static double alpha_of(const SizeLaw *l) { return l->alpha; }
static double beta_of(const SizeLaw *l) { return l->beta; }
/* N grows with this power of the budget. */
static double power_of(const SizeLaw *l) { return l->beta / (l->alpha + l->beta); }

static void report_point(const LawStudy *s, const LawPoint *p, bool test)
{
    Spread v = law_loss(s, p);
    if (!v.count)
        return;
    double E = s->study.lab->data->least_loss;
    char *law = s->fitted ? format_new("%8.3f", E + law_excess(s->law, p->N, p->D))
                          : format_new("%8s", "");
    run_say(s->study.lab->run, "  gpt-%d-2-2%*s %9.0f  %10.0f   %.3f (%.3f to %.3f)  %s", p->width,
            p->width < 10 ? 2 : p->width < 100, "", p->N, p->D, E + v.median, E + v.low, E + v.high,
            law);
    free(law);
    run_metrics(s->study.lab->run, "%s,%.0f,%.0f,%.6g,%.6g,%.6g,%.6g", test ? "test" : "fit", p->N,
                p->D, E + v.median, E + v.low, E + v.high,
                s->fitted ? E + law_excess(s->law, p->N, p->D) : NAN);
}

static void report_law(const LawStudy *s)
{
    Run *run = s->study.lab->run;
    Interval a = range(s, alpha_of), b = range(s, beta_of), power = range(s, power_of);
    run_say(run, "L = %.3f + %.3g N^-%.3f + %.3g D^-%.3f, 90 %% intervals:",
            s->study.lab->data->least_loss, s->law.A, s->law.alpha, s->law.B, s->law.beta);
    run_say(run,
            "  alpha %.2f to %.2f   beta %.2f to %.2f   N grows with the budget's power %.2f "
            "(%.2f to %.2f)",
            a.low, a.high, b.low, b.high, power_of(&s->law), power.low, power.high);
}

static void report_test(const LawStudy *s)
{
    Run *run = s->study.lab->run;
    double E = s->study.lab->data->least_loss;
    run_say(run, "a budget of %.3g operations: best with %.0f parameters, the law says. Trained:",
            law_compute(s), s->best);
    for (int i = 0; i < LAW_TESTS; i++)
        report_point(s, &s->tested[i], true);
    const LawPoint *best = &s->tested[LAW_TESTS / 2];
    Spread v = law_loss(s, best);
    Interval in = law_expect(s, best->N, best->D);
    if (v.count)
        run_say(run, "  expected with %.0f parameters: %.3f to %.3f; trained: %.3f: the law %s",
                best->N, E + in.low, E + in.high, E + v.median,
                v.median >= in.low && v.median <= in.high ? "HELD" : "did NOT hold");
}

void law_report(const void *study)
{
    const LawStudy *s = study;
    Run *run = s->study.lab->run;
    if (!s->done)
        return;
    run_metrics_header(run, "what,parameters,characters,loss,lowest,highest,law");
    run_say(run, "  model      parameters  characters   test loss (lowest, highest)  the law's");
    for (int w = 0; w < LAW_WIDTHS; w++)
        for (int d = 0; d < LAW_SIZES; d++)
            report_point(s, &s->grid[w][d], false);
    if (s->fitted)
        report_law(s);
    if (!isnan(s->best))
        report_test(s);
}
