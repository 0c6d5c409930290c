/* plot_inside.h: how plot.h is built; only plot*.c and their tests include this.
 *
 *   plot.c          the description: panels and marks
 *   plot_fit.c      the axes that fit them
 *   plot_axis.c     ranges, ticks and their labels
 *   plot_color.c    colours for series and values
 *   plot_contour.c  level lines of a grid
 *   plot_raster.c   triangles through a z-buffer
 *   plot_view.c     the camera
 * with Cairo:
 *   plot_draw.c     the figure: layout, titles, panels
 *   plot_text.c     text, and the pen's colour
 *   plot_frame.c    a flat panel's axes
 *   plot_legend.c   legend, colour bar, notes
 *   plot_marks.c    lines, points, bars, bands
 *   plot_field.c    heat map and contours
 *   plot_layer.c    pixels kept from frame to frame
 *   plot_surface.c  a panel in space
 *   plot_box.c      the box around it, with its numbers
 *   plot_overlay.c  help, messages and values over the figure
 *   plot_hover.c    which values
 * with or without:
 *   plot_png.c      the file
 *   plot_window.c, plot_input.c, plot_display.c  the window (SDL2)
 */
#ifndef PLOT_INSIDE_H
#define PLOT_INSIDE_H
#include "plot.h"
#include <stddef.h>

/* ---- Axes (plot_axis.c) ---- */
typedef struct Range {
    double low, high;
} Range;
enum { TICKS_MAX = 40, MINOR_MAX = 160 };
typedef struct Ticks {
    int count, minor_count;
    double at[TICKS_MAX], minor[MINOR_MAX];
    char label[TICKS_MAX][48];
    char factor[16]; /* "×10⁶" when the labels were divided by it, else "" */
} Ticks;
Range range_none(void); /* empty */
/* extended by the values that the axis can show */
void range_add(Range *range, int log, int n, const double *v);
/* low < high, finite; pad: fraction left free */
void axis_fit(PlotAxis *axis, Range data, double pad);
/* 0 at low, 1 at high; NaN: not on the axis */
double axis_position(const PlotAxis *axis, double value);
double axis_value(const PlotAxis *axis, double position); /* its inverse */
/* about `wanted`, inside the axis, ascending */
void axis_ticks(const PlotAxis *axis, int wanted, Ticks *ticks);

/* ---- Contours (plot_contour.c) ---- */
/* in grid indices, 0 … nx - 1 and ny - 1 */
typedef struct Polyline {
    int n;
    bool closed;
    double *x, *y;
} Polyline;
typedef struct Contour {
    int count;
    Polyline *line;
} Contour;
Contour contour_trace(int nx, int ny, const double *z, double level);
void contour_free(Contour *contour);

/* ---- Triangles (plot_raster.c) ---- */
/* x, y: pixels; depth grows towards the eye; position on the colour map, 0 … 1; light 0 … 1. */
typedef struct Corner {
    float x, y, depth, position, light;
} Corner;
typedef struct Raster {
    int width, height;
    size_t room;
    float *depth; /* 0: nothing here */
    uint32_t *color;
} Raster;
void raster_clear(Raster *raster, int width, int height); /* (re)allocates */
void raster_free(Raster *raster);
enum { RASTER_LIGHTS = 64, RASTER_POSITIONS = 256 };
/* the pixel for a light and a position */
typedef uint32_t RasterShades[RASTER_LIGHTS][RASTER_POSITIONS];
/* Two triangles per cell of an nx × ny mesh. Those with a NaN are left out; parts with a position
 * above 1 are cut away. */
void raster_mesh(Raster *raster, int nx, int ny, const Corner *corner, const RasterShades shades);
void raster_line(Raster *raster, Corner a, Corner b, float bias, uint32_t ink, float strength);

/* ---- The description (plot.c) ---- */
typedef enum {
    MARK_LINE,
    MARK_SCATTER,
    MARK_BAND,
    MARK_ERRORS,
    MARK_BOXES,
    MARK_RULE_X,
    MARK_RULE_Y,
    MARK_TEXT,
    MARK_NOTE,
    MARK_HEAT,
    MARK_CONTOURS,
    MARK_SURFACE
} MarkKind;
typedef struct Mark {
    MarkKind kind;
    int n;
    /* LINE, SCATTER: x y; BAND, ERRORS: x low high; BOXES: x0 x1 y0 y1; others: x y */
    const double *v[4];
    PlotStyle style; /* colour and opacity filled in */
    const char *text;
    PlotGrid grid;
    PlotCamera camera;
} Mark;

typedef struct Rect {
    double x, y, w, h;
} Rect; /* in units of 1/scale pixels, y downwards */

/* The camera of a panel in space: from box coordinates (x, y in [-1, 1], z in [-BOX_HEIGHT,
 * BOX_HEIGHT]) to the figure. */
typedef struct View {
    double right[3], up[3], out[3]; /* the camera's axes; out points at the eye, EYE away from
                                     * the box's middle */
    double x, y, size;              /* the box's middle and the length of 1, in the figure */
    double wide;                    /* its width along x, its depth being 1 */
} View;

/* The pixels of a panel's maps or surface, and what they were drawn from (plot_layer.c). */
typedef struct Layer {
    int x, y, width, height;
    uint32_t *pixel;
    char *key;
    size_t size;
    bool again, kept; /* the key came twice; the pixels are kept: only then, as what turns and
                       * changes each time needs none */
} Layer;

struct PlotPanel {
    Plot *plot;
    PlotAxes axes;    /* as given */
    PlotAxis x, y, z; /* with fitted limits; set by drawing */
    Mark *mark;
    int count, colors; /* colors: series colours given out so far */
    Rect frame;        /* where x and y (or the box) are; set by drawing */
    View view;         /* panels in space */
    Raster raster;
    Rect raster_at; /* the pixels it covers: the box, clipped to the panel */
    int fine;       /* samples per pixel, each way: 1 or 2 */
    Layer layer;
};

struct Plot {
    int width, height;
    double scale; /* pixels per unit: 1 at 1280 × 720, unless enlarged */
    double enlarged;
    int rows, columns;
    char *title, *footer;
    const char *hint; /* at the right end of the footer; the window's */
    PlotPanel **panel;
    int panels, panel_room;
    int alone;   /* the panel that fills the figure, from 1; 0: all are shown */
    void **kept; /* copies of the caller's arrays and strings */
    int kept_count;
    uint32_t *pixel;
    bool drawn; /* pixel shows this description */
};
const Mark *panel_surface(const PlotPanel *panel); /* its surface; NULL: a flat panel */
const Mark *panel_field(const PlotPanel *panel);   /* its last mark with a grid, for the colour
                                                    * bar; NULL: none */
void panel_fit(PlotPanel *panel);                  /* limits of x, y, z from the marks */
double grid_at(PlotGrid grid, double x, double y); /* z between the points (bilinear); NaN
                                                    * outside */
/* Data coordinates of the grid's point (i, j), or of one between its points. */
void grid_place(PlotGrid grid, double i, double j, double *x, double *y);

/* ---- Drawing (with Cairo) ---- */
typedef struct _cairo Pen;                               /* a cairo_t, in units of 1/scale pixels */
typedef struct _cairo_surface Image;                     /* a cairo_surface_t */
Image *image_of(uint32_t *pixel, int width, int height); /* borrows them */
/* With its upper left corner at (x, y), its pixels that wide and high. Frees it. */
void image_paint(Pen *pen, Image *image, double x, double y, double wide, double high);
Pen *pen_new(Plot *plot);     /* on the figure's pixels */
void figure_draw(Plot *plot); /* fills plot->pixel */

typedef struct Font {
    double size;
    bool bold;
    uint32_t color;
    double angle;
    bool halo;
} Font;
void pen_color(Pen *pen, uint32_t color, double opacity);
double text_width(Pen *pen, Font font, const char *text);
/* The anchor is the fraction of the text left of x and above y: 0, 0.5, 1. */
void text_draw(Pen *pen, Font font, double x, double y, double anchor_x, double anchor_y,
               const char *text);
/* shrunk, then cut with "…" */
void text_fit(Pen *pen, Font font, Rect in, double anchor_x, const char *text);

void frame_draw(Pen *pen, PlotPanel *panel, Rect room); /* sets panel->frame; grid, ticks, labels */
void frame_close(Pen *pen, const PlotPanel *panel);     /* the axis lines, over the marks */
double at_x(const PlotPanel *panel, double x);          /* data to figure; NaN: not on the axis;
                                                         * never too large for Cairo */
double at_y(const PlotPanel *panel, double y);
void mark_draw(Pen *pen, const PlotPanel *panel, const Mark *mark);
void shape_draw(Pen *pen, PlotShape shape, double x, double y, double size, uint32_t color,
                double opacity);
void heat_draw(Pen *pen, const PlotPanel *panel, const Mark *mark);
void contours_draw(Pen *pen, const PlotPanel *panel, const Mark *mark);
void floor_contours_draw(Pen *pen, const PlotPanel *panel, const Mark *mark);
void levels_of(const PlotPanel *panel, Ticks *levels); /* the levels of its contours */
double legend_height(Pen *pen, const PlotPanel *panel, double width); /* 0: none */
void legend_draw(Pen *pen, const PlotPanel *panel, Rect in);
/* True: these marks were drawn in `at` before, with the same data, and their pixels are restored.
 * False: draw them, then call layer_keep(). */
bool layer_recall(Pen *pen, PlotPanel *panel, Rect at, int count, const Mark *mark);
void layer_keep(Pen *pen, PlotPanel *panel, Rect at);
/* in the middle, or low: at the lower edge, where it hides less */
void note_draw(Pen *pen, Rect in, const char *text, bool low);
double colorbar_width(Pen *pen, const PlotPanel *panel, double height); /* with its margin */
void colorbar_draw(Pen *pen, const PlotPanel *panel, Rect room);
void surface_draw(Pen *pen, PlotPanel *panel, Rect room);

/* A panel in space. */
#define BOX_HEIGHT 0.75
#define EYE 6 /* a mild perspective */
double dot3(const double a[3], const double b[3]);
View view_of(PlotCamera camera, Rect room);
void view_place(const View *view, const double box[3], double *x, double *y, double *depth);
void box_draw(Pen *pen, const PlotPanel *panel);    /* floor and walls, behind the surface */
void box_numbers(Pen *pen, const PlotPanel *panel); /* around it */
bool surface_pick(const PlotPanel *panel, double px, double py, double *x, double *y);

/* ---- Under the pointer (plot_hover.c) ---- */
typedef struct Hover {
    char text[240]; /* "a = 0.25 · b = −0.1 · loss = 1.31" */
    double x, y;    /* the point that it describes, in the figure */
    bool on_point;  /* of a line or a scatter */
} Hover;
/* of a figure that is drawn; false: nothing there has a value */
bool hover_at(const Plot *plot, double x, double y, Hover *hover);
int panel_under(const Plot *plot, double x, double y); /* -1: none */

/* ---- The window (plot_window.c, plot_input.c) ---- */
enum { WINDOW_FRAMES = 1024 }; /* whose times are kept */
struct PlotWindow {
    Plot *plot;
    struct SDL_Window *sdl;
    const PlotKey *keys;
    char *save_prefix, *message;
    int to_save, saved; /* PNGs requested since the last frame; PNGs saved */
    bool help;          /* the list of keys is on */
    bool closing;       /* its close button was pressed */
    int width, height;  /* before it filled the screen */
    bool lost, quit;    /* its display is gone: no more calls of SDL; the program was told */
    bool pressed, dragged;
    int pressed_panel;
    double pressed_x, pressed_y;       /* units */
    double hover_x, hover_y;           /* units; where the pointer is */
    double hover_until;                /* seconds; after that its text is hidden */
    uint32_t *page;                    /* the figure with what is laid over it */
    size_t page_room;                  /* pixels */
    double born, first, message_until; /* seconds */
    double shown, due;                 /* the last frame, the next one */
    int frames;
    double draw[WINDOW_FRAMES], frame[WINDOW_FRAMES]; /* seconds */
};

void plot_save_asked(PlotWindow *window); /* plot_input.c: saves the PNGs requested */
void window_lost(PlotWindow *window);     /* says so, once */

/* The display (plot_display.c). */
const char *display_unwanted(void); /* NULL, or why no window is wanted here, or can be */
const char *display_open(void);     /* NULL, or why it failed */
/* Calls SDL. False: the display went away meanwhile, and no call of SDL may follow. */
bool display_use(void (*use)(void *context), void *context);
const char *display_why(void); /* why it went away */
/* A window's size: from that of a figure to what suits the display. */
void display_fit(int *width, int *height);

/* Over the pixels of a finished figure (plot_overlay.c). */
void overlay_keys(Plot *plot, const PlotKey *keys);
void overlay_line(Plot *plot, const char *text);
void overlay_hover(Plot *plot, const Hover *hover);
#endif
