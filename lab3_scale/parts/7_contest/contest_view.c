/* contest_view.c: part 7's figure and table. */
#include "check.h"
#include "contest.h"
#include "printable.h"
#include <math.h>
#include <stdlib.h>

static const char *word(Verdict v)
{
    return v == VERDICT_HOLDS ? "holds" : v == VERDICT_HARMS ? "harms" : "unclear";
}

static void draw_size(const Contest *c, Plot *plot, int size)
{
    const char *names[ROWS];
    double low = INFINITY, high = -INFINITY;
    for (int r = 0; r < ROWS; r++) {
        Spread s = contest_line(c, ROWS - 1 - r, size).result;
        names[r] = contest_name(ROWS - 1 - r);
        low = fmin(low, s.count ? s.low : INFINITY);
        high = fmax(high, s.count ? s.high : -INFINITY);
    }
    /* What never learned would squeeze the rest. (Losses are on a logarithmic axis.) */
    Spread same = contest_line(c, ROW_SAME, size).result;
    if (!c->text)
        low = fmax(low, same.low - (high - same.low));
    char *title = format_new("k = %d: batch %d %s", c->k[size], c->k[size] * c->batch,
                             images_unit(&c->tuned.study.lab->data->train));
    double margin = high > low ? 0.05 * (high - low) : 0.05;
    PlotAxis x = plot_axis("test accuracy: median, lowest, highest", high > low ? low - margin : 0,
                           high > low ? high + margin : 1);
    if (c->text)
        x = plot_log("test loss: median, lowest, highest", 10, 0, 0);
    PlotPanel *p = plot_panel(
        plot,
        (PlotAxes){.column = size,
                   .title = title,
                   .x = x,
                   .y = {.names = names, .names_count = ROWS, .low = -0.6, .high = ROWS - 0.4},
                   .no_legend = true});
    free(title);
    Spread small = contest_line(c, ROW_SMALL, size).result,
           nesterov = contest_line(c, ROW_NESTEROV, size).result;
    double bottom = -INFINITY, top = INFINITY;
    plot_boxes(p, 1, &small.low, &small.high, &bottom, &top,
               (PlotStyle){.color = PLOT_GREY, .opacity = 0.25});
    plot_boxes(p, 1, &nesterov.low, &nesterov.high, &bottom, &top,
               (PlotStyle){.color = plot_series(0), .opacity = 0.1});
    if (c->text) /* on a logarithmic axis the range is too narrow to be seen */
        plot_rule_x(p, small.median, (PlotStyle){.note = "small batch", .color = PLOT_GREY});
    plot_rule_x(p, nesterov.median,
                (PlotStyle){.note = c->text ? "Nesterov" : NULL,
                            .color = PLOT_GREY,
                            .dashed = true,
                            .width = 1});
    for (int r = 0; r < ROWS; r++) {
        ContestLine line = contest_line(c, ROWS - 1 - r, size);
        Spread s = line.result;
        double y = r, x[2] = {s.low, s.high}, ys[2] = {y, y};
        PlotStyle style = {.color = plot_series(0), .size = 9};
        if (ROWS - 1 - r == ROW_SMALL) /* what the others are measured by */
            style.color = PLOT_INK;
        else if (line.nesterov == VERDICT_HOLDS)
            style.color = plot_series(2), style.shape = PLOT_TRIANGLE;
        else if (line.nesterov == VERDICT_HARMS)
            style.color = plot_series(1), style.shape = PLOT_DIAMOND;
        if (!s.count)
            continue;
        plot_line(p, 2, x, ys, (PlotStyle){.color = style.color});
        plot_scatter(p, 1, &s.median, &y, style);
        if (s.median < low - margin && !c->text) {
            char *off = format_new("← %.2f", s.median);
            bool seen = s.high > low; /* its line: then beside that */
            plot_text(p, low - 0.8 * margin, y + 0.4 * seen, off,
                      (PlotStyle){.color = style.color, .size = 12});
            free(off);
        }
    }
}

void contest_draw(const void *contest, Plot *plot)
{
    const Contest *c = contest;
    const Tuned *t = &c->tuned;
    if (!study_begin(&t->study, plot, 1, CONTEST_SIZES,
                     "%s on %s, %d %s, %g epochs · %d rates tried · %d seeds", c->model,
                     dataset_title(t->study.lab->data), c->images,
                     images_unit(&t->study.lab->data->train), c->epochs, t->budget, t->seeds))
        return;
    for (int i = 0; i < CONTEST_SIZES; i++)
        draw_size(c, plot, i);
    plot_footer(plot,
                "grey: small batch; pale blue, dashed: tuned Nesterov. Green triangle: all seeds "
                "%s Nesterov's; vermilion diamond: all %s%s",
                c->text ? "below" : "above", c->text ? "above" : "below",
                c->text ? "" : ". A number: the median, off the axis");
}

static void say(const Contest *c, ContestRow row, int size)
{
    Run *run = c->tuned.study.lab->run;
    ContestLine l = contest_line(c, row, size);
    int width = 18 + printable_extra(contest_name(row));
    if (contest_missing(row)) {
        run_say(run, "  %-*s to do: %s", width, contest_name(row), contest_missing(row));
        return;
    }
    char *closed = row == ROW_SMALL || row == ROW_SAME ? format_new("%8s", "")
                 : isnan(l.closed)                     ? format_new("  no gap")
                                                       : format_new("%6.0f %%", 100 * l.closed);
    run_say(run, "  %-*s %.3f (%.3f-%.3f) %9.4g %s   %-10s %s", width, contest_name(row),
            l.result.median, l.result.low, l.result.high, c->tuned.rate[contest_entry(row, size)],
            closed, row == ROW_SAME ? "" : word(l.same),
            row == ROW_NESTEROV ? "" : word(l.nesterov));
    run_metrics(run, "%d,%s,%.9g,%.6f,%.6f,%.6f,%.4f,%s,%s", row == ROW_SMALL ? 1 : c->k[size],
                contest_name(row), c->tuned.rate[contest_entry(row, size)], l.result.median,
                l.result.low, l.result.high, l.closed, word(l.same), word(l.nesterov));
    free(closed);
}

void contest_report(const void *contest)
{
    const Contest *c = contest;
    Run *run = c->tuned.study.lab->run;
    if (!tuned_complete(&c->tuned))
        return;
    run_metrics_header(run, "k,remedy,rate,median,lowest,highest,closed,against_same_rate,"
                            "against_nesterov");
    for (int i = 0; i < CONTEST_SIZES; i++) {
        run_say(run, "k = %d", c->k[i]);
        run_say(run, "  %-18s %-19s %9s %8s   %-10s %s", "",
                c->text ? "test loss" : "test accuracy", "rate", "closed", "same rate", "Nesterov");
        for (int r = 0; r < ROWS; r++)
            if (i == 0 || r != ROW_SMALL)
                say(c, r, i);
    }
    run_say(run,
            "closed: of the gap between “same rate” and the small batch. holds (harms): all seeds "
            "%s all of the baseline's",
            c->text ? "below (above)" : "above (below)");
}
