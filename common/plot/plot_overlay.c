/* plot_overlay.c: what a window briefly draws over its figure: the list of keys, a line such as
 * "saved …", and the values under the pointer. */
#ifdef HAVE_CAIRO
#include "plot_inside.h"
#include <cairo.h>
#include <math.h>
#include <string.h>

static void plate(Pen *pen, Rect r)
{
    double round = 8;
    cairo_new_sub_path(pen);
    for (int corner = 0; corner < 4; corner++)
        cairo_arc(pen, corner == 0 || corner == 3 ? r.x + r.w - round : r.x + round,
                  corner < 2 ? r.y + r.h - round : r.y + round, round, corner * M_PI / 2,
                  (corner + 1) * M_PI / 2);
    cairo_close_path(pen);
    pen_color(pen, PLOT_INK, 0.92);
    cairo_fill(pen);
}

static bool lists(const PlotKey *keys, const char *key)
{
    for (; keys->key; keys++)
        if (!strcmp(keys->key, key))
            return true;
    return false;
}

/* The program's keys, and behind them those of the window that the program does not describe. */
void overlay_keys(Plot *plot, const PlotKey *keys)
{
    enum { LINE = 28, PAD = 24, COLUMN = 110, MOST_KEYS = 32 };
    static const PlotKey own[] = {{"s", "save the figure"},
                                  {"F11", "full screen"},
                                  {"q", "quit"},
                                  {"Tab", "the panel under the pointer fills the window"}};
    const PlotKey *shown[MOST_KEYS];
    Font bold = {.size = 16, .bold = true, .color = 0xffd166},
         plain = {.size = 16, .color = PLOT_WHITE};
    Pen *pen = pen_new(plot);
    double width = 0;
    int lines = 0;
    for (int i = 0; keys[i].key && lines < MOST_KEYS - 4; i++)
        shown[lines++] = &keys[i];
    for (int i = 0; i < (plot->panels > 1 ? 4 : 3); i++)
        if (!lists(keys, own[i].key))
            shown[lines++] = &own[i];
    for (int i = 0; i < lines; i++)
        width = fmax(width, text_width(pen, plain, shown[i]->does));
    Rect page = {0, 0, plot->width / plot->scale, plot->height / plot->scale};
    Rect r = {0, 0, width + COLUMN + 2 * PAD, lines * LINE + 2 * PAD - 8};
    double shrink = fmin(1, fmin((page.w - 20) / r.w, (page.h - 20) / r.h));
    cairo_scale(pen, shrink, shrink);
    r.x = (page.w / shrink - r.w) / 2;
    r.y = (page.h / shrink - r.h) / 2;
    plate(pen, r);
    for (int i = 0; i < lines; i++) {
        double y = r.y + PAD + i * LINE + 10;
        text_draw(pen, bold, r.x + PAD, y, 0, 0.5, shown[i]->key);
        text_draw(pen, plain, r.x + PAD + COLUMN, y, 0, 0.5, shown[i]->does);
    }
    cairo_destroy(pen);
}

void overlay_hover(Plot *plot, const Hover *hover)
{
    enum { HIGH = 30, AWAY = 16 };
    Font font = {.size = 13, .color = PLOT_WHITE};
    Pen *pen = pen_new(plot);
    Rect page = {0, 0, plot->width / plot->scale, plot->height / plot->scale};
    double w = fmin(text_width(pen, font, hover->text) + 24, page.w - 8);
    Rect r = {fmin(fmax(hover->x - w / 2, 4), page.w - 4 - w), hover->y - AWAY - HIGH, w, HIGH};
    if (r.y < 4)
        r.y = hover->y + AWAY;
    if (hover->on_point) {
        cairo_arc(pen, hover->x, hover->y, 7, 0, 2 * M_PI);
        cairo_set_line_width(pen, 2);
        pen_color(pen, PLOT_INK, 1);
        cairo_stroke(pen);
    }
    plate(pen, r);
    text_fit(pen, font, (Rect){r.x + 10, r.y, r.w - 20, r.h}, 0.5, hover->text);
    cairo_destroy(pen);
}

void overlay_line(Plot *plot, const char *text)
{
    Font font = {.size = 14, .color = PLOT_WHITE};
    Pen *pen = pen_new(plot);
    double page = plot->width / plot->scale, w = fmin(text_width(pen, font, text) + 40, page - 20);
    Rect r = {(page - w) / 2, plot->height / plot->scale - 64, w, 34};
    plate(pen, r);
    text_fit(pen, font, (Rect){r.x + 16, r.y, r.w - 32, r.h}, 0.5, text);
    cairo_destroy(pen);
}
#endif
