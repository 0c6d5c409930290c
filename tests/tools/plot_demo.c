/* plot_demo.c: every kind of figure that plot.h draws, for its tests and for a person to look at.
 *
 *     plot_demo png FOLDER [WIDTH HEIGHT]   the gallery as PNG files
 *     plot_demo window PREFIX               a descent in three panels, driven by keys and mouse;
 *                                           prints the events it gets
 */
#include "check.h"
#include "plot_gallery.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int save_gallery(const char *folder, int width, int height)
{
    Plot *plot = plot_new(width, height);
    bool saved = true;
    for (const GalleryFigure *figure = plot_gallery; figure->name; figure++) {
        char *path = format_new("%s/%s.png", folder, figure->name);
        figure->draw(plot);
        if ((saved &= plot_save(plot, path)))
            printf("%s\n", path);
        free(path);
    }
    plot_free(plot);
    return saved ? 0 : EXIT_USAGE;
}

/* ---- The window ---- */

typedef struct State {
    Descent descent;
    PlotCamera camera;
    bool paused, on;
} State;

static void press(State *s, char key)
{
    Descent *d = &s->descent;
    printf("key '%c'\n", key);
    switch (key) {
    case ' ': s->paused = !s->paused; break;
    case '.': descent_step(d); break;
    case ',': d->steps -= d->steps > 1; break;
    case '[': d->rate /= 1.25; break;
    case ']': d->rate *= 1.25; break;
    case 'r': descent_start(d, -1.7, 1.4); break;
    }
}

static void handle(State *s, const PlotEvent *event)
{
    static const char *const name[] = {"key", "click", "drag", "wheel", "quit"};
    if (event->kind == PLOT_KEY)
        press(s, event->key);
    else
        printf("%s panel %d\n", name[event->kind], event->panel);
    if (event->kind == PLOT_CLICK && event->x >= -2 && event->x <= 2 && event->panel <= 1) {
        printf("start %.3f %.3f\n", event->x, event->y);
        descent_start(&s->descent, event->x, event->y);
    }
    if (event->panel == 0 && plot_camera_move(&s->camera, event))
        printf("camera azimuth %.1f elevation %.1f zoom %.2f\n", s->camera.azimuth,
               s->camera.elevation, s->camera.zoom);
    s->on &= event->kind != PLOT_QUIT;
    printf("state rate %.4f step %d paused %d\n", s->descent.rate, s->descent.steps - 1, s->paused);
    fflush(stdout);
}

static int run_window(const char *prefix)
{
    State state = {.descent = {.rate = 0.004, .momentum = 0.95}, .on = true};
    descent_start(&state.descent, -1.7, 1.4);
    Plot *plot = plot_new(1280, 720);
    PlotWindow *window = plot_window_new(plot, "plot demo", prefix, plot_keys);
    while (window && state.on) {
        for (PlotEvent event; plot_window_event(window, &event);)
            handle(&state, &event);
        if (!state.paused)
            descent_step(&state.descent);
        if (!state.paused && state.descent.steps == STEPS)
            descent_start(&state.descent, -1.7, 1.4);
        draw_descent(plot, &state.descent, state.camera);
        plot_window_show(window);
        PlotTimes t = plot_window_times(window);
        if (t.frames == 1)
            printf("first frame after %.3f s\n", t.first);
        fflush(stdout);
    }
    PlotTimes t = plot_window_times(window);
    if (window)
        printf("frames %d: frame p50 %.1f ms p99 %.1f ms, draw p50 %.1f ms p99 %.1f ms, processor "
               "%.1f ms per frame\n",
               t.frames, 1e3 * t.frame_p50, 1e3 * t.frame_p99, 1e3 * t.draw_p50, 1e3 * t.draw_p99,
               1e3 * clock() / CLOCKS_PER_SEC / t.frames);
    plot_window_free(window);
    bool saved = true;
    if (!window) {
        char *path = format_new("%s.png", prefix);
        draw_descent(plot, &state.descent, state.camera);
        saved = plot_save(plot, path);
        free(path);
    }
    plot_free(plot);
    return saved ? 0 : EXIT_USAGE;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "window"))
        return run_window(argv[2]);
    if ((argc == 3 || argc == 5) && !strcmp(argv[1], "png"))
        return save_gallery(argv[2], argc == 5 ? atoi(argv[3]) : 1280,
                            argc == 5 ? atoi(argv[4]) : 720);
    die(EXIT_USAGE, "plot_demo: png FOLDER [WIDTH HEIGHT] or window PREFIX");
}
