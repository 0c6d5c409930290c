/* precision_view.c: part 10's figure: the sizes of gradients beside what float16 holds, what
 * rounding makes 0, and the errors, by the number of devices. */
#include "precision_study.h"
#include "quantiles.h"
#include <math.h>
#include <stddef.h>

/* Of one number of each seed's result, `offset` doubles from its start, in percent. */
static Spread spread_at(const PrecisionStudy *s, int row, size_t offset)
{
    double v[PRECISION_SEEDS];
    for (int i = 0; i < s->seeds; i++)
        v[i] = 100 * ((const double *)&s->result[row][i])[offset];
    return spread_of(v, s->seeds);
}
#define PERCENT(s, row, member) \
    spread_at(s, row, offsetof(PrecisionResult, member) / sizeof(double))

/* Of the training in float32, and below which size float16 makes them 0. */
static void draw_sizes(const PrecisionStudy *s, Plot *plot)
{
    PlotPanel *panel = plot_panel(plot,
                                  (PlotAxes){.title = "Sizes of the gradients (float32 training)",
                                             .x = plot_log("size (left of dashes: 0 in float16)", 2,
                                                           ldexp(1, SIZE_LEAST), 0x1p-6),
                                             .y = plot_axis("share of the gradients (%)", 0, NAN),
                                             .no_legend = true});
    const PrecisionResult *r = &s->result[KIND_FLOAT32][0];
    double x[SIZES], y[SIZES], all = 0;
    for (int i = 0; i < SIZES; i++)
        all += r->size[i];
    for (int i = 0; i < SIZES; i++) {
        x[i] = ldexp(M_SQRT2, SIZE_LEAST + i);
        y[i] = 100 * r->size[i] / all;
    }
    if (all > 0)
        /* the first has all that are smaller, too */
        plot_line(panel, SIZES - 1, x + 1, y + 1, (PlotStyle){.color = plot_series(KIND_FLOAT32)});
    for (int d = 0; d < DEVICES; d++) {
        int devices = precision_devices(s, row_of(KIND_FLOAT16, d));
        char note[16];
        snprintf(note, sizeof note, devices == 1 ? "%d device" : "%d", devices);
        plot_rule_x(panel, 0x1p-25 * devices,
                    (PlotStyle){.note = note, .color = PLOT_INK, .dashed = true, .width = 1});
    }
}

/* A panel by the number of devices; the kinds side by side. */
static void draw_kinds(const PrecisionStudy *s, Plot *plot, int column, bool errors)
{
    char text[DEVICES][16];
    const char *names[DEVICES];
    for (int d = 0; d < DEVICES; d++) {
        snprintf(text[d], sizeof text[d], "%d", precision_devices(s, row_of(KIND_FLOAT16, d)));
        names[d] = text[d];
    }
    PlotPanel *panel = plot_cell(plot, 0, column,
                                 errors ? "Test error" : "Gradients that rounding makes 0",
                                 plot_names("devices", names, DEVICES, 0.6),
                                 errors ? plot_axis("error (%)", 0, NAN)
                                        : plot_axis("share of the gradients (%)", -3, 100));
    if (errors)
        plot_rule_y(panel, PERCENT(s, KIND_FLOAT32, test).median,
                    (PlotStyle){.note = "float32", .color = PLOT_GREY, .dashed = true, .width = 1});
    for (int kind = KIND_FLOAT16; kind < KINDS; kind++) {
        double x[DEVICES];
        Spread y[DEVICES];
        for (int d = 0; d < DEVICES; d++) {
            int row = row_of((Kind)kind, d);
            x[d] = d + 0.2 * (kind - KIND_SCALED);
            y[d] = errors ? PERCENT(s, row, test) : PERCENT(s, row, zeroed);
        }
        plot_spreads(panel, DEVICES, x, y,
                     (PlotStyle){.color = plot_series(kind),
                                 .shape = (PlotShape)(kind - KIND_FLOAT16),
                                 .label = kind_names[kind],
                                 .size = 9});
    }
}

void precision_draw(const void *study, Plot *plot)
{
    const PrecisionStudy *s = study;
    bool shows = study_begin(&s->study, plot, 1, 3,
                             "%s on %d images of %s · batch %d · %g epochs · η = %g", s->model,
                             s->images, dataset_title(s->study.lab->data), s->batch, s->epochs,
                             s->rate);
    plot_footer(plot, "trained %d of %d networks", s->done, PRECISION_ROWS * s->seeds);
    if (!shows)
        return;
    draw_sizes(s, plot);
    draw_kinds(s, plot, 1, false);
    draw_kinds(s, plot, 2, true);
}

void precision_report(const void *study)
{
    const PrecisionStudy *s = study;
    Run *run = s->study.lab->run;
    run_say(run, "%d seeds, median (lowest to highest); the last two shares: at the end", s->seeds);
    run_say(run, "%-16s %8s  %-24s %9s %17s %18s", "", "devices", "test error", "left out",
            "gradients made 0", "weights not moved");
    run_metrics_header(run, "kind,devices,seed,test_error,train_error,gradients_zeroed,"
                            "weights_unmoved,scale,updates_left_out");
    for (int row = 0; row < PRECISION_ROWS; row++) {
        Spread test = PERCENT(s, row, test);
        const char *kind = kind_names[kind_of(row)];
        if (test.count < s->seeds)
            run_say(run, "%-16s %8d  %d of %d seeds trained", kind, precision_devices(s, row),
                    test.count, s->seeds);
        else
            run_say(run, "%-16s %8d  %5.1f %% (%.1f to %.1f)    %9.0f %15.1f %% %16.1f %%", kind,
                    precision_devices(s, row), test.median, test.low, test.high,
                    s->result[row][0].left_out, PERCENT(s, row, zeroed).median,
                    PERCENT(s, row, unmoved).median);
        for (int i = 0; i < s->seeds; i++) {
            const PrecisionResult *v = &s->result[row][i];
            if (isnan(v->test))
                continue;
            run_metrics(run, "%s,%d,%llu,%.6g,%.6g,%.6g,%.6g,%g,%.0f", kind,
                        precision_devices(s, row), (unsigned long long)s->seed + i, v->test,
                        v->train, v->zeroed, v->unmoved, v->scale, v->left_out);
        }
    }
}
