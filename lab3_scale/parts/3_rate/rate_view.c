/* rate_view.c: part 3's figure: test errors by rule, the spread of an update by rule, and the
 * losses of the starts. */
#include "check.h"
#include "printable.h"
#include "quantiles.h"
#include "rate_study.h"
#include <math.h>
#include <stdlib.h>

static Spread errors_of(const RateStudy *s, int k, int way)
{
    double v[RATE_SEEDS];
    for (int i = 0; i < s->seeds; i++)
        v[i] = (s->text ? 1 : 100) * s->error[k][way][i];
    return spread_of(v, s->seeds);
}

static void draw_errors(const RateStudy *s, Plot *plot)
{
    char text[RATE_KS][16];
    const char *names[RATE_KS];
    for (int k = 0; k < RATE_KS; k++) {
        snprintf(text[k], sizeof text[k], "%d", s->k[k]);
        names[k] = text[k];
    }
    PlotPanel *panel =
        plot_cell(plot, 0, 0,
                  s->text ? "Test loss: median, lowest, highest"
                          : "Test error: median, lowest, highest",
                  plot_names("k: the batch is k times as large", names, RATE_KS, 0.6),
                  s->text ? plot_log("test loss", 2, 0, 0) : plot_axis("test error (%)", 0, 0));
    Spread small = errors_of(s, 0, 0);
    char note[40];
    snprintf(note, sizeof note, s->text ? "small batch: %.2f" : "small batch: %.1f %%",
             small.median);
    plot_rule_y(panel, small.median,
                (PlotStyle){.note = note, .color = PLOT_GREY, .dashed = true, .width = 1});
    for (int way = 0; way < RATE_WAYS; way++)
        for (int k = 0; k < RATE_KS; k++) {
            Spread v = errors_of(s, k, k ? way : 0);
            plot_spread(panel, k + (k ? 0.18 * (way - 1.5) : 0), v,
                        (PlotStyle){.color = k ? plot_series(way) : PLOT_INK,
                                    .shape = (PlotShape)(k ? way : 0),
                                    .size = 9,
                                    .label = k == 1             ? rate_way_name(s, way)
                                           : k == 0 && way == 0 ? "small batch"
                                                                : NULL});
        }
}

static void draw_spread(const RateStudy *s, Plot *plot)
{
    static const char *const names[] = {"same rate: 1/k", "rate × √k: 1", "rate × k: k"};
    double largest = s->k[RATE_KS - 1];
    PlotPanel *panel = plot_cell(plot, 0, 1, "√k keeps the noise of an update",
                                 plot_log("k: the batch is k times as large", 2, 0.8,
                                          1.3 * largest),
                                 plot_log("trace of cov(Δw), small batch: 1", 10, 0, 0));
    for (int rule = 0; rule < SCALE_RULES; rule++) {
        double x[2] = {1, largest}, y[2] = {1, pow(largest, rule - 1)}, at[RATE_KS], v[RATE_KS];
        for (int k = 0; k < RATE_KS; k++) {
            at[k] = s->k[k];
            v[k] = s->spread[k][rule];
        }
        plot_line(panel, 2, x, y, (PlotStyle){.color = plot_series(rule), .width = 1.5});
        plot_scatter(panel, RATE_KS, at, v,
                     (PlotStyle){.color = plot_series(rule),
                                 .shape = (PlotShape)rule,
                                 .size = 9,
                                 .label = names[rule]});
    }
}

static int converged(const RateStudy *s, int arm, int *trained)
{
    int count = *trained = 0;
    for (int i = 0; i < s->starts; i++) {
        count += rate_converged(s, s->start[arm][i]);
        *trained += !isnan(s->start[arm][i].result);
    }
    return count;
}

static void draw_starts(const RateStudy *s, Plot *plot)
{
    double x[START_PARTS];
    PlotPanel *panel = plot_cell(plot, 0, s->text ? 1 : 2, "Each start, without and with a warm-up",
                                 plot_axis("epochs", 0, s->start_epochs),
                                 plot_axis("training loss", 0, s->text ? 0 : 4));
    plot_rule_y(panel, s->text ? s->frequencies : log(10),
                (PlotStyle){.label = s->text ? "frequencies alone" : "ln 10: a guess",
                            .color = PLOT_GREY,
                            .dashed = true,
                            .width = 1});
    for (int part = 0; part < START_PARTS; part++)
        x[part] = s->start_epochs * (part + 0.5) / START_PARTS;
    const uint32_t colors[] = {PLOT_GREY, PLOT_INK, plot_series(4), plot_series(5)}; /* no rule's */
    for (int arm = 0; arm < rate_arms(s); arm++) {
        int trained, well = converged(s, arm, &trained);
        char *label = format_new("%s: %d of %d converge", rate_arm_name(s, arm), well, trained);
        PlotStyle style = {
            .color = colors[arm], .dashed = arm == 2, .width = 1.2, .opacity = 0.7, .label = label};
        for (int i = 0; i < s->starts; i++, style.label = NULL)
            plot_line(panel, START_PARTS, x, s->start[arm][i].loss, style);
        free(label);
    }
}

void rate_draw(const void *study, Plot *plot)
{
    const RateStudy *s = study;
    bool shows =
        study_begin(&s->study, plot, 1, s->text ? 2 : 3,
                    "%s on %d %s of %s, batch %d, η = %g · right: %s, batch %d, η = %g × %g",
                    s->model, s->images, images_unit(&s->study.lab->data->train),
                    dataset_title(s->study.lab->data), s->batch, s->rate, s->start_model,
                    s->start_batch, s->start_base, s->start_k);
    plot_footer(plot, "%strained %d of %d networks",
                s->text ? "" : "middle: lines by the formula, points measured · ", s->done,
                RATE_KS * RATE_WAYS * s->seeds + rate_arms(s) * s->starts);
    if (!shows)
        return;
    draw_errors(s, plot);
    if (!s->text)
        draw_spread(s, plot);
    draw_starts(s, plot);
}

static void report_starts(const RateStudy *s)
{
    Run *run = s->study.lab->run;
    for (int arm = 0; arm < rate_arms(s); arm++) {
        int trained, well = converged(s, arm, &trained);
        double result[RATE_SEEDS];
        for (int i = 0; i < s->starts; i++) {
            result[i] = s->start[arm][i].result;
            run_metrics(run, "start,%g,%s,%llu,%.6g", s->start_k, rate_arm_name(s, arm),
                        (unsigned long long)s->seed + i, result[i]);
        }
        Spread v = spread_of(result, s->starts);
        run_say(run, "%-20s %2d of %d converge   test %s %.3f to %.3f", rate_arm_name(s, arm), well,
                trained, s->text ? "loss" : "accuracy", v.low, v.high);
    }
}

void rate_report(const void *study)
{
    const RateStudy *s = study;
    Run *run = s->study.lab->run;
    run_metrics_header(run, "what,k,way,seed,value");
    run_say(run, "test %s: median (lowest to highest) of %d seeds", s->text ? "loss" : "error",
            s->seeds);
    for (int k = 0; k < RATE_KS; k++)
        for (int way = 0; way < (s->k[k] == 1 ? 1 : RATE_WAYS); way++) {
            Spread v = errors_of(s, k, way);
            const char *name = s->k[k] == 1 ? "small batch" : rate_way_name(s, way);
            run_say(run,
                    s->text ? "  k = %-3d %-*s %.3f (%.3f to %.3f)"
                            : "  k = %-3d %-*s %5.1f %% (%.1f to %.1f)",
                    s->k[k], 18 + printable_extra(name), name, v.median, v.low, v.high);
            for (int i = 0; i < s->seeds; i++)
                run_metrics(run, "error,%d,%s,%llu,%.6g", s->k[k], rate_way_name(s, way),
                            (unsigned long long)s->seed + i, s->error[k][way][i]);
        }
    const char *to_do = s->text ? NULL : exercise_missing("3c_update_spread");
    bool spread = !s->text && !to_do;
    if (to_do)
        run_say(run, "without the covariance of an update: %s", to_do);
    if (spread)
        run_say(run, "covariance of an update against k = 1: same rate, √k, k");
    for (int k = 1; k < RATE_KS && spread; k++) {
        run_say(run, "  k = %-3d %.3f  %.3f  %.2f", s->k[k], s->spread[k][0], s->spread[k][1],
                s->spread[k][2]);
        for (int rule = 0; rule < SCALE_RULES; rule++)
            run_metrics(run, "covariance,%d,%s,%llu,%.6g", s->k[k], rate_way_name(s, rule),
                        (unsigned long long)s->seed, s->spread[k][rule]);
    }
    report_starts(s);
}
