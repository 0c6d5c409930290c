/* plot.h: figures. A figure is drawn into one image in memory (Cairo); the window (SDL2) and the
 * PNG show that same image.
 *
 * Every figure is described again, from plot_begin() on. Nothing is drawn before it is shown or
 * saved, so the axes can fit all their data:
 *
 *     Plot *plot = plot_new(1280, 720);
 *     plot_begin(plot, 1, 2, "Linear model · 100 points · full batch · η = 0.1");
 *     PlotPanel *data = plot_panel(plot, (PlotAxes){
 *         .title = "Data", .x.label = "x", .y.label = "y"});
 *     plot_scatter(data, n, x, y, (PlotStyle){.label = "100 points"});
 *     PlotPanel *loss = plot_panel(plot, (PlotAxes){
 *         .column = 1, .title = "Loss", .x.label = "update", .y.label = "squared error",
 *         .y.log = 10});
 *     plot_line(loss, steps, NULL, value, (PlotStyle){.label = "training"});
 *     plot_save(plot, "build/out/descent/loss.png");
 *     plot_free(plot);
 *
 * Arrays and strings are copied. NaN, infinite, and on a log axis non-positive values leave a gap
 * and do not affect the axes. Text is UTF-8 (η, ∂, 10⁻³ work). Only one thread at a time may use a
 * Plot. Without Cairo everything is accepted and nothing is drawn; plot_save() reports it.
 */
#ifndef PLOT_H
#define PLOT_H
#include "quantiles.h"
#include <stdbool.h>
#include <stdint.h>

/* ---- Colours: 0xRRGGBB ---- */
enum { PLOT_INK = 0x24292f, PLOT_GREY = 0x8c959f, PLOT_WHITE = 0xffffff };
/* Series colours that colour-blind people can tell apart (Okabe & Ito 2008), repeating after seven:
 * blue, vermilion, green, purple, orange, sky, grey. */
uint32_t plot_series(int i);
uint32_t plot_shade(int i); /* of five in order, from dark to light */
/* That of a phase of an update, the same in all figures: "load", "forward", "backward", "exchange"
 * or "all-reduce", "update"; grey for others, such as waiting. */
uint32_t plot_phase(const char *name);
/* Maps for values: lightness grows evenly from dark (0) to light (1), so they also work in grey and
 * for colour-blind readers. */
typedef enum { PLOT_VIRIDIS, PLOT_CIVIDIS } PlotMap;
/* position in [0, 1], clamped; NaN: PLOT_GREY */
uint32_t plot_map_color(PlotMap map, double position);

/* ---- A figure, and its panels ---- */
typedef struct Plot Plot;
typedef struct PlotPanel PlotPanel;

/* In pixels; text and lines are sized for 1280 × 720 and scale with the image. */
Plot *plot_new(int width, int height);
/* Text and lines `times` as large, for an audience; until plot_free(). */
void plot_enlarge(Plot *plot, double times);
void plot_free(Plot *plot);
/* Start over: an empty figure of rows × columns cells. The title, a format as printf's, names data,
 * model, batch, rate. */
void plot_begin(Plot *plot, int rows, int columns, const char *title, ...)
    __attribute__((format(printf, 4, 5)));
/* One line under all panels, a format, too: the state of the run. */
void plot_footer(Plot *plot, const char *text, ...) __attribute__((format(printf, 2, 3)));

typedef struct PlotAxis {
    const char *label;        /* quantity and unit: "time (s)" */
    int log;                  /* 0: linear; 10 or 2: logarithmic, ticks at its powers */
    double low, high;         /* low == high: both ends from the data; one of them NAN: that end
                               * from the data */
    const char *const *names; /* categories: names[i] labels the value i, instead of numbers */
    int names_count;
    double first; /* inside: the smallest value shown, where ticks at powers of 2 begin */
} PlotAxis;

typedef struct PlotAxes {
    int row, column, rows, columns; /* first cell; rows and columns covered (0: 1) */
    const char *title;
    PlotAxis x, y, z; /* z: the value of heat map, contours and surface; equal limits give
                       * equal colours */
    PlotMap map;
    bool no_legend; /* else what has a label is listed above the panel */
    bool shadows;   /* on a surface, from a lamp at the left */
} PlotAxes;
PlotPanel *plot_panel(Plot *plot, PlotAxes axes); /* lives until the next plot_begin() */
/* The usual one: a cell, and two axes. */
PlotPanel *plot_cell(Plot *plot, int row, int column, const char *title, PlotAxis x, PlotAxis y);
PlotAxis plot_axis(const char *label, double low, double high); /* limits as in PlotAxis */
PlotAxis plot_log(const char *label, int base, double low, double high);
/* Categories; `margin` is left before the first and behind the last. */
PlotAxis plot_names(const char *label, const char *const *names, int count, double margin);

/* ---- Marks, drawn in the order of the calls. In a panel with a surface, lines, points and text
 * lie on that surface. ---- */
typedef enum {
    PLOT_DOT,
    PLOT_SQUARE,
    PLOT_DIAMOND,
    PLOT_TRIANGLE,
    PLOT_CROSS,
    PLOT_STAR
} PlotShape;

typedef struct PlotStyle {
    const char *label; /* in the legend; NULL: not listed */
    const char *hover; /* shown for its points under the pointer; NULL: their values */
    const char *note;  /* of a rule: written along it, at its upper or right end */
    uint32_t color;    /* 0: the next series colour */
    double width;      /* of a line; 0: 2 */
    double size;       /* of a point, 0: 7; of text, 0: 13 */
    double opacity;    /* 0: 1; of a band 0: 0.2 */
    bool dashed;       /* lines */
    bool head;         /* a line's last point gets a dot: where the run is now; a rule's
                        * note stands at its left end */
    bool tube;       /* on a surface: a lit tube, a ball for its head, their shadow on the floor */
    PlotShape shape; /* points */
} PlotStyle;

/* n points (x[i], y[i]); x NULL: 0, 1, 2, … */
void plot_line(PlotPanel *panel, int n, const double *x, const double *y, PlotStyle style);
void plot_scatter(PlotPanel *panel, int n, const double *x, const double *y, PlotStyle style);
/* A spread: the area between low and high, or error bars from low to high. */
void plot_band(PlotPanel *panel, int n, const double *x, const double *low, const double *high,
               PlotStyle style);
void plot_errors(PlotPanel *panel, int n, const double *x, const double *low, const double *high,
                 PlotStyle style);
/* Medians as points, with error bars from lowest to highest; style.width: of a line that joins the
 * points; 0: none. */
void plot_spreads(PlotPanel *panel, int n, const double *x, const Spread *y, PlotStyle style);
void plot_spread(PlotPanel *panel, double x, Spread y, PlotStyle style); /* one */
/* Bars on zero around each x, `width` wide in units of x. */
void plot_bars(PlotPanel *panel, int n, const double *x, const double *height, double width,
               PlotStyle style);
/* Filled rectangles [x0, x1] × [y0, y1]: timelines, ranges. An infinite edge is the panel's. */
void plot_boxes(PlotPanel *panel, int n, const double *x0, const double *x1, const double *y0,
                const double *y1, PlotStyle style);
/* a vertical line at x, from edge to edge */
void plot_rule_x(PlotPanel *panel, double x, PlotStyle style);
void plot_rule_y(PlotPanel *panel, double y, PlotStyle style); /* a horizontal one at y */
/* starts to the right of the point; on a surface bold, and with `head` to its left */
void plot_text(PlotPanel *panel, double x, double y, const char *text, PlotStyle style);
/* A box in the middle of the panel ("TODO in FILE"); '\n' breaks lines. */
void plot_note(PlotPanel *panel, const char *text);

/* z over a rectangle: z[j * nx + i] belongs to x_low + i (x_high - x_low) / (nx - 1) and
 * y_low + j (y_high - y_low) / (ny - 1). nx, ny >= 2. NaN: unknown, left blank. */
typedef struct PlotGrid {
    int nx, ny;
    double x_low, x_high, y_low, y_high;
    const double *z;
} PlotGrid;
void plot_heat(PlotPanel *panel, PlotGrid grid); /* with a colour bar */
/* At ticks of z, labelled; color 0: the map's. Behind a surface they lie on its floor, without
 * labels. */
void plot_contours(PlotPanel *panel, PlotGrid grid, PlotStyle style);

typedef struct PlotCamera {
    double azimuth, elevation; /* degrees; both 0: 35, 30 */
    double zoom;               /* 0: 1 */
    double wide;               /* the box's width along x, its depth along y being 1; 0: 1 */
} PlotCamera;
/* at most one per panel; cut off above the z axis */
void plot_surface(PlotPanel *panel, PlotGrid grid, PlotCamera camera);

/* ---- Output ---- */
/* The figure as a PNG: folders are created, the file appears whole or not at all. Returns NULL, or
 * an error message (free() it). Without Cairo (plot_has_cairo) the program has not failed. */
char *plot_write(Plot *plot, const char *path);
extern const bool plot_has_cairo;
/* The same; on failure false, and one line on stderr says why. */
bool plot_save(Plot *plot, const char *path);
/* rows of 0xffRRGGBB; NULL without Cairo */
const uint32_t *plot_image(Plot *plot, int *width, int *height);
/* The same figure at another size (a window does this itself). */
void plot_resize(Plot *plot, int width, int height);

/* ---- The window. Without a display plot_window_new() says why on stderr and returns NULL: then
 * save PNGs. ----
 *
 *     PlotWindow *window = plot_window_new(plot, "Lab 1", "build/out/descent/window", plot_keys);
 *     for (bool on = window; on;) {
 *         for (PlotEvent event; plot_window_event(window, &event);)
 *             on &= state_event(&state, &event);           // false on PLOT_QUIT
 *         state_step(&state);                              // or a thread does it
 *         state_draw(&state, plot);                        // plot_begin(), panels, marks
 *         plot_window_show(window);                        // 60 times a second
 *     }
 *     plot_window_free(window);                            // before plot_free()
 */
typedef struct PlotWindow PlotWindow;

typedef struct PlotKey {
    const char *key, *does; /* "[ ]", "learning rate"; a list ends with {NULL, NULL} */
} PlotKey;
extern const PlotKey plot_keys[]; /* what a key does in all programs that have it */

/* The window itself handles resizing, F11 (full screen), Tab (one panel fills it), `?` (all keys,
 * the program's and these), `s` (saves PREFIX-1.png, PREFIX-2.png, …) and the pointer: the values
 * under it are shown. With HEADLESS=1 in the environment there is no window. */
PlotWindow *plot_window_new(Plot *plot, const char *title, const char *save_prefix,
                            const PlotKey *keys);
void plot_window_free(PlotWindow *window);

/* QUIT: `q`, Escape, or the window's close button. */
typedef enum { PLOT_KEY, PLOT_CLICK, PLOT_DRAG, PLOT_WHEEL, PLOT_QUIT } PlotEventKind;
typedef struct PlotEvent {
    PlotEventKind kind;
    char key;      /* KEY: the character typed, on any keyboard layout: ' ' '.' ',' '[' … */
    int panel;     /* mouse: panels in order of plot_panel(); -1: none. A drag stays with the
                    * panel where it began */
    double x, y;   /* mouse: position in the panel's x and y; on a surface for CLICK only; NaN:
                    * outside */
    double dx, dy; /* DRAG: pixels at 1280 × 720 since the last one; WHEEL: dy clicks, up
                    * positive */
} PlotEvent;
void plot_window_full_screen(PlotWindow *window); /* on, or off again */
/* A line over the figure, for 2.5 seconds or until the next one; not saved. */
void plot_window_say(PlotWindow *window, const char *text);
/* the next waiting event; false: none is waiting */
bool plot_window_event(PlotWindow *window, PlotEvent *event);
/* drag turns, wheel zooms; true: it was such an event */
bool plot_camera_move(PlotCamera *camera, const PlotEvent *event);
/* Was `s` pressed? The next plot_window_show() saves the figure. */
bool plot_window_saves(const PlotWindow *window);
/* Draws and shows the figure; waits, to stay at 60 frames/s. */
void plot_window_show(PlotWindow *window);

typedef struct PlotTimes { /* seconds */
    int frames;
    double first;                /* from plot_window_new() to the first frame shown */
    double draw_p50, draw_p99;   /* to draw and show a frame, over the last 1,024 */
    double frame_p50, frame_p99; /* from one frame to the next */
} PlotTimes;
PlotTimes plot_window_times(const PlotWindow *window);
#endif
