/* plot_demo.c: every kind of figure that plot.h draws, for its tests and for a person to look at.
 *
 *     plot_demo png FOLDER [WIDTH HEIGHT]   the gallery as PNG files
 *     plot_demo window PREFIX               a descent in three panels, driven by keys and mouse;
 *                                           prints the events it gets
 *     plot_demo time                        how long each figure takes to draw
 *     plot_demo show                        the same for lab 1's show on a projector
 */
#include "check.h"
#include "plot_gallery.h"
#include "timer.h"
#include <math.h>
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

/* A surface of 100 × 100 points that turns, and two panels beside it. */
static void time_turning(Plot *plot)
{
    enum { FRAMES = 100 };
    Descent d = {.rate = 0.004, .momentum = 0.95};
    int width, height;
    clock_t before = clock();
    descent_start(&d, -1.7, 1.4);
    for (int k = 0; k < FRAMES; k++) {
        descent_step(&d);
        draw_descent(plot, &d, (PlotCamera){3.6 * k, 30, .zoom = 1});
        plot_image(plot, &width, &height);
    }
    printf("turning    processor %.2f ms per frame\n",
           1e3 * (clock() - before) / CLOCKS_PER_SEC / FRAMES);
}

/* As lab 1's show on a projector: a turning surface with shadows, contours on the floor, two
 * tubes. */
static void time_show(void)
{
    enum { FRAMES = 60, SIDE = 73, POINTS = 120 };
    static double z[SIDE * SIDE], x[POINTS], y[2][POINTS];
    for (int k = 0; k < SIDE * SIDE; k++) {
        double a = k % SIDE / 36.0 - 1, b = k / SIDE / 36.0 - 1;
        z[k] = exp(2 * a * a + b * b + 0.4 * sin(5 * a) * cos(4 * b));
    }
    for (int k = 0; k < POINTS; k++) {
        x[k] = 0.9 - 0.008 * k;
        y[0][k] = 0.8 - 0.007 * k + 0.03 * sin(k);
        y[1][k] = 0.8 - 0.005 * k;
    }
    Plot *plot = plot_new(1280, 720);
    plot_resize(plot, 1920, 1080);
    double least = INFINITY;
    for (int k = 0; k < FRAMES; k++) {
        int width, height;
        clock_t before = clock();
        PlotGrid grid = {SIDE, SIDE, -1, 1, -1, 1, z};
        plot_begin(plot, 1, 1, "A surface on a projector");
        PlotPanel *panel =
            plot_panel(plot, (PlotAxes){.x = {.label = "the path's first direction"},
                                        .y = {.label = "its second"},
                                        .z = {.label = "loss", .log = 10, .low = 0.2, .high = 15},
                                        .shadows = true});
        plot_surface(panel, grid, (PlotCamera){0.3 * k, 28, .zoom = 1});
        plot_contours(panel, grid, (PlotStyle){.width = 1.5});
        for (int path = 0; path < 2; path++)
            plot_line(panel, POINTS, x, y[path],
                      (PlotStyle){.label = path ? "one" : "another",
                                  .width = 6,
                                  .tube = true,
                                  .head = true});
        plot_image(plot, &width, &height);
        least = fmin(least, (double)(clock() - before) / CLOCKS_PER_SEC);
    }
    printf("show       processor %.2f ms for a frame of 1920 x 1080\n", 1e3 * least);
    plot_free(plot);
}

static int time_gallery(void)
{
    Plot *plot = plot_new(1280, 720);
    for (const GalleryFigure *figure = plot_gallery; figure->name; figure++) {
        int width, height, repeats = 20;
        double best = INFINITY, least = INFINITY;
        for (int k = 0; k < repeats; k++) {
            double began = timer_now();
            clock_t before = clock();
            figure->draw(plot);
            plot_image(plot, &width, &height);
            best = fmin(best, timer_now() - began);
            least = fmin(least, (double)(clock() - before) / CLOCKS_PER_SEC);
        }
        printf("%-10s %6.2f ms, processor %6.2f ms\n", figure->name, 1e3 * best, 1e3 * least);
    }
    time_turning(plot);
    time_show();
    plot_free(plot);
    return 0;
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
    if (argc == 2 && !strcmp(argv[1], "time"))
        return time_gallery();
    if (argc == 2 && !strcmp(argv[1], "show")) {
        time_show();
        return 0;
    }
    die(EXIT_USAGE, "plot_demo: png FOLDER [WIDTH HEIGHT], window PREFIX, time or show");
}
