/* plot_surface.c: a panel in space. The surface goes through the z-buffer at twice the figure's
 * resolution, so its edges come out smooth. Cairo draws paths and points on it; the parts that the
 * z-buffer puts behind the surface are drawn faintly.
 */
#ifdef HAVE_CAIRO
#include "check.h"
#include "plot_inside.h"
#include <cairo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Data to box coordinates; z below its axis goes to the floor. What is above it flies just over the
 * walls: that it is too high can be seen, how high cannot. */
static void to_box(const PlotPanel *panel, double x, double y, double z, double box[3])
{
    const double OVER = 1.05;
    double position = axis_position(&panel->z, z);
    box[0] = 2 * axis_position(&panel->x, x) - 1;
    box[1] = 2 * axis_position(&panel->y, y) - 1;
    position = position < 0 ? 0 : position > OVER ? OVER : position;
    box[2] = (2 * position - 1) * BOX_HEIGHT;
}

/* The way from a corner to the lamp: where it is after each step, in corners and in height. */
enum { WAY_STEPS = 24 };
typedef struct Way {
    int i[WAY_STEPS], j[WAY_STEPS];
    double rise[WAY_STEPS];
} Way;

static Way way_to(const double lamp[3], int nx, int ny)
{
    const double REACH = 1.0;
    double flat = fmax(hypot(lamp[0], lamp[1]), 1e-6);
    Way w;
    for (int k = 0; k < WAY_STEPS; k++) {
        double far = REACH * (k + 1) / WAY_STEPS / flat;
        w.i[k] = (int)lround(far * lamp[0] * (nx - 1) / 2);
        w.j[k] = (int)lround(far * lamp[1] * (ny - 1) / 2);
        w.rise[k] = far * lamp[2];
    }
    return w;
}

/* How much of the lamp the corner (i, j) sees, 0 … 1: the surface may stand in the way. */
static double sees_lamp(const Way *w, int nx, int ny, const double (*box)[3], int i, int j)
{
    const double SOFT = 0.06;
    double height = box[j * nx + i][2], clear = SOFT;
    for (int k = 0; k < WAY_STEPS; k++) {
        int x = i + w->i[k], y = j + w->j[k];
        if (x < 0 || y < 0 || x >= nx || y >= ny)
            break;
        double over = box[y * nx + x][2];
        over = height + w->rise[k] - (over < BOX_HEIGHT ? over : BOX_HEIGHT);
        clear = over < clear - SOFT ? over + SOFT : clear;
    }
    return clear > 0 ? clear / SOFT : 0;
}

/* The light on each corner, from a lamp over the viewer's left shoulder. */
static void light(const View *view, bool shadows, int nx, int ny, const double (*box)[3],
                  Corner *corner)
{
    double lamp[3], length = 0;
    for (int k = 0; k < 3; k++) {
        lamp[k] = 0.45 * view->out[k] + 0.45 * view->up[k] - 0.55 * view->right[k] +
                  (k == 2 ? 0.35 : 0);
        length += lamp[k] * lamp[k];
    }
    /* shadows fall from the left, whatever the height of the camera */
    const double side[3] = {0.1 * view->out[0] - view->right[0],
                            0.1 * view->out[1] - view->right[1], 0.7};
    const Way way = way_to(side, nx, ny);
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            const double *a = box[j * nx + (i > 0 ? i - 1 : i)],
                         *b = box[j * nx + (i + 1 < nx ? i + 1 : i)];
            const double *c = box[(j > 0 ? j - 1 : j) * nx + i],
                         *d = box[(j + 1 < ny ? j + 1 : j) * nx + i];
            double normal[3] = {-(b[2] - a[2]) / (b[0] - a[0]), -(d[2] - c[2]) / (d[1] - c[1]), 1};
            double cosine = dot3(normal, lamp) / sqrt(dot3(normal, normal) * length);
            if (shadows)
                cosine *= 0.35 + 0.65 * sees_lamp(&way, nx, ny, box, i, j);
            corner[j * nx + i].light = isnan(cosine) ? 0.5f : (float)fmax(cosine, 0);
        }
}

/* deep: with shadows the dark is darker. */
static void shades_of(PlotMap map, bool deep, RasterShades shades)
{
    double darkest = deep ? 0.3 : 0.62, range = deep ? 0.95 : 0.46;
    for (int p = 0; p < RASTER_POSITIONS; p++) {
        uint32_t color = plot_map_color(map, (double)p / (RASTER_POSITIONS - 1));
        for (int l = 0; l < RASTER_LIGHTS; l++) {
            double bright = darkest + range * l / (RASTER_LIGHTS - 1),
                   white = fmax(bright - 0.98, 0);
            uint32_t lit = 0xff000000;
            for (int shift = 0; shift <= 16; shift += 8) {
                double v = fmin(bright, 1) * (color >> shift & 255);
                lit |= (uint32_t)(v + white * (255 - v)) << shift;
            }
            shades[l][p] = lit;
        }
    }
}

static void mesh_lines(PlotPanel *panel, int nx, int ny, const Corner *corner)
{
    enum { LINES = 24 };
    int step_x = (nx - 1 + LINES - 1) / LINES, step_y = (ny - 1 + LINES - 1) / LINES;
    float strength = panel->fine > 1 ? 0.30f : 0.18f;
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            const Corner *p = corner + j * nx + i;
            if (i + 1 < nx && j % step_y == 0)
                raster_line(&panel->raster, p[0], p[1], 0.002f, 0x101418, strength);
            if (j + 1 < ny && i % step_x == 0)
                raster_line(&panel->raster, p[0], p[nx], 0.002f, 0x101418, strength);
        }
}

static void rasterise(PlotPanel *panel, const Mark *surface)
{
    int nx = surface->grid.nx, ny = surface->grid.ny;
    double scale = panel->fine * panel->plot->scale; /* samples per unit */
    double(*box)[3] = alloc((unsigned long)nx * ny, sizeof *box);
    Corner *corner = alloc((unsigned long)nx * ny, sizeof *corner);
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            int p = j * nx + i;
            double x, y, px, py, depth, position = axis_position(&panel->z, surface->grid.z[p]);
            grid_place(surface->grid, i, j, &x, &y);
            to_box(panel, x, y, panel->z.low, box[p]);
            position = position < 0 ? 0 : position; /* below the axis: on the floor; above it: the
                                            * z-buffer cuts it off */
            box[p][2] = (2 * (position > 9 ? 9 : position) - 1) * BOX_HEIGHT;
            view_place(&panel->view, box[p], &px, &py, &depth);
            corner[p] = (Corner){(float)((px - panel->raster_at.x) * scale),
                                 (float)((py - panel->raster_at.y) * scale), (float)depth,
                                 (float)position, 0};
        }
    light(&panel->view, panel->axes.shadows, nx, ny, (const double(*)[3])box, corner);
    RasterShades shades;
    shades_of(panel->axes.map, panel->axes.shadows, shades);
    raster_mesh(&panel->raster, nx, ny, corner, (const uint32_t(*)[RASTER_POSITIONS])shades);
    mesh_lines(panel, nx, ny, corner);
    free(box);
    free(corner);
}

/* One row of pixels, each the mean of 2 × 2 samples. */
static void average(uint32_t *restrict pixel, const uint32_t *restrict above,
                    const uint32_t *restrict below, int width)
{
    for (int x = 0; x < width; x++) {
        const uint32_t a = above[2 * x], b = above[2 * x + 1], c = below[2 * x],
                       d = below[2 * x + 1];
        const uint32_t even = 0x00ff00ff; /* two channels at a time; adding 2 to each rounds */
        uint32_t low = (a & even) + (b & even) + (c & even) + (d & even) + 0x00020002;
        uint32_t high = (a >> 8 & even) + (b >> 8 & even) + (c >> 8 & even) + (d >> 8 & even) +
                        0x00020002;
        pixel[x] = (low >> 2 & even) | (high >> 2 & even) << 8;
    }
}

/* The samples, averaged to the figure's pixels, laid over the page. One sample a pixel needs no
 * mean, and no second copy. */
static void lay_down(Pen *pen, const PlotPanel *panel)
{
    const Raster *r = &panel->raster;
    int fine = panel->fine, width = r->width / fine, height = r->height / fine;
    Image *image = fine == 1 ? image_of(r->color, width, height)
                             : cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    uint32_t *pixel = (uint32_t *)cairo_image_surface_get_data(image);
    int stride = cairo_image_surface_get_stride(image) / 4;
    cairo_surface_flush(image);
    for (int y = 0; fine > 1 && y < height; y++) {
        const uint32_t *row = r->color + (size_t)y * fine * r->width;
        average(pixel + (size_t)y * stride, row, row + r->width, width);
    }
    cairo_surface_mark_dirty(image);
    image_paint(pen, image, panel->raster_at.x, panel->raster_at.y, 1 / panel->plot->scale,
                1 / panel->plot->scale);
}

typedef struct Spot {
    double x, y;
    bool seen;
} Spot; /* x NaN: not on the surface */

/* The point of the figure that shows (x, y) of the surface, or of the floor. */
static Spot spot(const PlotPanel *panel, double x, double y, bool on_floor)
{
    double box[3], depth;
    Spot s = {NAN, NAN, true};
    to_box(panel, x, y, grid_at(panel_surface(panel)->grid, x, y), box);
    if (on_floor && !isnan(box[2]))
        box[2] = -BOX_HEIGHT;
    if (!(fabs(box[0]) <= 1 + 1e-6 && fabs(box[1]) <= 1 + 1e-6) || isnan(box[2]))
        return s;
    view_place(&panel->view, box, &s.x, &s.y, &depth);
    const Raster *r = &panel->raster;
    double scale = panel->fine * panel->plot->scale;
    int column = (int)floor((s.x - panel->raster_at.x) * scale),
        row = (int)floor((s.y - panel->raster_at.y) * scale);
    if (column >= 0 && column < r->width && row >= 0 && row < r->height)
        s.seen = depth * 1.01 >= r->depth[(size_t)row * r->width + column];
    return s;
}

/* The visible parts of a line, or the hidden ones, as Cairo's path. */
static void trace(Pen *pen, const PlotPanel *panel, const Mark *mark, bool seen, bool on_floor)
{
    Spot last = {NAN, NAN, true};
    bool down = false;
    for (int i = 0; i < mark->n; i++) {
        int from = i > 0 ? i - 1 : 0;
        double x0 = mark->v[0][from], y0 = mark->v[1][from], x1 = mark->v[0][i], y1 = mark->v[1][i];
        double long_x = (x1 - x0) / (panel->x.high - panel->x.low),
               long_y = (y1 - y0) / (panel->y.high - panel->y.low);
        double pieces = ceil(fmin(hypot(long_x, long_y) * 80, 400)); /* bent along the surface */
        for (int k = 1; k <= (pieces > 1 ? (int)pieces : 1); k++) {
            double t = k / fmax(pieces, 1);
            Spot s = spot(panel, x0 + t * (x1 - x0), y0 + t * (y1 - y0), on_floor);
            if (isnan(s.x) || s.seen != seen) {
                down = false;
            } else {
                if (!down && !isnan(last.x))
                    cairo_move_to(pen, last.x, last.y);
                cairo_line_to(pen, s.x, s.y);
                down = true;
            }
            last = s;
        }
    }
}

static uint32_t darker(uint32_t color, double by)
{
    uint32_t dark = 0;
    for (int shift = 0; shift <= 16; shift += 8)
        dark |= (uint32_t)(by * (color >> shift & 255)) << shift;
    return dark;
}

/* A tube: its dark rim, its colour, and where the lamp at the left is mirrored. */
static void tube(Pen *pen, const PlotPanel *panel, const Mark *mark)
{
    double width = mark->style.width > 0 ? mark->style.width : 6;
    const struct Coat {
        double width, shift, opacity;
        uint32_t color;
    } coats[] = {{width + 2, 0, 1, darker(mark->style.color, 0.45)},
                 {width * 0.8, -0.06 * width, 1, mark->style.color},
                 {width * 0.22, -0.2 * width, 0.75, PLOT_WHITE}};
    cairo_save(pen);
    cairo_set_line_join(pen, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(pen, CAIRO_LINE_CAP_ROUND);
    cairo_set_antialias(pen, CAIRO_ANTIALIAS_FAST); /* its shadow, and what is hidden */
    trace(pen, panel, mark, true, true);
    cairo_set_line_width(pen, width);
    pen_color(pen, 0x101418, 0.22);
    cairo_stroke(pen);
    trace(pen, panel, mark, false, false);
    pen_color(pen, mark->style.color, 0.25);
    cairo_stroke(pen);
    cairo_set_antialias(pen, CAIRO_ANTIALIAS_DEFAULT);
    for (int k = 0; k < 3; k++) {
        cairo_save(pen);
        cairo_translate(pen, coats[k].shift, coats[k].shift);
        trace(pen, panel, mark, true, false);
        cairo_restore(pen);
        cairo_set_line_width(pen, coats[k].width);
        pen_color(pen, coats[k].color, coats[k].opacity);
        cairo_stroke(pen);
    }
    cairo_restore(pen);
}

static void ball(Pen *pen, const PlotPanel *panel, const Mark *mark)
{
    double r = 1.7 * (mark->style.width > 0 ? mark->style.width : 6);
    int last = mark->n - 1;
    Spot s = spot(panel, mark->v[0][last], mark->v[1][last], false),
         below = spot(panel, mark->v[0][last], mark->v[1][last], true);
    if (isnan(s.x))
        return;
    if (below.seen) {
        cairo_save(pen);
        cairo_translate(pen, below.x, below.y);
        cairo_scale(pen, 1, 0.5);
        cairo_arc(pen, 0, 0, r, 0, 2 * M_PI);
        cairo_restore(pen);
        pen_color(pen, 0x101418, 0.3);
        cairo_fill(pen);
    }
    double y = s.y - 0.6 * r; /* it lies on the surface */
    uint32_t c = mark->style.color, dark = darker(c, 0.35);
    cairo_pattern_t *lit = cairo_pattern_create_radial(s.x - 0.4 * r, y - 0.45 * r, 0.05 * r, s.x,
                                                       y, r);
    cairo_pattern_add_color_stop_rgb(lit, 0, 1, 1, 1);
    cairo_pattern_add_color_stop_rgb(lit, 0.35, (c >> 16) / 255.0, (c >> 8 & 255) / 255.0,
                                     (c & 255) / 255.0);
    cairo_pattern_add_color_stop_rgb(lit, 1, (dark >> 16) / 255.0, (dark >> 8 & 255) / 255.0,
                                     (dark & 255) / 255.0);
    cairo_arc(pen, s.x, y, r, 0, 2 * M_PI);
    cairo_set_source(pen, lit);
    if (s.seen)
        cairo_fill(pen);
    else {
        cairo_save(pen);
        cairo_clip(pen);
        cairo_paint_with_alpha(pen, 0.35);
        cairo_restore(pen);
    }
    cairo_pattern_destroy(lit);
}

static void line(Pen *pen, const PlotPanel *panel, const Mark *mark)
{
    double width = mark->style.width > 0 ? mark->style.width : 2.5;
    cairo_set_line_join(pen, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(pen, CAIRO_LINE_CAP_ROUND);
    trace(pen, panel, mark, false, false);
    cairo_set_line_width(pen, width);
    pen_color(pen, mark->style.color, 0.3 * mark->style.opacity);
    cairo_stroke(pen);
    trace(pen, panel, mark, true, false);
    cairo_set_line_width(pen, width + 2);
    pen_color(pen, PLOT_WHITE, 0.8 * mark->style.opacity);
    cairo_stroke_preserve(pen);
    cairo_set_line_width(pen, width);
    pen_color(pen, mark->style.color, mark->style.opacity);
    cairo_stroke(pen);
}

static void point(Pen *pen, const PlotPanel *panel, const Mark *mark, int i, double size,
                  PlotShape shape)
{
    Spot s = spot(panel, mark->v[0][i], mark->v[1][i], false);
    shape_draw(pen, shape, s.x, s.y, size, mark->style.color,
               mark->style.opacity * (s.seen ? 1 : 0.35));
}

/* Words beside their point, below the ones before that they would cover. */
static void words(Pen *pen, const PlotPanel *panel)
{
    Rect taken[8];
    int count = 0;
    for (int m = 0; m < panel->count && count < 8; m++) {
        const Mark *mark = &panel->mark[m];
        if (mark->kind != MARK_TEXT)
            continue;
        Spot s = spot(panel, mark->v[0][0], mark->v[1][0], false);
        Font font = {.size = mark->style.size > 0 ? mark->style.size : 13,
                     .color = mark->style.color ? mark->style.color : PLOT_INK,
                     .bold = true,
                     .halo = true};
        Rect r = {0, s.y - font.size, text_width(pen, font, mark->text), 1.3 * font.size};
        r.x = mark->style.head && s.x - 16 - r.w > panel->frame.x ? s.x - 16 - r.w : s.x + 16;
        for (int k = 0; k < count; k++)
            if (r.x < taken[k].x + taken[k].w && taken[k].x < r.x + r.w &&
                fabs(r.y - taken[k].y) < r.h)
                r.y = taken[k].y + r.h;
        taken[count++] = r;
        text_draw(pen, font, r.x, r.y, 0, 0, mark->text);
    }
}

/* The part of the panel that the box can cover, on whole pixels, and how finely to draw it. */
static void make_raster(PlotPanel *panel)
{
    double left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY,
           scale = panel->plot->scale;
    for (int k = 0; k < 8; k++) {
        double x, y, depth;
        view_place(&panel->view,
                   (double[3]){k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? BOX_HEIGHT : -BOX_HEIGHT},
                   &x, &y, &depth);
        left = fmin(left, x);
        right = fmax(right, x);
        top = fmin(top, y);
        bottom = fmax(bottom, y);
    }
    const Rect f = panel->frame;
    left = floor(fmax(left - 1, f.x) * scale);
    top = floor(fmax(top - 1, f.y) * scale);
    double width = fmax(1, ceil(fmin(right + 1, f.x + f.w) * scale) - left);
    double height = fmax(1, ceil(fmin(bottom + 1, f.y + f.h) * scale) - top);
    panel->raster_at = (Rect){left / scale, top / scale, width / scale, height / scale};
    panel->fine = width * height <= 500e3 ? 2 : 1; /* many pixels are small ones: one sample
                                                    * each, for 60 frames/s */
    raster_clear(&panel->raster, (int)width * panel->fine, (int)height * panel->fine);
}

void surface_draw(Pen *pen, PlotPanel *panel, Rect room)
{
    const Mark *surface = panel_surface(panel);
    panel->frame = room;
    panel->view = view_of(surface->camera, room);
    cairo_save(pen);
    cairo_rectangle(pen, room.x, room.y, room.w, room.h); /* not over the title when zoomed */
    cairo_clip(pen);
    /* contours on the floor, if they are the next mark */
    const Mark *next = surface + 1;
    bool on_floor = next < panel->mark + panel->count && next->kind == MARK_CONTOURS;
    if (!layer_recall(pen, panel, room, 1 + on_floor, surface)) {
        make_raster(panel);
        box_draw(pen, panel);
        if (on_floor)
            floor_contours_draw(pen, panel, next);
        rasterise(panel, surface);
        lay_down(pen, panel);
        layer_keep(pen, panel, room);
    }
    box_numbers(pen, panel);
    for (int m = 0; m < panel->count; m++) {
        const Mark *mark = &panel->mark[m];
        if (mark->kind == MARK_LINE)
            (mark->style.tube ? tube : line)(pen, panel, mark);
        if (mark->kind == MARK_LINE && mark->style.head && mark->n > 0 && mark->style.tube)
            ball(pen, panel, mark);
        else if (mark->kind == MARK_LINE && mark->style.head && mark->n > 0)
            point(pen, panel, mark, mark->n - 1, 11, PLOT_DOT);
        for (int i = 0; mark->kind == MARK_SCATTER && i < mark->n; i++)
            point(pen, panel, mark, i, mark->style.size > 0 ? mark->style.size : 7,
                  mark->style.shape);
    }
    words(pen, panel);
    cairo_restore(pen);
}

bool surface_pick(const PlotPanel *panel, double px, double py, double *x, double *y)
{
    PlotGrid grid = panel_surface(panel)->grid;
    double nearest = 20; /* units */
    for (int p = 0; p < grid.nx * grid.ny; p++) {
        double gx, gy;
        grid_place(grid, p % grid.nx, p / grid.nx, &gx, &gy);
        Spot s = spot(panel, gx, gy, false);
        double distance = s.seen && !isnan(s.x) ? hypot(s.x - px, s.y - py) : INFINITY;
        if (distance < nearest) {
            nearest = distance;
            *x = gx;
            *y = gy;
        }
    }
    return nearest < 20;
}
#endif
