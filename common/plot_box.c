/* plot_box.c: the box around a surface: its floor and two back walls with a grid, and numbers on the three edges that face the viewer. */
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

/* The grid line of axis k at `place`, on the floor and walls that it meets; back[]: the far x, the far y, the floor. */
static void grid_line(Pen *pen, const View *view, int k, double at, const double back[3])
{
    for (int other = 0; other < 3; other++) {
        if (other == k)
            continue;
        int along = 3 - k - other; /* the line runs along this axis, on the wall where `other` is at its back */
        double a[3], b[3], limit = along == 2 ? BOX_HEIGHT : 1;
        a[k] = b[k] = at;
        a[other] = b[other] = back[other];
        a[along] = -limit;
        b[along] = limit;
        line(pen, view, a, b);
    }
}

static void walls(Pen *pen, const View *view, const double back[3])
{
    const double h = BOX_HEIGHT;
    const double face[3][4][3] = {{{-1, -1, -h}, {1, -1, -h}, {1, 1, -h}, {-1, 1, -h}},
                                  {{back[0], -1, -h}, {back[0], 1, -h}, {back[0], 1, h}, {back[0], -1, h}},
                                  {{-1, back[1], -h}, {1, back[1], -h}, {1, back[1], h}, {-1, back[1], h}}};
    static const uint32_t color[3] = {0xf3f5f7, 0xf8f9fa, 0xfafbfc};
    for (int f = 0; f < 3; f++) {
        for (int c = 0; c < 4; c++) {
            double x, y, depth;
            view_place(view, face[f][c], &x, &y, &depth);
            cairo_line_to(pen, x, y);
        }
        cairo_close_path(pen);
        pen_color(pen, color[f], 1);
        cairo_fill_preserve(pen);
        cairo_set_line_width(pen, 1);
        pen_color(pen, 0xc6ccd2, 1);
        cairo_stroke(pen);
    }
}

typedef struct Taken { int count; Rect at[3 * TICKS_MAX]; } Taken; /* where numbers already stand */

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

/* Numbers and label of an axis whose edge runs from a to b; they stand on the side away from the box's middle. */
static void edge(Pen *pen, const View *view, const PlotAxis *axis, const Ticks *ticks, Taken *taken, const double a[3], const double b[3])
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
    Font numbers = {.size = 12, .color = 0x57606a};
    double off = 0, left = 0.5 - 0.5 * nx, above = 0.5 - 0.5 * ny;
    for (int i = 0; i < ticks->count; i++) {
        double place = axis_place(axis, ticks->at[i]), p[3], x, y, width = text_width(pen, numbers, ticks->label[i]);
        for (int k = 0; k < 3; k++)
            p[k] = a[k] + place * (b[k] - a[k]);
        view_place(view, p, &x, &y, &depth);
        if (!take(taken, (Rect){x + 9 * nx - left * width - 3, y + 9 * ny - above * 10 - 2, width + 6, 14}))
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
    snprintf(text, sizeof text, "%s%s%s", axis->label ? axis->label : "", ticks->factor[0] ? " " : "", ticks->factor);
    double angle = atan2(by - ay, bx - ax);
    angle += angle > 1.2 ? -M_PI : angle <= 1.2 - M_PI ? M_PI : 0; /* never upside down; steep ones read upwards */
    text_draw(pen, (Font){.size = 14, .color = PLOT_INK, .angle = angle}, (ax + bx) / 2 + (off + 22) * nx,
              (ay + by) / 2 + (off + 22) * ny, 0.5, 0.5, text);
}

void box_draw(Pen *pen, const PlotPanel *panel)
{
    const View *view = &panel->view;
    const double back[3] = {view->out[0] > 0 ? -1 : 1, view->out[1] > 0 ? -1 : 1, -BOX_HEIGHT};
    const PlotAxis *axis[3] = {&panel->x, &panel->y, &panel->z};
    Ticks ticks[3];
    walls(pen, view, back);
    for (int k = 0; k < 3; k++) {
        axis_ticks(axis[k], (int)(view->size / 42), &ticks[k]);
        for (int i = 0; i < ticks[k].count; i++)
            grid_line(pen, view, k, (2 * axis_place(axis[k], ticks[k].at[i]) - 1) * (k < 2 ? 1 : BOX_HEIGHT), back);
    }
    cairo_set_line_width(pen, 0.75);
    pen_color(pen, 0xd9dee3, 1);
    cairo_stroke(pen);
    double front[2] = {-back[0], -back[1]}, h = BOX_HEIGHT;
    Taken taken = {.count = 0};
    edge(pen, view, axis[0], &ticks[0], &taken, (double[3]){-1, front[1], -h}, (double[3]){1, front[1], -h});
    edge(pen, view, axis[1], &ticks[1], &taken, (double[3]){front[0], -1, -h}, (double[3]){front[0], 1, -h});
    /* The upright edge at the left of the picture. */
    bool x_back = view->right[0] * back[0] + view->right[1] * front[1] < view->right[0] * front[0] + view->right[1] * back[1];
    double x = x_back ? back[0] : front[0], y = x_back ? front[1] : back[1];
    edge(pen, view, axis[2], &ticks[2], &taken, (double[3]){x, y, -h}, (double[3]){x, y, h});
}
#endif
