/* grade_figure.c: the points of one submission as bars: earned, in front of the most possible. */
#include "check.h"
#include "grade.h"
#include "plot.h"
#include <math.h>
#include <stdlib.h>

char *grade_figure(const Report *r, const char *path)
{
    double x[CRITERIA], earned[CRITERIA], most[CRITERIA], sum = 0, total = 0, largest = 1;
    const char *names[CRITERIA];
    for (int k = 0; k < CRITERIA; k++) {
        x[k] = k;
        earned[k] = rubric_points(r->rubric, r->findings, k);
        most[k] = r->rubric->criteria[k].points;
        names[k] = r->rubric->criteria[k].name;
        sum += earned[k];
        total += most[k];
        largest = fmax(largest, most[k]);
    }
    Plot *plot = plot_new(1280, 480);
    char *title = format_new("%s · %s · %d ranks, %.0f s · %.1f of %.0f points", r->o->name,
                             r->images, r->o->np, r->budget, sum, total);
    plot_begin(plot, 1, 1, title);
    PlotPanel *panel =
        plot_panel(plot, (PlotAxes){.x = {.names = names,
                                          .names_count = CRITERIA,
                                          .low = -0.6,
                                          .high = CRITERIA - 0.4},
                                    .y = {.label = "points", .low = 0, .high = 1.15 * largest}});
    plot_bars(panel, CRITERIA, x, most, 0.7,
              (PlotStyle){.label = "possible", .color = PLOT_GREY, .opacity = 0.35});
    plot_bars(panel, CRITERIA, x, earned, 0.7,
              (PlotStyle){.label = "earned", .color = plot_series(0)});
    for (int k = 0; k < CRITERIA; k++) {
        const Finding *f = &r->findings[k];
        char *text = f->found && (k == TRAINING || k == VALIDATION)
                       ? format_new("%.1f %% right", 100 * f->accuracy)
                       : NULL;
        if (text)
            plot_text(panel, k - 0.36, most[k] + 1.3, text, (PlotStyle){0});
        free(text);
    }
    char *wrong = plot_write(plot, path);
    plot_free(plot);
    free(title);
    return wrong;
}
