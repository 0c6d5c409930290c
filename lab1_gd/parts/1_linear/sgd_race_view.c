/* sgd_race_view.c: the five panels of a race: the paths; the noise floor against η/B; the loss by
 * updates, by examples and by seconds.
 */
#include "sgd_race.h"
#include <math.h>
#include <stdio.h>

static uint32_t color_of(int racer)
{
    const uint32_t colors[RACERS] = {plot_series(1), plot_series(3), plot_series(5), PLOT_INK};
    return colors[racer];
}

static PlotStyle style_of(const SgdRace *r, int k)
{
    return (PlotStyle){.color = color_of(k), .width = k == r->marked ? 2.8 : 1.6, .dashed = k == 2};
}

static void draw_paths(const SgdRace *r, SgdRaceView *v, PlotPanel *panel)
{
    plot_contours(panel, linear_view_grid(&v->map, &r->noise.all), (PlotStyle){.width = 1});
    for (int k = 0; k < RACERS; k++) {
        PlotStyle style = style_of(r, k);
        char label[64];
        snprintf(label, sizeof label, "batch %d", r->racer[k].batch);
        style.label = label;
        linear_draw_path(panel, sgd_racer_at(r, k) + 1, r->racer[k].w, r->racer[k].b, style);
    }
    linear_draw_solutions(panel, &r->points, &r->noise.all, true);
}

static void draw_floors(const SgdRace *r, PlotPanel *panel)
{
    static const struct {
        SgdSampling how;
        int color;
        PlotShape shape;
    } rows[] = {{SGD_WITH, 0, PLOT_DOT},
                {SGD_WITHOUT, 4, PLOT_TRIANGLE},
                {SGD_SHUFFLED, 2, PLOT_SQUARE}};
    double x[2] = {r->rate / r->points.n, r->rate};
    double y[2] = {sgd_floor_small(&r->noise, x[0], 1), sgd_floor_small(&r->noise, x[1], 1)};
    plot_line(
        panel, 2, x, y,
        (PlotStyle){.label = "η tr(C) / 4B", .color = PLOT_GREY, .width = 1.5, .dashed = true});
    for (int i = 0; i < 3; i++)
        sgd_survey_draw(&r->survey, panel, rows[i].how, true,
                        (PlotStyle){.label = sgd_sampling_name[rows[i].how],
                                    .color = plot_series(rows[i].color),
                                    .shape = rows[i].shape});
}

typedef enum { BY_UPDATES, BY_EXAMPLES, BY_SECONDS } Clock;

/* At each step of the log axis the mean over the last eighth of the updates, in a band from lowest
 * to highest. */
static void draw_losses(const SgdRace *r, PlotPanel *panel, Clock clock)
{
    enum { STEPS = 128 };
    double x[STEPS], mean[STEPS], low[STEPS], high[STEPS];
    for (int k = 0; k < RACERS; k++) {
        const Racer *racer = &r->racer[k];
        int last = sgd_racer_at(r, k), n = 0;
        for (int from = 1, to; from <= last && n < STEPS; from = to, n++) {
            double sum = 0, excess;
            to = from + 1 + from / 16 < last + 1 ? from + 1 + from / 16 : last + 1;
            low[n] = INFINITY, high[n] = 0;
            for (int i = to - 1 - from / 8 > 1 ? to - 1 - from / 8 : 1; i < to; i++) {
                excess = racer->loss[i] - r->noise.lowest;
                low[n] = fmin(low[n], excess);
                high[n] = fmax(high[n], excess);
                sum += excess;
            }
            mean[n] = sum / (to - (to - 1 - from / 8 > 1 ? to - 1 - from / 8 : 1));
            x[n] = clock == BY_UPDATES  ? to - 1
                 : clock == BY_EXAMPLES ? racer->seen[to - 1]
                                        : (to - 1) * racer->seconds;
        }
        PlotStyle style = style_of(r, k);
        plot_band(panel, n, x, low, high, (PlotStyle){.color = style.color, .opacity = 0.18});
        style.head = true;
        plot_line(panel, n, x, mean, style);
        if (clock == BY_UPDATES && racer->floor > 0)
            plot_rule_y(panel, racer->floor,
                        (PlotStyle){.color = style.color, .width = 1.2, .dashed = true});
    }
}

static PlotPanel *loss_panel(const SgdRace *r, Plot *plot, int column, const char *title,
                             const char *label)
{
    double start = r->racer[0].loss[0] - r->noise.lowest;
    return plot_panel(plot, (PlotAxes){.row = 1,
                                       .column = column,
                                       .columns = 2,
                                       .title = title,
                                       .x = plot_log(label, 10, 0, 0),
                                       .y = plot_log("loss − minimum", 10, 3e-5 * start, NAN)});
}

void sgd_race_draw(const SgdRace *r, SgdRaceView *v, Plot *plot, const char *phase)
{
    linear_view_fit(&v->map, &r->noise.all, 1.6, 1, &r->start_w, &r->start_b);
    plot_begin(plot, 2, 6,
               "Linear model · %d points, noise %.2g · batches %d, %d, %d, %d, %s · η = %.4g",
               r->points.n, r->points.noise, r->racer[0].batch, r->racer[1].batch,
               r->racer[2].batch, r->racer[3].batch, sgd_sampling_name[r->sampling], r->rate);
    PlotPanel *paths = plot_panel(plot, (PlotAxes){.columns = 3,
                                                   .title = "Loss over (w, b)",
                                                   .x = linear_view_w(&v->map),
                                                   .y = linear_view_b(&v->map),
                                                   .z = linear_view_loss(&v->map, &r->noise.all)});
    PlotPanel *floors =
        plot_panel(plot, (PlotAxes){.column = 3,
                                    .columns = 3,
                                    .title = "Noise floor: measured (dots), theory (lines)",
                                    .x = {.label = "η/B", .log = 10},
                                    .y = {.label = "mean loss − minimum", .log = 10}});
    draw_paths(r, v, paths);
    draw_floors(r, floors);
    draw_losses(r, loss_panel(r, plot, 0, "By updates (dashed: floor)", "updates"), BY_UPDATES);
    draw_losses(r, loss_panel(r, plot, 2, "By examples", "examples"), BY_EXAMPLES);
    draw_losses(r, loss_panel(r, plot, 4, "By seconds of computing", "seconds"), BY_SECONDS);
    if (r->noise.c[2] == 0)
        plot_note(floors, "no noise: no floor");
    if (r->missing)
        plot_note(paths, r->missing);
    const Racer *m = &r->racer[r->marked];
    plot_footer(plot,
                "update %d · thick: batch %d, %.3g ns per update, loss %.4g (minimum %.4g)%s · "
                "floors: %.0f %% measured · %s",
                r->tick, m->batch, 1e9 * m->seconds, m->loss[sgd_racer_at(r, r->marked)],
                r->noise.lowest, m->lost ? ", DIVERGED" : "", 100 * sgd_survey_done(&r->survey),
                r->tick == RACE_MAX ? "end of the race" : phase);
}
