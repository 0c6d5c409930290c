/* plot_legend.c: the legend above a panel, the colour bar, and notes. */
#ifdef HAVE_CAIRO
#include "plot_inside.h"
#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const Font TEXT = {.size = 13, .color = PLOT_INK};
enum { LINE = 19, KEY = 26, PAD = 12 };

static void plate(Pen *pen, Rect r, double opacity)
{
    cairo_rectangle(pen, r.x, r.y, r.w, r.h);
    pen_color(pen, PLOT_WHITE, opacity);
    cairo_fill_preserve(pen);
    cairo_set_line_width(pen, 1);
    pen_color(pen, 0xd0d7de, 1);
    cairo_stroke(pen);
}

static void key(Pen *pen, const Mark *mark, double x, double y)
{
    const PlotStyle *style = &mark->style;
    uint32_t color = style->color ? style->color : 0x57606a;
    if (mark->kind == MARK_SCATTER) {
        shape_draw(pen, style->shape, x + 9, y, fmax(style->size > 0 ? style->size : 7, 7), color,
                   1);
        return;
    }
    pen_color(pen, color, mark->kind == MARK_BAND && style->opacity == 1 ? 0.2 : style->opacity);
    if (mark->kind == MARK_BAND || mark->kind == MARK_BOXES) {
        cairo_rectangle(pen, x, y - 6, 18, 12);
        cairo_fill(pen);
        return;
    }
    double width = fmin(style->width > 0 ? style->width : 2, 4);
    cairo_set_line_width(pen, width);
    cairo_set_line_cap(pen, CAIRO_LINE_CAP_BUTT);
    cairo_set_dash(pen, (double[2]){5, 3}, style->dashed ? 2 : 0, 0);
    cairo_move_to(pen, x, y);
    cairo_line_to(pen, x + 18, y);
    cairo_stroke(pen);
    cairo_set_dash(pen, NULL, 0, 0);
    if (style->head)
        shape_draw(pen, PLOT_DOT, x + 18, y, 8, color, 1);
}

/* The width of a column: that of the longest label, in steps, so that a live figure does not
 * jitter. */
static double column_width(Pen *pen, const PlotPanel *panel, double room, int *labels)
{
    double width = 0;
    *labels = 0;
    for (int i = 0; i < panel->count && !panel->axes.no_legend; i++)
        if (panel->mark[i].style.label) {
            width = fmax(width, text_width(pen, TEXT, panel->mark[i].style.label));
            ++*labels;
        }
    return fmin(16 * ceil(width / 16) + KEY + PAD, room);
}

double legend_height(Pen *pen, const PlotPanel *panel, double width)
{
    int labels, columns = (int)(width / column_width(pen, panel, width, &labels));
    return labels ? (labels + columns - 1) / columns * LINE + PAD : 0;
}

void legend_draw(Pen *pen, const PlotPanel *panel, Rect in)
{
    int labels, at = 0;
    double width = column_width(pen, panel, in.w, &labels);
    int columns = (int)(in.w / width);
    for (int i = 0; labels && i < panel->count; i++)
        if (panel->mark[i].style.label) {
            double x = in.x + at % columns * width, y = in.y + (at / columns + 0.5) * LINE;
            key(pen, &panel->mark[i], x, y);
            text_fit(pen, TEXT, (Rect){x + KEY, y - 8, width - KEY - PAD + 1, 16}, 0,
                     panel->mark[i].style.label);
            at++;
        }
}

enum { BAR = 14 };
static const Font BAR_NUMBERS = {.size = 12, .color = 0x57606a};

double colorbar_width(Pen *pen, const PlotPanel *panel, double height)
{
    Ticks ticks;
    double widest = 36;
    axis_ticks(&panel->z, (int)(height / 50), &ticks);
    for (int i = 0; i < ticks.count; i++)
        widest = fmax(widest, text_width(pen, BAR_NUMBERS, ticks.label[i]));
    return 12 + BAR + 5 + 8 * ceil((widest + 2) / 8); /* in steps: no jitter */
}

void colorbar_draw(Pen *pen, const PlotPanel *panel, Rect room)
{
    Ticks ticks;
    axis_ticks(&panel->z, (int)(room.h / 50), &ticks);
    const char *title = panel->z.label ? panel->z.label : "";
    double top = *title || ticks.factor[0] ? 20 : 0;
    char text[128];
    snprintf(text, sizeof text, "%s %s", title, ticks.factor);
    text_fit(pen, (Font){.size = 12, .color = PLOT_INK}, (Rect){room.x, room.y, room.w, 12}, 0,
             text);
    room.y += top;
    room.h -= top;
    cairo_pattern_t *colors = cairo_pattern_create_linear(0, room.y + room.h, 0, room.y);
    for (int k = 0; k <= 32; k++) {
        uint32_t c = plot_map_color(panel->axes.map, k / 32.0);
        cairo_pattern_add_color_stop_rgb(colors, k / 32.0, (c >> 16) / 255.0,
                                         (c >> 8 & 255) / 255.0, (c & 255) / 255.0);
    }
    cairo_rectangle(pen, room.x, room.y, BAR, room.h);
    cairo_set_source(pen, colors);
    cairo_fill(pen);
    cairo_pattern_destroy(colors);
    for (int i = 0; i < ticks.count; i++) {
        double y = room.y + room.h * (1 - axis_position(&panel->z, ticks.at[i]));
        text_draw(pen, BAR_NUMBERS, room.x + BAR + 5, y, 0, 0.5, ticks.label[i]);
    }
}

/* The next line of text that is at most `width` wide: up to its '\n', or to the last space that
 * leaves it so, or one word. False after the last. */
static bool next_line(Pen *pen, Font font, double width, const char **text, char line[256])
{
    if (!*text)
        return false;
    size_t end = strcspn(*text, "\n"), length = 0;
    end = end < 255 ? end : 255;
    while (length < end) {
        size_t longer = length + strspn(*text + length, " ");
        longer += strcspn(*text + longer, " \n");
        snprintf(line, 256, "%.*s", (int)(longer < end ? longer : end), *text);
        if (length > 0 && text_width(pen, font, line) > width)
            break;
        length = longer < end ? longer : end;
    }
    snprintf(line, 256, "%.*s", (int)length, *text);
    const char *rest = *text + length;
    rest += *rest == '\n' ? 1 : strspn(rest, " ");
    *text = *rest ? rest : NULL;
    return true;
}

void note_draw(Pen *pen, Rect in, const char *text, bool low)
{
    enum { ACROSS = 24 };
    Font font = {.size = 15, .color = PLOT_INK};
    char line[256];
    double width = 0, most = fmax(fmin(in.w, 520) - 2 * ACROSS, 60);
    int lines = 0;
    for (const char *rest = text; next_line(pen, font, most, &rest, line); lines++)
        width = fmax(width, text_width(pen, font, line));
    double w = fmin(width + 40, in.w), h = lines * 24 + 24;
    Rect r = {in.x + (in.w - w) / 2, in.y + (low ? fmax(in.h - h - 10, 0) : (in.h - h) / 2), w, h};
    plate(pen, r, 0.94);
    double y = r.y + 24;
    for (const char *rest = text; next_line(pen, font, most, &rest, line); y += 24)
        text_fit(pen, font, (Rect){r.x + 12, y - 12, r.w - 24, 24}, 0.5, line);
}
#endif
