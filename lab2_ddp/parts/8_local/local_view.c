/* local_view.c: three panels: the accuracy against H on random shards and on shards split by class;
 * and the change of accuracy against how many times fewer bytes an update sends.
 */
#include "lab2.h"
#include "local_study.h"
#include "quantiles.h"

/* Accuracy over the seeds. */
static Spread spread(const LocalStudy *s, Shards shards, LocalKind kind, int period)
{
    return spread_of(s->accuracy[shards][kind][period], s->seeds);
}

static double fewer(const LocalStudy *s, LocalKind kind, int period)
{
    return s->bytes[LOCAL_PLAIN][0] / s->bytes[kind][period];
}

static PlotStyle dots(LocalKind kind)
{
    static const PlotShape shapes[] = {PLOT_STAR, PLOT_DOT, PLOT_SQUARE, PLOT_DIAMOND,
                                       PLOT_TRIANGLE};
    return (PlotStyle){.color = plot_series(kind), .shape = shapes[kind], .size = 9};
}

static void draw_periods(const LocalStudy *s, Plot *plot, Shards shards)
{
    char text[STUDY_PERIODS][12];
    const char *periods[STUDY_PERIODS];
    for (int i = 0; i < STUDY_PERIODS; i++) {
        snprintf(text[i], sizeof text[i], "%d", study_period[i]);
        periods[i] = text[i];
    }
    PlotPanel *panel = plot_cell(plot, 0, shards, shards_names[shards],
                                 plot_names("updates between two exchanges, H", periods,
                                            STUDY_PERIODS, 0.6),
                                 plot_axis("test accuracy: median, lowest, highest", 0, 0));
    Spread plain = spread(s, shards, LOCAL_PLAIN, 0);
    if (plain.count) {
        double x[] = {-0.6, STUDY_PERIODS - 0.4}, low[] = {plain.low, plain.low},
               high[] = {plain.high, plain.high};
        plot_band(panel, 2, x, low, high, (PlotStyle){.color = plot_series(LOCAL_PLAIN)});
        plot_rule_y(panel, plain.median,
                    (PlotStyle){.color = plot_series(LOCAL_PLAIN), .label = "plain: every update"});
    }
    for (int kind = LOCAL_SGD; kind < LOCAL_KINDS; kind++) {
        double x[STUDY_PERIODS];
        Spread v[STUDY_PERIODS];
        for (int i = 0; i < STUDY_PERIODS; i++) {
            v[i] = spread(s, shards, kind, i);
            x[i] = i + 0.1 * (kind - 2.5);
        }
        PlotStyle style = dots(kind);
        style.width = 1.5;
        style.label = local_names[kind];
        plot_spreads(panel, STUDY_PERIODS, x, v, style);
    }
}

static void draw_bytes(const LocalStudy *s, Plot *plot)
{
    PlotPanel *panel = plot_cell(plot, 0, s->shards, "Saved, and its cost (colours: as left)",
                                 plot_log("times fewer bytes sent than plain", 10, 2, 5e4),
                                 plot_axis("accuracy less plain's (points)", 0, 0));
    plot_rule_y(panel, 0,
                (PlotStyle){.note = "plain", .color = plot_series(LOCAL_PLAIN), .width = 1});
    for (int shards = 0; shards < s->shards; shards++)
        for (int kind = LOCAL_SGD; kind < LOCAL_KINDS; kind++) {
            double x[STUDY_PERIODS], y[STUDY_PERIODS],
                plain = spread(s, shards, LOCAL_PLAIN, 0).median;
            int n = 0;
            for (int i = 0; i < STUDY_PERIODS; i++) {
                Spread v = spread(s, shards, kind, i);
                x[n] = fewer(s, kind, i);
                y[n] = 100 * (v.median - plain);
                n += v.count > 0;
            }
            PlotStyle style = dots(kind);
            plot_line(panel, n, x, y,
                      (PlotStyle){.color = style.color,
                                  .width = 1.5,
                                  .dashed = shards == SHARDS_BY_CLASS});
            plot_scatter(panel, n, x, y, style);
        }
    plot_scatter(panel, 1, (double[]){500}, (double[]){0},
                 (PlotStyle){.shape = PLOT_STAR,
                             .size = 16,
                             .color = plot_series(5),
                             .label = "DiLoCo, language models (published)"});
}

void local_draw(const void *study, Plot *plot)
{
    const LocalStudy *s = study;
    bool shows =
        study_begin(&s->study, plot, 1, s->shards + 1,
                    "%s on %d %s of %s · %d ranks with batches of %d · %d updates · η = %g",
                    s->model, s->images, s->shards == 1 ? "windows" : "images",
                    dataset_title(s->study.lab->data), s->study.lab->comm->size, s->batch,
                    s->updates, s->rate);
    plot_footer(plot, "%sSparseLoCo sends %.1f %% of the elements · trained %d of %d networks",
                s->shards == 1 ? ""
                               : "on the right, solid: random shards, dashed: split by class · ",
                100.0 * s->spec.keep / SPARSE_CHUNK, s->done, local_trainings(s));
    if (!shows)
        return;
    for (int shards = 0; shards < s->shards; shards++)
        draw_periods(s, plot, shards);
    draw_bytes(s, plot);
}

/* ---- the tables ---- */

static void report_row(const LocalStudy *s, Shards shards, LocalKind kind, int period)
{
    Spread v = spread(s, shards, kind, period), plain = spread(s, shards, LOCAL_PLAIN, 0);
    int H = kind ? study_period[period] : 1;
    if (!v.count)
        return;
    run_metrics(s->study.lab->run, "%s,%s,%d,%.6g,%.6g,%.6g,%.6g,%d", shards_names[shards],
                local_names[kind], H, s->bytes[kind][period], v.low, v.median, v.high, v.count);
    run_say(s->study.lab->run, "%-21s  %-17s  %4d  %12.1f  %8.0f   %.3f (%.3f to %.3f)  %+5.1f",
            shards_names[shards], local_names[kind], H, s->bytes[kind][period],
            fewer(s, kind, period), v.median, v.low, v.high, 100 * (v.median - plain.median));
}

/* The most that a method saves without losing more than `points`. */
static void report_saving(const LocalStudy *s, Shards shards, LocalKind kind, double points)
{
    double most = 0, plain = spread(s, shards, LOCAL_PLAIN, 0).median;
    int H = 0;
    for (int i = 0; i < STUDY_PERIODS; i++)
        if (spread(s, shards, kind, i).median >= plain - points / 100 && fewer(s, kind, i) > most) {
            most = fewer(s, kind, i);
            H = study_period[i];
        }
    if (most > 0)
        run_say(s->study.lab->run, "  %-21s  %-17s  %6.0f times fewer bytes (H = %d)",
                shards_names[shards], local_names[kind], most, H);
    else
        run_say(s->study.lab->run, "  %-21s  %-17s  with none of these H", shards_names[shards],
                local_names[kind]);
}

void local_report(const void *study)
{
    const LocalStudy *s = study;
    Run *run = s->study.lab->run;
    int whole = 0;
    for (int shards = 0; shards < s->shards; shards++)
        whole += spread(s, shards, LOCAL_PLAIN, 0).count;
    if (whole == 0)
        return;
    run_say(run,
            "shards                 method                H  bytes/update     fewer   test "
            "accuracy (%d seeds)     less plain's",
            s->seeds);
    run_metrics_header(run, "shards,method,H,bytes_per_update,low,median,high,trainings");
    for (int shards = 0; shards < s->shards; shards++)
        for (int kind = 0; kind < LOCAL_KINDS; kind++)
            for (int i = 0; i < (kind ? STUDY_PERIODS : 1); i++)
                report_row(s, shards, kind, i);
    run_say(run, "at the accuracy of plain, less 1 point at most:");
    for (int shards = 0; shards < s->shards; shards++)
        for (int kind = LOCAL_SGD; kind < LOCAL_KINDS; kind++)
            report_saving(s, shards, kind, 1);
}
