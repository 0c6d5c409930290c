/* plot_field.c: a grid of values seen from above: heat map, labelled contours. Both interpolate
 * positions on the panel's z axis between the grid's points (so logarithms on a logarithmic axis),
 * as the surface does.
 */
#ifdef HAVE_CAIRO
#include "check.h"
#include "plot_inside.h"
#include <cairo.h>
#include <math.h>
#include <stdlib.h>

/* The grid's values as positions on the z axis; free() it. */
static double *positions_of(const PlotPanel *panel, PlotGrid grid)
{
    double *position = alloc((unsigned long)grid.nx * grid.ny, sizeof *position);
    for (int p = 0; p < grid.nx * grid.ny; p++)
        position[p] = axis_position(&panel->z, grid.z[p]);
    return position;
}

/* Index of the last of `count` grid points from low to high at or before `value`, and the fraction
 * of the way to the next. */
static bool between(double value, double low, double high, int count, int *index, float *fraction)
{
    double at = (value - low) / (high - low) * (count - 1);
    *index = (int)fmin(fmax(at, 0), count - 2);
    *fraction = (float)(at - *index);
    return at > -1e-6 && at < count - 1 + 1e-6;
}

/* One colour per pixel, so that the map is as smooth as its contours. */
static void heat_pixels(const PlotPanel *panel, PlotGrid grid, int width, int height,
                        uint32_t *pixel)
{
    enum { COLORS = 512 };
    uint32_t color[COLORS + 1];
    for (int k = 0; k <= COLORS; k++)
        color[k] = 0xff000000 | plot_map_color(panel->axes.map, (double)k / COLORS);
    double *position = positions_of(panel, grid);
    int *column = alloc(width, sizeof *column), row;
    float *fraction = alloc(width, sizeof *fraction), *line = alloc(grid.nx, sizeof *line), t;
    for (int i = 0; i < width; i++)
        if (!between(axis_value(&panel->x, (i + 0.5) / width), grid.x_low, grid.x_high, grid.nx,
                     &column[i], &fraction[i]))
            fraction[i] = NAN;
    for (int j = 0; j < height; j++) {
        if (!between(axis_value(&panel->y, 1 - (j + 0.5) / height), grid.y_low, grid.y_high,
                     grid.ny, &row, &t))
            continue;
        for (int i = 0; i < grid.nx; i++)
            line[i] = (float)((1 - t) * position[row * grid.nx + i] +
                              t * position[(row + 1) * grid.nx + i]);
        for (int i = 0; i < width; i++) {
            float at = line[column[i]] + fraction[i] * (line[column[i] + 1] - line[column[i]]);
            if (!isnan(at))
                pixel[(size_t)j * width + i] = color[(int)(fminf(fmaxf(at, 0), 1) * COLORS + 0.5f)];
        }
    }
    free(position);
    free(column);
    free(fraction);
    free(line);
}

void heat_draw(Pen *pen, const PlotPanel *panel, const Mark *mark)
{
    Rect f = panel->frame;
    double scale = panel->plot->scale;
    int width = (int)ceil(f.w * scale), height = (int)ceil(f.h * scale);
    uint32_t *pixel = alloc((size_t)width * height, sizeof *pixel);
    heat_pixels(panel, mark->grid, width, height, pixel);
    image_paint(pen, image_of(pixel, width, height), f.x, f.y, f.w / width, f.h / height);
    free(pixel);
}

void levels_of(const PlotPanel *panel, Ticks *levels)
{
    axis_ticks(&panel->z, (int)fmin(fmin(panel->frame.w, panel->frame.h) / 30, 12), levels);
    /* few powers of ten: the digits between them too */
    if (panel->z.log == 10 && levels->count < 6)
        for (int i = 0; i < levels->minor_count && levels->count < TICKS_MAX; i++) {
            levels->label[levels->count][0] = 0;
            levels->at[levels->count++] = levels->minor[i];
        }
}

typedef struct Label {
    double x, y, angle, width;
} Label;
enum { LABELS = 64 };
typedef struct Labels {
    int count;
    Label at[LABELS];
} Labels; /* already drawn */

static bool crowded(const Labels *labels, double x, double y)
{
    for (int i = 0; i < labels->count; i++)
        if (fabs(x - labels->at[i].x) < 40 && fabs(y - labels->at[i].y) < 18)
            return true;
    return labels->count == LABELS;
}

static void path_of(Pen *pen, const PlotPanel *panel, PlotGrid grid, const Polyline *line)
{
    double last_x = -1e9, last_y = -1e9;
    for (int k = 0; k < line->n; k++) {
        double x, y;
        grid_place(grid, line->x[k], line->y[k], &x, &y);
        x = at_x(panel, x);
        y = at_y(panel, y);
        if (isnan(x + y) || (k + 1 < line->n && fabs(x - last_x) + fabs(y - last_y) < 3.5))
            continue;
        cairo_line_to(pen, last_x = x, last_y = y);
    }
    if (line->closed)
        cairo_close_path(pen);
}

/* The best spot for a label on the current path: on a long enough line, where it is most nearly
 * horizontal, inside the panel and away from other labels. */
static bool label_fit(Pen *pen, const PlotPanel *panel, double room, const Labels *labels,
                      Label *best)
{
    cairo_path_t *path = cairo_copy_path_flat(pen);
    Rect f = panel->frame;
    double length = 0, flattest = 2, x = 0, y = 0;
    for (int i = 0; i < path->num_data; i += path->data[i].header.length) {
        const cairo_path_data_t *p = &path->data[i];
        if (p->header.type == CAIRO_PATH_CLOSE_PATH)
            continue;
        double dx = p[1].point.x - x, dy = p[1].point.y - y, step = hypot(dx, dy);
        bool inside = x > f.x + room && x < f.x + f.w - room && y > f.y + 14 && y < f.y + f.h - 14;
        if (p->header.type == CAIRO_PATH_LINE_TO && step > 0) {
            length += step;
            if (inside && fabs(dy) / step < flattest && !crowded(labels, x, y)) {
                flattest = fabs(dy) / step;
                *best = (Label){x + dx / 2, y + dy / 2, atan2(dy, dx), 0};
            }
        }
        x = p[1].point.x;
        y = p[1].point.y;
    }
    cairo_path_destroy(path);
    if (fabs(best->angle) > M_PI / 2) /* never upside down */
        best->angle += best->angle > 0 ? -M_PI : M_PI;
    return flattest < 0.8 && length > 4 * room;
}

/* The part [*from, *to] of the segment from a, 1 long, that lies within `half` of 0. */
static void within(double a, double step, double half, double *from, double *to)
{
    if (step == 0) {
        *to = fabs(a) < half ? *to : *from;
        return;
    }
    double enter = (-half - a) / step, leave = (half - a) / step;
    *from = fmax(*from, fmin(enter, leave));
    *to = fmin(*to, fmax(enter, leave));
}

/* The segment to (x, y), less what lies under its line's label: a line that touches its label reads
 * as a minus sign or as a decimal point. */
static void line_around(Pen *pen, const Label *label, double x0, double y0, double x, double y)
{
    double c = cos(label->angle), s = sin(label->angle), from = 0, to = 1;
    double u = c * (x0 - label->x) + s * (y0 - label->y), du = c * (x - x0) + s * (y - y0);
    double v = c * (y0 - label->y) - s * (x0 - label->x), dv = c * (y - y0) - s * (x - x0);
    within(u, du, label->width / 2 + 4, &from, &to);
    within(v, dv, 8, &from, &to);
    if (!(from < to)) {
        cairo_line_to(pen, x, y);
        return;
    }
    if (from > 0)
        cairo_line_to(pen, x0 + from * (x - x0), y0 + from * (y - y0));
    cairo_move_to(pen, x0 + to * (x - x0), y0 + to * (y - y0));
    if (to < 1)
        cairo_line_to(pen, x, y);
}

/* The current path, interrupted by its label. */
static void interrupt(Pen *pen, const Label *label)
{
    cairo_path_t *path = cairo_copy_path_flat(pen);
    double first_x = 0, first_y = 0, x = 0, y = 0;
    cairo_new_path(pen);
    for (int i = 0; i < path->num_data; i += path->data[i].header.length) {
        const cairo_path_data_t *p = &path->data[i];
        bool close = p->header.type == CAIRO_PATH_CLOSE_PATH;
        double to_x = close ? first_x : p[1].point.x, to_y = close ? first_y : p[1].point.y;
        if (p->header.type == CAIRO_PATH_MOVE_TO)
            cairo_move_to(pen, first_x = to_x, first_y = to_y);
        else
            line_around(pen, label, x, y, to_x, to_y);
        x = to_x;
        y = to_y;
    }
    cairo_path_destroy(path);
}

static void contour_draw(Pen *pen, const PlotPanel *panel, const Mark *mark, const Contour *contour,
                         const char *label, Labels *labels)
{
    for (int i = 0; i < contour->count; i++) {
        Font font = {.size = 11, .color = PLOT_INK, .halo = true};
        path_of(pen, panel, mark->grid, &contour->line[i]);
        Label *spot = &labels->at[labels->count < LABELS ? labels->count : 0];
        double width = text_width(pen, font, label);
        bool labelled = *label && label_fit(pen, panel, width, labels, spot);
        spot->width = width;
        if (labelled)
            interrupt(pen, spot);
        cairo_stroke(pen);
        labels->count += labelled;
    }
}

/* A level line on the floor of a panel in space. */
static void floor_path(Pen *pen, const PlotPanel *panel, PlotGrid grid, const Polyline *line)
{
    for (int k = 0; k < line->n; k++) {
        double gx, gy, x, y, d;
        grid_place(grid, line->x[k], line->y[k], &gx, &gy);
        view_place(&panel->view,
                   (double[3]){2 * axis_position(&panel->x, gx) - 1,
                               2 * axis_position(&panel->y, gy) - 1, -BOX_HEIGHT},
                   &x, &y, &d);
        cairo_line_to(pen, x, y);
    }
    if (line->closed)
        cairo_close_path(pen);
}

void floor_contours_draw(Pen *pen, const PlotPanel *panel, const Mark *mark)
{
    double *z = positions_of(panel, mark->grid);
    Ticks levels;
    levels_of(panel, &levels);
    cairo_save(pen);
    cairo_set_antialias(pen, CAIRO_ANTIALIAS_FAST);
    cairo_set_line_width(pen, mark->style.width > 0 ? mark->style.width : 1.25);
    for (int l = 0; l < levels.count; l++) {
        double position = axis_position(&panel->z, levels.at[l]);
        Contour contour = contour_trace(mark->grid.nx, mark->grid.ny, z, position);
        pen_color(pen,
                  mark->style.color ? mark->style.color : plot_map_color(panel->axes.map, position),
                  mark->style.opacity);
        for (int i = 0; i < contour.count; i++) {
            floor_path(pen, panel, mark->grid, &contour.line[i]);
            cairo_stroke(pen);
        }
        contour_free(&contour);
    }
    cairo_restore(pen);
    free(z);
}

void contours_draw(Pen *pen, const PlotPanel *panel, const Mark *mark)
{
    const PlotStyle *style = &mark->style;
    double *z = positions_of(panel, mark->grid);
    Labels labels = {.count = 0};
    const char *text[LABELS];
    Ticks levels;
    levels_of(panel, &levels);
    cairo_save(pen);
    cairo_set_antialias(pen, CAIRO_ANTIALIAS_FAST); /* half the time of the default; thin lines
                                                     * look the same */
    cairo_set_line_join(pen, CAIRO_LINE_JOIN_BEVEL);
    for (int l = 0; l < levels.count; l++) {
        double position = axis_position(&panel->z, levels.at[l]);
        Contour contour = contour_trace(mark->grid.nx, mark->grid.ny, z, position);
        int before = labels.count;
        cairo_set_line_width(pen, style->width > 0     ? style->width
                                  : levels.label[l][0] ? 1.25
                                                       : 0.75);
        pen_color(pen, style->color ? style->color : plot_map_color(panel->axes.map, position),
                  style->opacity);
        contour_draw(pen, panel, mark, &contour, levels.label[l], &labels);
        for (int i = before; i < labels.count; i++)
            text[i] = levels.label[l];
        contour_free(&contour);
    }
    cairo_restore(pen);
    for (int i = 0; i < labels.count; i++) /* after all lines, so that none crosses a label */
        text_draw(pen,
                  (Font){.size = 11, .color = PLOT_INK, .halo = true, .angle = labels.at[i].angle},
                  labels.at[i].x, labels.at[i].y, 0.5, 0.5, text[i]);
    free(z);
}
#endif
