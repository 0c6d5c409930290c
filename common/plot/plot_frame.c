/* plot_frame.c: the axes of a flat panel: thin grid, ticks with numbers, labels with units, and the
 * room they need. */
#ifdef HAVE_CAIRO
#include "plot_inside.h"
#include <cairo.h>
#include <math.h>
#include <stdio.h>

enum { RIGHT = 14 }; /* room right of the axes, for half of the last number */
static const Font NUMBERS = {.size = 13, .color = 0x57606a},
                  LABEL = {.size = 14, .color = PLOT_INK};

/* A hairline, centred on a pixel so that it stays one pixel wide. */
static void hair(Pen *pen, double x0, double y0, double x1, double y1)
{
    cairo_user_to_device(pen, &x0, &y0);
    cairo_user_to_device(pen, &x1, &y1);
    if (x0 == x1)
        x0 = x1 = floor(x0) + 0.5;
    if (y0 == y1)
        y0 = y1 = floor(y0) + 0.5;
    cairo_device_to_user(pen, &x0, &y0);
    cairo_device_to_user(pen, &x1, &y1);
    cairo_move_to(pen, x0, y0);
    cairo_line_to(pen, x1, y1);
}

static void grid(Pen *pen, const PlotPanel *panel, const Ticks *x, const Ticks *y)
{
    Rect f = panel->frame;
    double pixel = 1;
    cairo_device_to_user_distance(pen, &pixel, &(double){0});
    cairo_set_line_width(pen, fmax(pixel, 0.75));
    pen_color(pen, 0xf0f2f4, 1);
    for (int i = 0; i < x->minor_count; i++)
        hair(pen, at_x(panel, x->minor[i]), f.y, at_x(panel, x->minor[i]), f.y + f.h);
    for (int i = 0; i < y->minor_count; i++)
        hair(pen, f.x, at_y(panel, y->minor[i]), f.x + f.w, at_y(panel, y->minor[i]));
    cairo_stroke(pen);
    pen_color(pen, 0xdfe3e7, 1);
    for (int i = 0; i < x->count && panel->x.names_count == 0; i++)
        hair(pen, at_x(panel, x->at[i]), f.y, at_x(panel, x->at[i]), f.y + f.h);
    for (int i = 0; i < y->count && panel->y.names_count == 0; i++)
        hair(pen, f.x, at_y(panel, y->at[i]), f.x + f.w, at_y(panel, y->at[i]));
    cairo_stroke(pen);
}

static void x_numbers(Pen *pen, const PlotPanel *panel, const Ticks *ticks)
{
    double free_from = -1e9, y = panel->frame.y + panel->frame.h + 8,
           end = panel->frame.x + panel->frame.w + RIGHT;
    for (int i = 0; i < ticks->count; i++) {
        double width = text_width(pen, NUMBERS, ticks->label[i]),
               x = fmin(at_x(panel, ticks->at[i]), end - width / 2);
        if (x - width / 2 < free_from) /* the next one would touch the one before */
            continue;
        text_draw(pen, NUMBERS, x, y, 0.5, 0, ticks->label[i]);
        free_from = x + width / 2 + 6;
    }
}

static void y_numbers(Pen *pen, const PlotPanel *panel, const Ticks *ticks)
{
    double free_above = 1e9;
    for (int i = 0; i < ticks->count; i++) {
        double y = at_y(panel, ticks->at[i]);
        if (y > free_above)
            continue;
        text_draw(pen, NUMBERS, panel->frame.x - 8, y, 1, 0.5, ticks->label[i]);
        free_above = y - 14;
    }
}

static void axis_label(Pen *pen, const PlotAxis *axis, const Ticks *ticks, Rect in, double angle)
{
    char text[256];
    snprintf(text, sizeof text, "%s%s%s", axis->label ? axis->label : "",
             ticks->factor[0] ? "  " : "", ticks->factor);
    if (angle == 0) {
        text_fit(pen, LABEL, in, 0.5, text);
        return;
    }
    cairo_save(pen);
    cairo_translate(pen, in.x + in.w / 2, in.y + in.h / 2);
    cairo_rotate(pen, angle);
    text_fit(pen, LABEL, (Rect){-in.h / 2, -in.w / 2, in.h, in.w}, 0.5, text);
    cairo_restore(pen);
}

void frame_draw(Pen *pen, PlotPanel *panel, Rect room)
{
    Ticks x, y;
    axis_ticks(&panel->x, (int)((room.w - 80) / 90), &x);
    axis_ticks(&panel->y, (int)((room.h - 60) / 55), &y);
    double widest = 24;
    for (int i = 0; i < y.count; i++)
        widest = fmax(widest, text_width(pen, NUMBERS, y.label[i]));
    widest = 8 * ceil(widest / 8); /* in steps, so that a live figure does not jitter */
    double left = widest + 8 + (panel->y.label || y.factor[0] ? 24 : 4);
    double bottom = 22 + (panel->x.label || x.factor[0] ? 24 : 4);
    panel->frame = (Rect){room.x + left, room.y + 6, fmax(room.w - left - RIGHT, 8),
                          fmax(room.h - bottom - 6, 8)};
    Rect f = panel->frame;
    if (!panel_field(panel))
        grid(pen, panel, &x, &y);
    x_numbers(pen, panel, &x);
    y_numbers(pen, panel, &y);
    axis_label(pen, &panel->x, &x, (Rect){f.x, f.y + f.h + 25, f.w, 20}, 0);
    axis_label(pen, &panel->y, &y, (Rect){room.x, f.y, 18, f.h}, -M_PI / 2);
}

void frame_close(Pen *pen, const PlotPanel *panel)
{
    Rect f = panel->frame;
    cairo_set_line_width(pen, 1);
    pen_color(pen, PLOT_GREY, 1);
    hair(pen, f.x, f.y + f.h, f.x + f.w, f.y + f.h);
    hair(pen, f.x, f.y, f.x, f.y + f.h);
    if (panel_field(panel)) {
        hair(pen, f.x, f.y, f.x + f.w, f.y);
        hair(pen, f.x + f.w, f.y, f.x + f.w, f.y + f.h);
    }
    cairo_stroke(pen);
}
#endif
