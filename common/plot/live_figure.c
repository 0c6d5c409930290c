/* live_figure.c: the loop behind every window of the course: see live_figure.h. */
#include "live_figure.h"
#include "check.h"
#include "timer.h"
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

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

/* The film's next frame; false: it cannot be written. The window says so, not the film. */
static bool save_frame(Run *run, PlotWindow *window, Plot *plot, int *frames)
{
    char *name = format_new("film/%06d.png", *frames + 1), *path = run_path(run, name);
    bool saved = plot_save(plot, path);
    char *text = saved ? format_new("filming: %.1f s", (double)++*frames / FILM_RATE)
                       : format_new("the film ends here: could not write %s", path);
    plot_window_say(window, text);
    free(text);
    free(path);
    free(name);
    return saved;
}

/* One after the other: a film's time is that of its frames, however long each takes to save. */
static int run_window(Run *run, const LiveFigure *s, PlotWindow *window, Plot *plot)
{
    double before = timer_real();
    int frames = 0;
    bool writes = true;
    if (s->full_screen)
        plot_window_full_screen(window);
    while (handle_events(s, window) && !stop_requested()) {
        double now = timer_real();
        bool filmed = writes && s->filmed && s->filmed(s->context);
        if (s->advance)
            s->advance(s->context, filmed ? 1.0 / FILM_RATE : fmin(now - before, 0.1));
        before = now;
        bool due = !s->changed || s->changed(s->context);
        if (due || plot_window_saves(window)) /* a saved figure is of this moment */
            s->draw(s->context, plot);
        plot_window_show(window);
        if (filmed)
            writes = save_frame(run, window, plot, &frames);
    }
    return frames;
}

/* film.mp4 of its frames, where there is an ffmpeg. */
static void make_film(Run *run, int frames)
{
    char *images = run_path(run, "film/%06d.png"), *film = run_path(run, "film.mp4"),
         *rate = format_new("%d", FILM_RATE), *last = format_new("%d", frames);
    char *const words[] = {"ffmpeg",     "-y",
                           "-loglevel",  "error",
                           "-framerate", rate,
                           "-i",         images,
                           "-frames:v",  last,
                           "-pix_fmt",   "yuv420p",
                           "-vf",        "crop=trunc(iw/2)*2:trunc(ih/2)*2",
                           film,         NULL};
    pid_t child;
    int status = 1;
    bool found = posix_spawnp(&child, words[0], NULL, NULL, words, environ) == 0;
    if (found && waitpid(child, &status, 0) == child && status == 0)
        run_say(run, "film: %s", film);
    else
        run_say(run, "film: %d frames, %s, %d a second (%s)", frames, images, FILM_RATE,
                found ? "ffmpeg could not join them" : "no ffmpeg here to join them");
    free(images);
    free(film);
    free(rate);
    free(last);
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
    if (s->enlarged > 0)
        plot_enlarge(plot, s->enlarged);
    char *saves = run_path(run, "window");
    PlotWindow *window = plot_window_new(plot, s->title, saves, s->keys ? s->keys : plot_keys);
    PlotTimes times = {0};
    int frames = 0;
    if (window) {
        frames = run_window(run, s, window, plot);
        times = plot_window_times(window);
        plot_window_free(window);
    } else if (s->finish)
        s->finish(s->context);
    s->draw(s->context, plot);
    run_figure(run, plot, s->png);
    if (times.frames)
        run_say(run, "first frame after %.2f s; %d frames, frame time p50 %.1f ms, p99 %.1f ms",
                times.first, times.frames, 1000 * times.frame_p50, 1000 * times.frame_p99);
    if (frames)
        make_film(run, frames);
    plot_free(plot);
    free(saves);
    return window != NULL;
}
