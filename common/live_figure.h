/* live_figure.h: a live figure: in a window, or, without a display, computed to the end and saved
 * as a PNG.
 *
 *     static void draw(void *context, Plot *plot) { … plot_begin(), panels, marks … }
 *     live_figure_show(run, &(LiveFigure){.title = "Lab 1 · momentum", .png = "momentum.png",
 *                                         .context = &s, .draw = draw, .event = event,
 *                                         .advance = advance, .finish = finish});
 *
 * Long work runs on a background thread (background_thread.h), so that the window stays at 60
 * frames/s; `draw` and `event` then hold its lock as briefly as they can.
 */
#ifndef LIVE_FIGURE_H
#define LIVE_FIGURE_H
#include "plot.h"
#include "run.h"

enum { FILM_RATE = 30 }; /* frames per second */

typedef struct LiveFigure {
    const char *title;   /* of the window */
    const char *png;     /* the file's name, in the run's folder */
    int width, height;   /* pixels; 0: 1280 × 720 */
    bool full_screen;    /* the window begins so */
    double enlarged;     /* times as large text and lines; 0: 1 */
    const PlotKey *keys; /* what `?` shows; NULL: plot_keys */
    void *context;       /* passed to the functions below, of which all but `draw` may be NULL */
    /* Describe the figure as it is now, from plot_begin() on. */
    void (*draw)(void *context, Plot *plot);
    /* Has the figure changed since the last draw? NULL: always. */
    bool (*changed)(void *context);
    /* A key or the mouse; the window itself handles quitting. */
    void (*event)(void *context, const PlotEvent *e);
    /* `seconds` have passed (at most 0.1): a few milliseconds of work. */
    void (*advance)(void *context, double seconds);
    /* Is it being filmed? Then each frame is also saved, FILM_RATE to a second of `advance`, as
     * film/000001.png, … in the run's folder; at the end ffmpeg, if installed, makes film.mp4.
     * NULL: never. */
    bool (*filmed)(void *context);
    /* No window: do all the work. */
    void (*finish)(void *context);
} LiveFigure;

/* Save a figure as `file` in the run's folder, and print its path. If it cannot be written, the run
 * fails, but only in run_close() (run_fail()); without Cairo a line on stderr says so. */
void run_figure(Run *run, Plot *plot, const char *file);

/* Show it until the window is closed or a stop is requested (stop_on_signals()), or, without a
 * window, finish it. Then save the figure (run_figure()), and print the frame times. Only rank 0
 * calls it. True: there was a window. */
bool live_figure_show(Run *run, const LiveFigure *scene);
#endif
