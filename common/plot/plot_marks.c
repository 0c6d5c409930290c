/* plot_marks.c: lines, points, bands, error bars, boxes, rules and text of a flat panel. */
#ifdef HAVE_CAIRO
#include "plot_inside.h"
#include <cairo.h>
#include <math.h>

static void line_style(Pen *pen, const PlotStyle *style)
{
    double width = style->width > 0 ? style->width : 2;
    cairo_set_line_width(pen, width);
    cairo_set_line_join(pen, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(pen, style->dashed ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
    cairo_set_dash(pen, (double[2]){3.2 * width, 2.2 * width}, style->dashed ? 2 : 0, 0);
    pen_color(pen, style->color, style->opacity);
}

/* The points that fall into one pixel column, of which a line shows only the first, lowest, highest
 * and last: a curve of a million steps costs no more than one of a thousand. */
typedef struct Column {
    double x, first, low, high, last;
    int points;
} Column;

static void column_out(Pen *pen, const Column *c, bool pen_down)
{
    (pen_down ? cairo_line_to : cairo_move_to)(pen, c->x, c->first);
    if (c->points > 2) {
        cairo_line_to(pen, c->x, c->low);
        cairo_line_to(pen, c->x, c->high);
    }
    cairo_line_to(pen, c->x, c->last); /* a single point becomes a dot: round caps */
}

/* One path through the points; NaN leaves a gap. Many points: by columns half a unit wide. */
static void trace(Pen *pen, const PlotPanel *panel, const Mark *mark)
{
    bool down = false, many = mark->n > 4 * panel->frame.w;
    Column c = {.points = 0};
    for (int i = 0; i < mark->n; i++) {
        double x = at_x(panel, mark->v[0][i]), y = at_y(panel, mark->v[1][i]);
        bool gap = isnan(x + y);
        if (c.points && (gap || !many || fabs(x - c.x) >= 0.5)) {
            column_out(pen, &c, down);
            down = true;
            c.points = 0;
        }
        if (gap)
            down = false;
        else if (c.points == 0)
            c = (Column){x, y, y, y, y, 1};
        else
            c = (Column){c.x, c.first, fmin(c.low, y), fmax(c.high, y), y, c.points + 1};
    }
    if (c.points)
        column_out(pen, &c, down);
}

static void line(Pen *pen, const PlotPanel *panel, const Mark *mark)
{
    line_style(pen, &mark->style);
    if (panel_field(panel)) { /* on a map: a white rim, so that it stands out on every colour */
        cairo_save(pen);
        cairo_set_line_width(pen, cairo_get_line_width(pen) + 2);
        pen_color(pen, PLOT_WHITE, 0.7 * mark->style.opacity);
        trace(pen, panel, mark);
        cairo_stroke(pen);
        cairo_restore(pen);
    }
    trace(pen, panel, mark);
    cairo_stroke(pen);
    cairo_set_dash(pen, NULL, 0, 0);
    if (mark->style.head && mark->n > 0)
        shape_draw(pen, PLOT_DOT, at_x(panel, mark->v[0][mark->n - 1]),
                   at_y(panel, mark->v[1][mark->n - 1]), 10, mark->style.color, 1);
}

static void shape_path(Pen *pen, PlotShape shape, double x, double y, double r)
{
    static const struct Form {
        int corners;
        double turn, size, inner; /* angle of the first corner; radius over r; radius of
                                   * every second corner over the first's */
    } form[] = {[PLOT_SQUARE] = {4, M_PI / 4, 1.25, 1},
                [PLOT_DIAMOND] = {4, 0, 1.3, 1},
                [PLOT_TRIANGLE] = {3, -M_PI / 2, 1.3, 1},
                [PLOT_STAR] = {10, -M_PI / 2, 1.6, 0.45}};
    if (shape == PLOT_DOT) {
        cairo_new_sub_path(pen);
        cairo_arc(pen, x, y, r, 0, 2 * M_PI);
    } else if (shape == PLOT_CROSS) {
        cairo_move_to(pen, x - r, y - r);
        cairo_line_to(pen, x + r, y + r);
        cairo_move_to(pen, x - r, y + r);
        cairo_line_to(pen, x + r, y - r);
    } else {
        for (int k = 0; k < form[shape].corners; k++) {
            double angle = form[shape].turn + 2 * M_PI * k / form[shape].corners;
            double size = r * form[shape].size * (k % 2 ? form[shape].inner : 1);
            (k ? cairo_line_to : cairo_move_to)(pen, x + size * cos(angle), y + size * sin(angle));
        }
        cairo_close_path(pen);
    }
}

void shape_draw(Pen *pen, PlotShape shape, double x, double y, double size, uint32_t color,
                double opacity)
{
    if (isnan(x + y))
        return;
    shape_path(pen, shape, x, y, size / 2);
    if (shape == PLOT_CROSS) {
        cairo_set_line_cap(pen, CAIRO_LINE_CAP_ROUND);
        cairo_set_line_width(pen, 4);
        pen_color(pen, PLOT_WHITE, 0.7 * opacity);
        cairo_stroke_preserve(pen);
        cairo_set_line_width(pen, 2);
        pen_color(pen, color, opacity);
        cairo_stroke(pen);
        return;
    }
    pen_color(pen, color, opacity);
    cairo_fill_preserve(pen);
    cairo_set_line_width(pen, size > 8 ? 1.5 : 0.75);
    pen_color(pen, PLOT_WHITE, opacity);
    cairo_stroke(pen);
}

static void scatter(Pen *pen, const PlotPanel *panel, const Mark *mark)
{
    const PlotStyle *style = &mark->style;
    for (int i = 0; i < mark->n; i++)
        shape_draw(pen, style->shape, at_x(panel, mark->v[0][i]), at_y(panel, mark->v[1][i]),
                   style->size > 0 ? style->size : 7, style->color, style->opacity);
}

/* Every unbroken stretch is one polygon: along the low edge, back along the high one. */
static void band(Pen *pen, const PlotPanel *panel, const Mark *mark)
{
    const double *x = mark->v[0], *low = mark->v[1], *high = mark->v[2];
    pen_color(pen, mark->style.color, mark->style.opacity < 1 ? mark->style.opacity : 0.2);
    for (int begin = 0, i = 0; i <= mark->n; i++) {
        if (i < mark->n && !isnan(at_x(panel, x[i]) + at_y(panel, low[i]) + at_y(panel, high[i])))
            continue;
        for (int k = begin; k < i; k++)
            cairo_line_to(pen, at_x(panel, x[k]), at_y(panel, low[k]));
        for (int k = i - 1; k >= begin; k--)
            cairo_line_to(pen, at_x(panel, x[k]), at_y(panel, high[k]));
        cairo_fill(pen);
        begin = i + 1;
    }
}

static void errors(Pen *pen, const PlotPanel *panel, const Mark *mark)
{
    line_style(pen, &mark->style);
    cairo_set_line_width(pen, mark->style.width > 0 ? mark->style.width : 1.5);
    for (int i = 0; i < mark->n; i++) {
        double x = at_x(panel, mark->v[0][i]), low = at_y(panel, mark->v[1][i]),
               high = at_y(panel, mark->v[2][i]);
        if (isnan(x + low + high))
            continue;
        cairo_move_to(pen, x, low);
        cairo_line_to(pen, x, high);
        cairo_move_to(pen, x - 4, low);
        cairo_line_to(pen, x + 4, low);
        cairo_move_to(pen, x - 4, high);
        cairo_line_to(pen, x + 4, high);
    }
    cairo_stroke(pen);
}

static double edge(double value, double position, double low, double high)
{
    return isinf(value) ? (value < 0 ? low : high)
                        : fmin(fmax(position, fmin(low, high)), fmax(low, high));
}

static void boxes(Pen *pen, const PlotPanel *panel, const Mark *mark)
{
    Rect f = panel->frame;
    for (int i = 0; i < mark->n; i++) {
        double at[4];
        for (int k = 0; k < 4; k++) {
            double v = mark->v[k][i];
            at[k] = k < 2 ? edge(v, at_x(panel, v), f.x, f.x + f.w)
                          : edge(v, at_y(panel, v), f.y + f.h, f.y);
            if (isnan(k < 2 ? at_x(panel, v) : at_y(panel, v)) && !isinf(v))
                at[k] = NAN;
        }
        if (!isnan(at[0] + at[1] + at[2] + at[3]))
            cairo_rectangle(pen, at[0], at[2], at[1] - at[0], at[3] - at[2]);
    }
    pen_color(pen, mark->style.color, mark->style.opacity);
    cairo_fill(pen);
}

static void rule(Pen *pen, const PlotPanel *panel, const Mark *mark)
{
    Rect f = panel->frame;
    double x = at_x(panel, mark->v[0][0]), y = at_y(panel, mark->v[1][0]);
    PlotStyle style = mark->style;
    style.color = style.color ? style.color : 0x57606a;
    style.width = style.width > 0 ? style.width : 1.5;
    line_style(pen, &style);
    if (mark->kind == MARK_RULE_X && !isnan(x)) {
        cairo_move_to(pen, x, f.y);
        cairo_line_to(pen, x, f.y + f.h);
    } else if (mark->kind == MARK_RULE_Y && !isnan(y)) {
        cairo_move_to(pen, f.x, y);
        cairo_line_to(pen, f.x + f.w, y);
    }
    cairo_stroke(pen);
    cairo_set_dash(pen, NULL, 0, 0);
    if (!style.note || isnan(mark->kind == MARK_RULE_X ? x : y))
        return;
    Font font = {.size = 12, .color = style.color, .halo = true};
    bool left = mark->kind == MARK_RULE_Y || x + 6 + text_width(pen, font, style.note) > f.x + f.w;
    if (mark->kind == MARK_RULE_X)
        text_draw(pen, font, left ? x - 6 : x + 6, f.y + 10, left, 0.5, style.note);
    else
        text_draw(pen, font, style.head ? f.x + 6 : f.x + f.w - 6, y - 8, !style.head, 0.5,
                  style.note);
}

static void words(Pen *pen, const PlotPanel *panel, const Mark *mark)
{
    Font font = {.size = mark->style.size > 0 ? mark->style.size : 13,
                 .halo = panel_field(panel),
                 .color = mark->style.color ? mark->style.color : PLOT_INK};
    double x = at_x(panel, mark->v[0][0]), y = at_y(panel, mark->v[1][0]);
    bool left = x + 8 + text_width(pen, font, mark->text ? mark->text : "") >
                panel->frame.x + panel->frame.w;
    text_draw(pen, font, left ? x - 8 : x + 8, y, left, 0.5, mark->text);
}

void mark_draw(Pen *pen, const PlotPanel *panel, const Mark *mark)
{
    static void (*const draw[])(Pen *, const PlotPanel *, const Mark *) = {
        [MARK_LINE] = line,      [MARK_SCATTER] = scatter,
        [MARK_BAND] = band,      [MARK_ERRORS] = errors,
        [MARK_BOXES] = boxes,    [MARK_RULE_X] = rule,
        [MARK_RULE_Y] = rule,    [MARK_TEXT] = words,
        [MARK_HEAT] = heat_draw, [MARK_CONTOURS] = contours_draw,
        [MARK_SURFACE] = NULL};
    if (draw[mark->kind])
        draw[mark->kind](pen, panel, mark);
}
#endif
