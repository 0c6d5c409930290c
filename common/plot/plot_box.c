/* plot_box.c: the box around a surface: its floor and two back walls with a grid, and the numbers
 * along the three edges that face the viewer. */
#ifdef HAVE_CAIRO
#include "plot_inside.h"
#include <cairo.h>
#include <math.h>
#include <stdio.h>

static void line(Pen *pen, const View *view, const double a[3], const double b[3])
{
    double x, y, depth;
    view_place(view, a, &x, &y, &depth);
    cairo_move_to(pen, x, y);
    view_place(view, b, &x, &y, &depth);
    cairo_line_to(pen, x, y);
}

/* Which of the walls x = -1, x = 1, y = -1, y = 1 are seen from inside. */
static bool seen(const View *view, int axis, int side)
{
    return side * EYE * view->out[axis] < (axis == 0 ? view->wide : 1);
}

/* The grid line of axis k at `at`, on the floor and the walls that it meets. */
static void grid_line(Pen *pen, const View *view, int k, double at)
{
    if (k < 2) {
        double a[3] = {-1, -1, -BOX_HEIGHT}, b[3] = {1, 1, -BOX_HEIGHT};
        a[k] = b[k] = at;
        line(pen, view, a, b);
    }
    for (int wall = 0; wall < 4; wall++) { /* on the wall where `across` is `side` */
        int across = wall / 2, side = wall % 2 ? 1 : -1;
        if (across == k || !seen(view, across, side))
            continue;
        int along = k == 2 ? 1 - across : 2;
        double a[3], b[3], limit = along == 2 ? BOX_HEIGHT : 1;
        a[k] = b[k] = at;
        a[across] = b[across] = side;
        a[along] = -limit;
        b[along] = limit;
        line(pen, view, a, b);
    }
}

static void face(Pen *pen, const View *view, const double corner[4][3], uint32_t color)
{
    for (int c = 0; c < 4; c++) {
        double x, y, depth;
        view_place(view, corner[c], &x, &y, &depth);
        cairo_line_to(pen, x, y);
    }
    cairo_close_path(pen);
    pen_color(pen, color, 1);
    cairo_set_antialias(pen, CAIRO_ANTIALIAS_NONE); /* the lines cover its edges */
    cairo_fill_preserve(pen);
    cairo_set_antialias(pen, CAIRO_ANTIALIAS_DEFAULT);
    cairo_set_line_width(pen, 1);
    pen_color(pen, 0xc6ccd2, 1);
    cairo_stroke(pen);
}

static void walls(Pen *pen, const View *view)
{
    const double h = BOX_HEIGHT;
    face(pen, view, (const double[4][3]){{-1, -1, -h}, {1, -1, -h}, {1, 1, -h}, {-1, 1, -h}},
         0xf3f5f7);
    for (int s = -1; s <= 1; s += 2) {
        if (seen(view, 0, s))
            face(pen, view, (const double[4][3]){{s, -1, -h}, {s, 1, -h}, {s, 1, h}, {s, -1, h}},
                 0xf8f9fa);
        if (seen(view, 1, s))
            face(pen, view, (const double[4][3]){{-1, s, -h}, {1, s, -h}, {1, s, h}, {-1, s, h}},
                 0xfafbfc);
    }
}

typedef struct Taken {
    int count;
    Rect at[3 * TICKS_MAX];
} Taken; /* by numbers already drawn */

static bool take(Taken *taken, Rect r)
{
    for (int i = 0; i < taken->count; i++) {
        Rect t = taken->at[i];
        if (r.x < t.x + t.w && t.x < r.x + r.w && r.y < t.y + t.h && t.y < r.y + r.h)
            return false;
    }
    taken->at[taken->count++] = r;
    return true;
}

/* Numbers and label of an axis along the edge from a to b, on the side away from the box's
 * middle. */
static void edge(Pen *pen, const View *view, const PlotAxis *axis, const Ticks *ticks, Taken *taken,
                 const double a[3], const double b[3])
{
    double ax, ay, bx, by, depth;
    view_place(view, a, &ax, &ay, &depth);
    view_place(view, b, &bx, &by, &depth);
    double length = hypot(bx - ax, by - ay), nx = (by - ay) / length, ny = (ax - bx) / length;
    if (!(length > 40))
        return; /* seen end on: no room for numbers */
    bool inwards = nx * ((ax + bx) / 2 - view->x) + ny * ((ay + by) / 2 - view->y) < 0;
    nx *= inwards ? -1 : 1;
    ny *= inwards ? -1 : 1;
    Font numbers = {.size = 12, .color = 0x57606a, .halo = true};
    double off = 0, left = 0.5 - 0.5 * nx, above = 0.5 - 0.5 * ny;
    for (int i = 0; i < ticks->count; i++) {
        double position = axis_position(axis, ticks->at[i]), p[3], x, y,
               width = text_width(pen, numbers, ticks->label[i]);
        for (int k = 0; k < 3; k++)
            p[k] = a[k] + position * (b[k] - a[k]);
        view_place(view, p, &x, &y, &depth);
        if (!take(taken, (Rect){x + 9 * nx - left * width - 3, y + 9 * ny - above * 10 - 2,
                                width + 6, 14}))
            continue;
        cairo_move_to(pen, x, y);
        cairo_line_to(pen, x + 5 * nx, y + 5 * ny);
        cairo_set_line_width(pen, 1);
        pen_color(pen, PLOT_GREY, 1);
        cairo_stroke(pen);
        text_draw(pen, numbers, x + 9 * nx, y + 9 * ny, left, above, ticks->label[i]);
        off = fmax(off, fabs(nx) * width + fabs(ny) * 12);
    }
    char text[160];
    snprintf(text, sizeof text, "%s%s%s", axis->label ? axis->label : "",
             ticks->factor[0] ? " " : "", ticks->factor);
    double angle = atan2(by - ay, bx - ax);
    /* never upside down; steep ones read upwards */
    angle += angle > 1.2 ? -M_PI : angle <= 1.2 - M_PI ? M_PI : 0;
    text_draw(pen, (Font){.size = 14, .color = PLOT_INK, .angle = angle, .halo = true},
              (ax + bx) / 2 + (off + 22) * nx, (ay + by) / 2 + (off + 22) * ny, 0.5, 0.5, text);
}

static void ticks_of(const PlotPanel *panel, Ticks ticks[3])
{
    const PlotAxis *axis[3] = {&panel->x, &panel->y, &panel->z};
    for (int k = 0; k < 3; k++)
        axis_ticks(axis[k], (int)(panel->view.size / 42), &ticks[k]);
}

void box_draw(Pen *pen, const PlotPanel *panel)
{
    const PlotAxis *axis[3] = {&panel->x, &panel->y, &panel->z};
    Ticks ticks[3];
    ticks_of(panel, ticks);
    walls(pen, &panel->view);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < ticks[k].count; i++)
            grid_line(pen, &panel->view, k,
                      (2 * axis_position(axis[k], ticks[k].at[i]) - 1) * (k < 2 ? 1 : BOX_HEIGHT));
    cairo_set_antialias(pen, CAIRO_ANTIALIAS_FAST); /* half the time; pale lines look the same */
    cairo_set_line_width(pen, 0.75);
    pen_color(pen, 0xd9dee3, 1);
    cairo_stroke(pen);
    cairo_set_antialias(pen, CAIRO_ANTIALIAS_DEFAULT);
}

/* The vertical edge furthest left: between a wall seen from inside and one that is not. */
static void upright(const View *view, double *edge_x, double *edge_y)
{
    double leftmost = INFINITY;
    for (int k = 0; k < 4; k++) {
        int sx = k % 2 ? 1 : -1, sy = k / 2 ? 1 : -1;
        double x, y, depth;
        view_place(view, (double[3]){sx, sy, BOX_HEIGHT}, &x, &y, &depth);
        if (seen(view, 0, sx) != seen(view, 1, sy) && x < leftmost) {
            leftmost = x;
            *edge_x = sx;
            *edge_y = sy;
        }
    }
}

void box_numbers(Pen *pen, const PlotPanel *panel)
{
    const View *view = &panel->view;
    double near_x = view->out[0] > 0 ? 1 : -1, near_y = view->out[1] > 0 ? 1 : -1, x = NAN, y = NAN,
           h = BOX_HEIGHT;
    Ticks ticks[3];
    Taken taken = {.count = 0};
    ticks_of(panel, ticks);
    upright(view, &x, &y);
    bool above = isnan(x); /* from straight above all walls are seen, and z has no length */
    /* If both sides could have the numbers: not the one beside the vertical edge. */
    if (seen(view, 0, -1) && seen(view, 0, 1) && !above)
        near_x = -x;
    if (seen(view, 1, -1) && seen(view, 1, 1) && !above)
        near_y = -y;
    edge(pen, view, &panel->x, &ticks[0], &taken, (double[3]){-1, near_y, -h},
         (double[3]){1, near_y, -h});
    edge(pen, view, &panel->y, &ticks[1], &taken, (double[3]){near_x, -1, -h},
         (double[3]){near_x, 1, -h});
    if (!above)
        edge(pen, view, &panel->z, &ticks[2], &taken, (double[3]){x, y, -h}, (double[3]){x, y, h});
}
#endif
