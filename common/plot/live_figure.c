/* live_figure.c: the loop behind every window of the course: see live_figure.h. */
#include "live_figure.h"
#include "check.h"
#include "timer.h"
#include <math.h>
#include <stdlib.h>

static bool handle_events(const LiveFigure *s, PlotWindow *window)
{
    for (PlotEvent e; plot_window_event(window, &e);) {
        if (e.kind == PLOT_QUIT)
            return false;
        if (s->event)
            s->event(s->context, &e);
    }
    return true;
}

static void run_window(const LiveFigure *s, PlotWindow *window, Plot *plot)
{
    double before = timer_real();
    while (handle_events(s, window) && !stop_requested()) {
        double now = timer_real();
        if (s->advance)
            s->advance(s->context, fmin(now - before, 0.1));
        before = now;
        if (!s->changed || s->changed(s->context))
            s->draw(s->context, plot);
        plot_window_show(window);
    }
}

void run_figure(Run *run, Plot *plot, const char *file)
{
    char *path = run_path(run, file), *wrong = plot_write(plot, path);
    if (!wrong)
        run_say(run, "figure: %s", path);
    else if (plot_has_cairo)
        run_fail(run, format_new("no figure: %s", wrong));
    else
        note("no figure: %s", wrong);
    free(wrong);
    free(path);
}

bool live_figure_show(Run *run, const LiveFigure *s)
{
    Plot *plot = plot_new(s->width ? s->width : 1280, s->height ? s->height : 720);
    char *saves = run_path(run, "window");
    PlotWindow *window = plot_window_new(plot, s->title, saves, s->keys ? s->keys : plot_keys);
    PlotTimes times = {0};
    if (window) {
        run_window(s, window, plot);
        times = plot_window_times(window);
        plot_window_free(window);
    } else if (s->finish)
        s->finish(s->context);
    s->draw(s->context, plot);
    run_figure(run, plot, s->png);
    if (times.frames)
        run_say(run, "first frame after %.2f s; %d frames, frame time p50 %.1f ms, p99 %.1f ms",
                times.first, times.frames, 1000 * times.frame_p50, 1000 * times.frame_p99);
    plot_free(plot);
    free(saves);
    return window != NULL;
}
