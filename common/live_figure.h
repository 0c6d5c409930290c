/* live_figure.h: a figure that changes while the work runs: in a window or, without a display,
 * computed to its end and saved as a PNG.
 *
 *     static void draw(void *state, Plot *plot) { … plot_begin(), panels, marks … }
 *
 *     live_figure_show(run, &(LiveFigure){.title = "Lab 1 · momentum", .picture = "momentum.png",
 *                                         .state = &s, .draw = draw, .event = event,
 *                                         .advance = advance, .finish = finish});
 *
 * Long work runs on a background thread (background_thread.h), so that the window stays at 60
 * frames/s; `draw` and `event` then hold its lock as briefly as they can.
 */
#ifndef LIVE_FIGURE_H
#define LIVE_FIGURE_H
#include "plot.h"
#include "run.h"

typedef struct LiveFigure {
    const char *title;   /* the window's */
    const char *picture; /* file name of the PNG, in the run's folder */
    int width, height;   /* pixels; 0: 1280 × 720 */
    const PlotKey *keys; /* the keys that `?` shows; NULL: plot_keys */
    void *state;         /* passed to the functions below; all but `draw` may be NULL */
    /* Describe the figure as it is now, from plot_begin() on. */
    void (*draw)(void *state, Plot *plot);
    /* Has the figure changed since the last draw? NULL: always. */
    bool (*changed)(void *state);
    /* A key or the mouse; quitting is already handled. */
    void (*event)(void *state, const PlotEvent *e);
    /* `seconds` have passed (at most 0.1): do a few ms of work. */
    void (*advance)(void *state, double seconds);
    /* Without a window: do all the work. */
    void (*finish)(void *state);
} LiveFigure;

/* Show it until the window is closed or a stop is requested (stop_on_signals()); without a window,
 * finish it. Then save the figure, print its path and how regular the frames were. One process
 * calls it: rank 0. True: there was a window. */
bool live_figure_show(Run *run, const LiveFigure *scene);
#endif
