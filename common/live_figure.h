/* live_figure.h: a figure that lives: in a window, or, where there is none, worked out to its end
 * and saved as a PNG.
 *
 *     static void draw(void *state, Plot *plot) { … plot_begin(), panels, marks … }
 *     live_figure_show(run, &(LiveFigure){.title = "Lab 1 · momentum", .picture = "momentum.png",
 *     .state = &s, .draw = draw,
 *                              .event = event, .advance = advance, .finish = finish});
 *
 * Long work goes to a thread of its own (background_thread.h), so that the window stays at 60
 * frames/s; `draw` and `event` then hold its lock as briefly as they can.
 */
#ifndef LIVE_FIGURE_H
#define LIVE_FIGURE_H
#include "plot.h"
#include "run.h"

typedef struct LiveFigure {
    const char *title, *picture;                    /* of the window; of the PNG, in the run's
                                                     * folder */
    int width, height;                              /* pixels; 0: 1280 × 720 */
    const PlotKey *keys;                            /* what `?` shows; NULL: plot_keys */
    void *state;                                    /* given to the functions below; all but
                                                     * `draw` may be NULL */
    void (*draw)(void *state, Plot *plot);          /* describe the picture as it is now, from
                                                     * plot_begin() on */
    bool (*changed)(void *state);                   /* is the picture another than at the last
                                                     * draw? NULL: always */
    void (*event)(void *state, const PlotEvent *e); /* a key or the mouse; quitting is seen to */
    void (*advance)(void *state, double seconds);   /* so much time has passed (at most 0.1 s):
                                                     * work of a few ms */
    void (*finish)(void *state);                    /* there is no window: do all the work */
} LiveFigure;

/* Show it until the window is closed or a stop is asked for (stop_on_signals()), or finish it; then
 * save the picture and say where it is, and how regular the frames were. One process calls it: rank
 * 0. True: there was a window. */
bool live_figure_show(Run *run, const LiveFigure *scene);
#endif
