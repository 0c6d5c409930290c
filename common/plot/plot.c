/* plot.c: the description of a figure: panels with their marks, each with copies of its data.
 * Drawing comes later, when all data are known and the axes can be fitted to them.
 */
#include "check.h"
#include "plot_inside.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Plot *plot_new(int width, int height)
{
    Plot *plot = alloc(1, sizeof *plot);
    plot->enlarged = 1;
    plot_resize(plot, width, height);
    plot_begin(plot, 1, 1, "%s", "");
    return plot;
}

static void rescale(Plot *plot)
{
    /* text stays readable in a small window */
    plot->scale = plot->enlarged * fmax(0.8, fmin(plot->width / 1280.0, plot->height / 720.0));
    plot->drawn = false;
}

void plot_enlarge(Plot *plot, double times)
{
    plot->enlarged = times;
    rescale(plot);
}

void plot_resize(Plot *plot, int width, int height)
{
    width = width < 64 ? 64 : width > 16384 ? 16384 : width;
    height = height < 64 ? 64 : height > 16384 ? 16384 : height;
    if (width == plot->width && height == plot->height)
        return;
    free(plot->pixel);
    plot->pixel = alloc((size_t)width * height, sizeof *plot->pixel);
    plot->width = width;
    plot->height = height;
    rescale(plot);
}

static void forget(Plot *plot)
{
    for (int i = 0; i < plot->kept_count; i++)
        free(plot->kept[i]);
    plot->kept_count = 0;
}

void plot_free(Plot *plot)
{
    if (!plot)
        return;
    forget(plot);
    for (int i = 0; i < plot->panel_room; i++) {
        free(plot->panel[i]->mark);
        free(plot->panel[i]->layer.key);
        free(plot->panel[i]->layer.pixel);
        raster_free(&plot->panel[i]->raster);
        free(plot->panel[i]);
    }
    free(plot->panel);
    free(plot->kept);
    free(plot->pixel);
    free(plot);
}

/* Memory that is freed at the next plot_begin(). */
static void *keep_own(Plot *plot, void *memory)
{
    ASSERT(memory);
    plot->kept = grown(plot->kept, plot->kept_count, sizeof *plot->kept);
    return plot->kept[plot->kept_count++] = memory;
}

/* A copy that lives until then. */
static void *keep(Plot *plot, const void *data, size_t size)
{
    return data && size > 0 ? memcpy(keep_own(plot, malloc(size)), data, size) : NULL;
}

static char *keep_text(Plot *plot, const char *text)
{
    return keep(plot, text, text ? strlen(text) + 1 : 0);
}

static char *keep_format(Plot *plot, const char *format, va_list arguments)
{
    char *text = NULL;
    int length = vasprintf(&text, format, arguments);
    ASSERT(length >= 0);
    return keep_own(plot, text);
}

void plot_begin(Plot *plot, int rows, int columns, const char *title, ...)
{
    va_list arguments;
    va_start(arguments, title);
    forget(plot);
    plot->rows = rows > 0 ? rows : 1;
    plot->columns = columns > 0 ? columns : 1;
    plot->panels = 0;
    plot->title = keep_format(plot, title, arguments);
    plot->footer = NULL;
    plot->drawn = false;
    va_end(arguments);
}

void plot_footer(Plot *plot, const char *text, ...)
{
    va_list arguments;
    va_start(arguments, text);
    plot->footer = keep_format(plot, text, arguments);
    plot->drawn = false;
    va_end(arguments);
}

static void keep_axis(Plot *plot, PlotAxis *axis)
{
    axis->label = keep_text(plot, axis->label);
    axis->log = axis->log <= 0 ? 0 : axis->log == 2 ? 2 : 10;
    if (axis->names_count > 0) {
        const char **names = keep(plot, axis->names, axis->names_count * sizeof *names);
        for (int i = 0; i < axis->names_count; i++)
            names[i] = keep_text(plot, names[i]);
        axis->names = names;
    }
}

PlotPanel *plot_panel(Plot *plot, PlotAxes axes)
{
    /* panels persist from frame to frame: z-buffer */
    if (plot->panels == plot->panel_room) {
        plot->panel = grown(plot->panel, plot->panels, sizeof *plot->panel);
        plot->panel[plot->panel_room++] = alloc(1, sizeof **plot->panel);
    }
    PlotPanel *panel = plot->panel[plot->panels++];
    panel->plot = plot;
    panel->count = panel->colors = 0;
    axes.title = keep_text(plot, axes.title);
    keep_axis(plot, &axes.x);
    keep_axis(plot, &axes.y);
    keep_axis(plot, &axes.z);
    panel->axes = axes;
    plot->drawn = false;
    return panel;
}

PlotPanel *plot_cell(Plot *plot, int row, int column, const char *title, PlotAxis x, PlotAxis y)
{
    return plot_panel(plot,
                      (PlotAxes){.row = row, .column = column, .title = title, .x = x, .y = y});
}

PlotAxis plot_axis(const char *label, double low, double high)
{
    return (PlotAxis){.label = label, .low = low, .high = high};
}

PlotAxis plot_log(const char *label, int base, double low, double high)
{
    return (PlotAxis){.label = label, .log = base, .low = low, .high = high};
}

PlotAxis plot_names(const char *label, const char *const *names, int count, double margin)
{
    return (PlotAxis){.label = label,
                      .names = names,
                      .names_count = count,
                      .low = -margin,
                      .high = count - 1 + margin};
}

int panel_under(const Plot *plot, double x, double y)
{
    for (int i = plot->panels - 1; i >= 0; i--) {
        Rect f = plot->panel[i]->frame;
        if (x >= f.x && x <= f.x + f.w && y >= f.y && y <= f.y + f.h)
            return i;
    }
    return -1;
}

static Mark *add(PlotPanel *panel, MarkKind kind, int n, PlotStyle style)
{
    panel->mark = grown(panel->mark, panel->count, sizeof *panel->mark);
    Mark *mark = &panel->mark[panel->count++];
    if (style.color == 0 && kind < MARK_RULE_X)
        style.color = plot_series(panel->colors++);
    style.opacity = style.opacity > 0 ? fmin(style.opacity, 1) : 1;
    style.label = keep_text(panel->plot, style.label);
    style.hover = keep_text(panel->plot, style.hover);
    style.note = keep_text(panel->plot, style.note);
    *mark = (Mark){.kind = kind, .n = n > 0 ? n : 0, .style = style};
    panel->plot->drawn = false;
    return mark;
}

static Mark *add_points(PlotPanel *panel, MarkKind kind, int n, const double *const v[4],
                        PlotStyle style)
{
    ASSERT(n <= 0 || v[1]);
    Mark *mark = add(panel, kind, n, style);
    for (int k = 0; k < 4; k++)
        mark->v[k] = keep(panel->plot, v[k], mark->n * sizeof *v[k]);
    if (!mark->v[0] && mark->n > 0) {
        double *count = alloc(mark->n, sizeof *count);
        for (int i = 0; i < mark->n; i++)
            count[i] = i;
        mark->v[0] = keep(panel->plot, count, mark->n * sizeof *count);
        free(count);
    }
    return mark;
}

void plot_line(PlotPanel *panel, int n, const double *x, const double *y, PlotStyle style)
{
    add_points(panel, MARK_LINE, n, (const double *[4]){x, y}, style);
}

void plot_scatter(PlotPanel *panel, int n, const double *x, const double *y, PlotStyle style)
{
    add_points(panel, MARK_SCATTER, n, (const double *[4]){x, y}, style);
}

void plot_band(PlotPanel *panel, int n, const double *x, const double *low, const double *high,
               PlotStyle style)
{
    add_points(panel, MARK_BAND, n, (const double *[4]){x, low, high}, style);
}

void plot_errors(PlotPanel *panel, int n, const double *x, const double *low, const double *high,
                 PlotStyle style)
{
    add_points(panel, MARK_ERRORS, n, (const double *[4]){x, low, high}, style);
}

void plot_boxes(PlotPanel *panel, int n, const double *x0, const double *x1, const double *y0,
                const double *y1, PlotStyle style)
{
    add_points(panel, MARK_BOXES, n, (const double *[4]){x0, x1, y0, y1}, style);
}

void plot_bars(PlotPanel *panel, int n, const double *x, const double *height, double width,
               PlotStyle style)
{
    n = n > 0 ? n : 0;
    double *edge = alloc(3ul * n + 1, sizeof *edge), *left = edge, *right = edge + n,
           *foot = edge + 2 * n;
    for (int i = 0; i < n; i++) {
        double at = x ? x[i] : i;
        left[i] = at - width / 2;
        right[i] = at + width / 2;
        foot[i] = panel->axes.y.log ? -INFINITY : 0;
    }
    plot_boxes(panel, n, left, right, foot, height, style);
    free(edge);
}

void plot_spreads(PlotPanel *panel, int n, const double *x, const Spread *y, PlotStyle style)
{
    double *median = alloc(3ul * n + 1, sizeof *median), *low = median + n, *high = low + n;
    for (int i = 0; i < n; i++)
        median[i] = y[i].median, low[i] = y[i].low, high[i] = y[i].high;
    if (style.width > 0)
        plot_line(panel, n, x, median, (PlotStyle){.color = style.color, .width = style.width});
    plot_errors(panel, n, x, low, high, (PlotStyle){.color = style.color});
    plot_scatter(panel, n, x, median, style);
    free(median);
}

void plot_spread(PlotPanel *panel, double x, Spread y, PlotStyle style)
{
    plot_spreads(panel, 1, &x, &y, style);
}

static void add_one(PlotPanel *panel, MarkKind kind, double x, double y, const char *text,
                    PlotStyle style)
{
    add_points(panel, kind, 1, (const double *[4]){&x, &y}, style)->text = keep_text(panel->plot,
                                                                                     text);
}

void plot_rule_x(PlotPanel *panel, double x, PlotStyle style)
{
    add_one(panel, MARK_RULE_X, x, 0, NULL, style);
}
void plot_rule_y(PlotPanel *panel, double y, PlotStyle style)
{
    add_one(panel, MARK_RULE_Y, 0, y, NULL, style);
}
void plot_note(PlotPanel *panel, const char *text)
{
    add_one(panel, MARK_NOTE, 0, 0, text, (PlotStyle){0});
}

void plot_text(PlotPanel *panel, double x, double y, const char *text, PlotStyle style)
{
    add_one(panel, MARK_TEXT, x, y, text, style);
}

static Mark *add_grid(PlotPanel *panel, MarkKind kind, PlotGrid grid, PlotStyle style)
{
    ASSERT(grid.nx >= 2 && grid.ny >= 2 && grid.z);
    grid.z = keep(panel->plot, grid.z, sizeof *grid.z * grid.nx * grid.ny);
    Mark *mark = add(panel, kind, 0, style);
    mark->grid = grid;
    return mark;
}

void plot_heat(PlotPanel *panel, PlotGrid grid)
{
    add_grid(panel, MARK_HEAT, grid, (PlotStyle){0});
}

void plot_contours(PlotPanel *panel, PlotGrid grid, PlotStyle style)
{
    add_grid(panel, MARK_CONTOURS, grid, style);
}

void plot_surface(PlotPanel *panel, PlotGrid grid, PlotCamera camera)
{
    if (camera.azimuth == 0 && camera.elevation == 0)
        camera.azimuth = 35, camera.elevation = 30;
    add_grid(panel, MARK_SURFACE, grid, (PlotStyle){0})->camera = camera;
}
