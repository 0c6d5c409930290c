/* plot_hover.c: the text for what is under the pointer: the nearest point of a panel's lines and
 * points, or else the value of its map or surface there. Needs no window. */
#ifdef HAVE_CAIRO
#include "plot_inside.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NEAR = 10, NEAR_ALONE = 24 }; /* units; the second without a map behind the points */

/* Append "name = value" of an axis: its label up to what explains it ("a: …", "loss (…)"), and its
 * category's name or four digits. */
static void add(Hover *h, const PlotAxis *axis, const char *otherwise, double value)
{
    if (!isfinite(value))
        return;
    size_t used = strlen(h->text), room = sizeof h->text - used;
    const char *label = axis->label && *axis->label ? axis->label : otherwise;
    int length = (int)strcspn(label, ":(");
    while (length > 0 && label[length - 1] == ' ')
        length--;
    const char *between = used == 0 || h->text[used - 1] == ' ' ? "" : " · ";
    long category = lround(fmin(fmax(value, -1), axis->names_count));
    if (category >= 0 && category < axis->names_count)
        snprintf(h->text + used, room, "%s%.*s = %s", between, length, label,
                 axis->names[category]);
    else
        snprintf(h->text + used, room, "%s%.*s = %s%.4g", between, length, label,
                 value < 0 ? "−" : "", fabs(value));
}

static void describe(Hover *h, const PlotPanel *panel, double x, double y)
{
    const Mark *field = panel_field(panel);
    add(h, &panel->x, "x", x);
    add(h, &panel->y, "y", y);
    if (field)
        add(h, &panel->z, "value", grid_at(field->grid, x, y));
}

/* The nearest point of a line or a scatter, at most `nearest` away. */
static const Mark *nearest_point(const PlotPanel *panel, double px, double py, double nearest,
                                 int *point)
{
    const Mark *found = NULL;
    for (const Mark *m = panel->mark; m < panel->mark + panel->count; m++)
        for (int i = 0; (m->kind == MARK_LINE || m->kind == MARK_SCATTER) && i < m->n; i++) {
            double away = hypot(at_x(panel, m->v[0][i]) - px, at_y(panel, m->v[1][i]) - py);
            /* a later mark lies above an earlier one */
            if (away <= nearest) {
                nearest = away;
                found = m;
                *point = i;
            }
        }
    return found;
}

static bool on_surface(const PlotPanel *panel, Hover *h)
{
    double x, y;
    if (!surface_pick(panel, h->x, h->y, &x, &y))
        return false;
    describe(h, panel, x, y);
    return true;
}

bool hover_at(const Plot *plot, double px, double py, Hover *h)
{
    int index = panel_under(plot, px, py), point;
    *h = (Hover){.x = px, .y = py};
    if (index < 0)
        return false;
    const PlotPanel *panel = plot->panel[index];
    if (panel_surface(panel))
        return on_surface(panel, h);
    const Mark *mark = nearest_point(panel, px, py, panel_field(panel) ? NEAR : NEAR_ALONE, &point);
    if (mark) {
        double x = mark->v[0][point], y = mark->v[1][point];
        *h = (Hover){.x = at_x(panel, x), .y = at_y(panel, y), .on_point = true};
        if (mark->style.hover) {
            snprintf(h->text, sizeof h->text, "%s", mark->style.hover);
            return true;
        }
        if (mark->style.label)
            snprintf(h->text, sizeof h->text, "%.80s: ", mark->style.label);
        describe(h, panel, x, y);
    } else if (panel_field(panel))
        describe(h, panel, axis_value(&panel->x, (px - panel->frame.x) / panel->frame.w),
                 axis_value(&panel->y, 1 - (py - panel->frame.y) / panel->frame.h));
    return *h->text;
}
#endif
