/* plot_fit.c: axis limits from a panel's marks, and the values of its grids between their
 * points. */
#include "plot_inside.h"
#include <math.h>

const Mark *panel_surface(const PlotPanel *panel)
{
    for (int i = 0; i < panel->count; i++)
        if (panel->mark[i].kind == MARK_SURFACE)
            return &panel->mark[i];
    return NULL;
}

const Mark *panel_field(const PlotPanel *panel)
{
    for (int i = panel->count - 1; i >= 0; i--)
        if (panel->mark[i].kind >= MARK_HEAT)
            return &panel->mark[i];
    return NULL;
}

double grid_at(PlotGrid grid, double x, double y)
{
    double u = (x - grid.x_low) / (grid.x_high - grid.x_low) * (grid.nx - 1);
    double v = (y - grid.y_low) / (grid.y_high - grid.y_low) * (grid.ny - 1);
    if (!(u >= -1e-9 && u <= grid.nx - 1 + 1e-9 && v >= -1e-9 && v <= grid.ny - 1 + 1e-9))
        return NAN;
    int i = (int)fmin(fmax(u, 0), grid.nx - 2), j = (int)fmin(fmax(v, 0), grid.ny - 2);
    const double *z = grid.z + (size_t)j * grid.nx + i;
    double s = u - i, t = v - j;
    return (1 - t) * ((1 - s) * z[0] + s * z[1]) + t * ((1 - s) * z[grid.nx] + s * z[grid.nx + 1]);
}

void grid_place(PlotGrid grid, double i, double j, double *x, double *y)
{
    *x = grid.x_low + i * (grid.x_high - grid.x_low) / (grid.nx - 1);
    *y = grid.y_low + j * (grid.y_high - grid.y_low) / (grid.ny - 1);
}

/* Which of a mark's arrays are x values, and which are y values. */
static void fit_points(const Mark *mark, const PlotAxes *axes, Range *x, Range *y)
{
    static const char along[][5] = {
        [MARK_LINE] = "xy",    [MARK_SCATTER] = "xy", [MARK_BAND] = "xyy",  [MARK_ERRORS] = "xyy",
        [MARK_BOXES] = "xxyy", [MARK_RULE_X] = "x",   [MARK_RULE_Y] = " y", [MARK_TEXT] = "xy"};
    for (int k = 0; mark->kind <= MARK_TEXT && along[mark->kind][k]; k++)
        if (mark->v[k] && along[mark->kind][k] != ' ') {
            bool is_x = along[mark->kind][k] == 'x';
            range_add(is_x ? x : y, is_x ? axes->x.log : axes->y.log, mark->n, mark->v[k]);
        }
}

static void fit_names(const PlotAxis *axis, Range *range)
{
    if (axis->names_count > 0)
        range_add(range, 0, 2, (double[2]){-0.5, axis->names_count - 0.5});
}

/* Bars stand on zero without a gap. */
static bool has_bars(const PlotPanel *panel)
{
    for (int i = 0; i < panel->count; i++)
        if (panel->mark[i].kind == MARK_BOXES)
            return true;
    return false;
}

void panel_fit(PlotPanel *panel)
{
    Range x = range_none(), y = range_none(), z = range_none();
    const PlotAxes *axes = &panel->axes;
    bool field = panel_field(panel);
    for (int i = 0; i < panel->count; i++) {
        const Mark *mark = &panel->mark[i];
        if (mark->kind >= MARK_HEAT) {
            range_add(&z, axes->z.log, mark->grid.nx * mark->grid.ny, mark->grid.z);
            range_add(&x, axes->x.log, 2, (double[2]){mark->grid.x_low, mark->grid.x_high});
            range_add(&y, axes->y.log, 2, (double[2]){mark->grid.y_low, mark->grid.y_high});
        } else if (!field) /* a path that leaves the map does not change its axes */
            fit_points(mark, axes, &x, &y);
    }
    fit_names(&axes->x, &x);
    fit_names(&axes->y, &y);
    panel->x = axes->x;
    panel->y = axes->y;
    panel->z = axes->z;
    panel->x.first = x.low;
    panel->y.first = y.low;
    axis_fit(&panel->x, x, field || axes->x.names_count > 0 ? 0 : 0.03);
    axis_fit(&panel->y, y, field || axes->y.names_count > 0 ? 0 : 0.05);
    axis_fit(&panel->z, z, 0);
    if (has_bars(panel) && !axes->y.log && axes->y.low == axes->y.high && y.low == 0)
        panel->y.low = 0;
    if (has_bars(panel) && !axes->y.log && axes->y.low == axes->y.high && y.high == 0)
        panel->y.high = 0;
}
