/* plot_legend.c: the legend in the emptiest corner, the colour bar, and notes. */
#ifdef HAVE_CAIRO
#include "plot_inside.h"
#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const Font TEXT = {.size = 13, .color = PLOT_INK};
enum { LINE = 20, KEY = 26, PAD = 8 };

static void plate(Pen *pen, Rect r, double opacity)
{
    cairo_rectangle(pen, r.x, r.y, r.w, r.h);
    pen_color(pen, PLOT_WHITE, opacity);
    cairo_fill_preserve(pen);
    cairo_set_line_width(pen, 1);
    pen_color(pen, 0xd0d7de, 1);
    cairo_stroke(pen);
}

static Rect corner_rect(Rect frame, PlotLegend corner, double w, double h)
{
    bool right = corner == PLOT_TOP_RIGHT || corner == PLOT_BOTTOM_RIGHT;
    bool bottom = corner == PLOT_BOTTOM_LEFT || corner == PLOT_BOTTOM_RIGHT;
    return (Rect){right ? frame.x + frame.w - w - PAD : frame.x + PAD,
                  bottom ? frame.y + frame.h - h - PAD : frame.y + PAD, w, h};
}

static bool inside(Rect r, double x, double y)
{
    return x > r.x - 4 && x < r.x + r.w + 4 && y > r.y - 4 && y < r.y + r.h + 4;
}

/* How much of one mark lies under `r`: points of about 500 sampled along it; a box counts as 20. */
static int hidden_of(const PlotPanel *panel, const Mark *mark, Rect r)
{
    int count = 0, stride = 1 + mark->n / 500,
        parts = mark->kind == MARK_LINE ? 1 + 500 / (mark->n + 1) : 1;
    for (int i = 0; mark->kind <= MARK_ERRORS && i < mark->n; i += stride) {
        double x = at_x(panel, mark->v[0][i]), y = at_y(panel, mark->v[1][i]);
        int next = i + 1 < mark->n ? i + 1 : i;
        double to_x = at_x(panel, mark->v[0][next]), to_y = at_y(panel, mark->v[1][next]);
        for (int k = 0; k < parts; k++)
            count += inside(r, x + k * (to_x - x) / parts, y + k * (to_y - y) / parts);
    }
    for (int i = 0; mark->kind == MARK_BOXES && mark->style.opacity > 0.5 && i < mark->n; i++)
        count += 20 * (at_x(panel, mark->v[0][i]) < r.x + r.w && at_x(panel, mark->v[1][i]) > r.x &&
                       at_y(panel, mark->v[2][i]) > r.y && at_y(panel, mark->v[3][i]) < r.y + r.h);
    return count;
}

static int hidden(const PlotPanel *panel, Rect r)
{
    int count = 0;
    for (int m = 0; m < panel->count; m++)
        count += hidden_of(panel, &panel->mark[m], r);
    return count;
}

static PlotLegend emptiest(const PlotPanel *panel, double w, double h)
{
    /* the corner changes only if another is clearly better */
    PlotLegend best = panel->corner ? panel->corner : PLOT_TOP_RIGHT;
    int least = hidden(panel, corner_rect(panel->frame, best, w, h)) - 3;
    for (PlotLegend corner = PLOT_TOP_LEFT; corner <= PLOT_BOTTOM_RIGHT && least > 0; corner++) {
        int count = hidden(panel, corner_rect(panel->frame, corner, w, h));
        if (count < least) {
            least = count;
            best = corner;
        }
    }
    return best;
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

void legend_draw(Pen *pen, PlotPanel *panel)
{
    double width = 0;
    int lines = 0;
    for (int i = 0; i < panel->count; i++)
        if (panel->mark[i].style.label) {
            width = fmax(width, text_width(pen, TEXT, panel->mark[i].style.label));
            lines++;
        }
    if (lines == 0 || panel->axes.legend == PLOT_NO_LEGEND)
        return;
    Rect f = panel->frame;
    double w = fmin(8 * ceil(width / 8) + KEY + 2 * PAD, fmax(f.w - 2 * PAD, 60)),
           h = lines * LINE + PAD;
    if (panel->axes.legend != PLOT_LEGEND_AUTO)
        panel->corner = panel->axes.legend;
    else
        panel->corner = panel_surface(panel) ? PLOT_TOP_RIGHT : emptiest(panel, w, h);
    Rect r = corner_rect(f, panel->corner, w, h);
    plate(pen, r, 0.88);
    double y = r.y + PAD / 2 + LINE / 2.0;
    for (int i = 0; i < panel->count; i++)
        if (panel->mark[i].style.label) {
            key(pen, &panel->mark[i], r.x + PAD, y);
            text_fit(pen, TEXT, (Rect){r.x + PAD + KEY, y - 8, w - KEY - 2 * PAD + 1, 16}, 0,
                     panel->mark[i].style.label);
            y += LINE;
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
