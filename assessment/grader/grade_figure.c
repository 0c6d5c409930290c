/* grade_figure.c: how one submission learned, from batches that the grader computed again, and when
 * its ranks worked, from their messages. None of it is reported by the submission.
 */
#include "check.h"
#include "grade.h"
#include "number.h"
#include "plot.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sorted by images: the draws are not. */
static int sorted(const Course *c, double *x, double *y)
{
    for (int i = 0; i < c->points; i++) {
        int at = i;
        for (; at > 0 && x[at - 1] > c->images[i]; at--) {
            x[at] = x[at - 1];
            y[at] = y[at - 1];
        }
        x[at] = c->images[i];
        y[at] = 100 * c->right[i];
    }
    return c->points;
}

static void draw_learning(const Report *r, Plot *plot)
{
    double x[COURSE_POINTS], y[COURSE_POINTS], end = fmax(r->trained, 1);
    int n = sorted(&r->course, x, y);
    PlotPanel *panel = plot_panel(plot,
                                  (PlotAxes){.title = "Right answers, computed again by the grader",
                                             .x = {.label = "images trained on",
                                                   .low = 0,
                                                   .high = 1.08 * fmax(end, r->allowed)},
                                             .y = {.label = "right (%)", .high = 100}});
    plot_line(panel, n, x, y, (PlotStyle){.color = plot_series(0), .width = 1, .opacity = 0.5});
    plot_scatter(panel, n, x, y,
                 (PlotStyle){.label = "batches, recomputed", .color = plot_series(0)});
    for (int k = TRAINING; k <= VALIDATION; k++) {
        const Finding *f = &r->findings[k];
        double right = 100 * f->accuracy;
        if (f->found && f->accuracy > 0)
            plot_scatter(panel, 1, &end, &right,
                         (PlotStyle){.label = k == TRAINING ? "training images, at the end"
                                                            : "images never seen",
                                     .color = plot_series(k == TRAINING ? 2 : 1),
                                     .shape = k == TRAINING ? PLOT_TRIANGLE : PLOT_STAR,
                                     .size = k == TRAINING ? 20 : 12}); /* they may coincide */
    }
    char allowed[48], full[48], have[27];
    double wanted = 100 * r->rubric->criteria[VALIDATION].at_least;
    snprintf(full, sizeof full, "full points: %.4g %%", wanted);
    snprintf(allowed, sizeof allowed, "allowed: %s", commas(have, (uint64_t)r->allowed));
    plot_rule_y(panel, wanted,
                (PlotStyle){.note = full, .color = PLOT_GREY, .dashed = true, .head = true});
    plot_rule_x(panel, r->allowed,
                (PlotStyle){.note = allowed, .color = plot_series(3), .dashed = true});
    if (!n)
        plot_note(panel, "no update that the grader could recompute");
}

static void draw_times(const Report *r, Plot *plot)
{
    const Course *c = &r->course;
    PlotPanel *panel = plot_panel(plot,
                                  (PlotAxes){.column = 1,
                                             .title = "Images per second of each rank",
                                             .x = {.label = "time since the start (s)",
                                                   .low = 0,
                                                   .high = 1.08 * fmax(r->budget, r->seconds)},
                                             .y = {.label = "images/s", .low = 0, .high = NAN}});
    double x[2 * COURSE_SLOTS], y[2 * COURSE_SLOTS];
    bool any = false;
    for (int rank = 0; rank < r->o->np; rank++) {
        int n = 0;
        for (int slot = 0; slot < COURSE_SLOTS && slot * c->slot < r->seconds; slot++)
            for (int edge = 0; edge < 2; edge++) {
                x[n] = (slot + edge) * c->slot;
                y[n++] = c->worked[rank][slot] / c->slot;
                any = any || c->worked[rank][slot] > 0;
            }
        char *label = format_new("rank %d", rank);
        /* The first ranks' lines are wider: where all are equal, all are seen. */
        plot_line(panel, n, x, y,
                  (PlotStyle){.label = rank < 8 ? label : NULL,
                              .color = plot_series(rank),
                              .width = 1.5 + 5.0 * (r->o->np - 1 - rank) / r->o->np});
        free(label);
    }
    char budget[32], over[32];
    snprintf(budget, sizeof budget, "budget %.0f s", r->budget);
    snprintf(over, sizeof over, "finished: %.0f s", r->seconds);
    plot_rule_x(panel, r->budget, (PlotStyle){.note = budget, .color = PLOT_GREY, .dashed = true});
    if (r->seconds > 0)
        plot_rule_x(panel, r->seconds, (PlotStyle){.note = over, .color = PLOT_INK});
    if (!any)
        plot_note(panel, "no rank computed a gradient");
}

char *grade_figure(const Report *r, const char *path)
{
    double most, sum = report_total(r, &most);
    const char *file = strrchr(r->o->name, '/');
    Plot *plot = plot_new(1280, 560);
    plot_begin(plot, 1, 2, "%s · %s · %d ranks, %.0f s · %.1f of %.0f points",
               file ? file + 1 : r->o->name, r->images, r->o->np, r->budget, sum, most);
    draw_learning(r, plot);
    draw_times(r, plot);
    char *wrong = plot_write(plot, path);
    plot_free(plot);
    return wrong;
}
