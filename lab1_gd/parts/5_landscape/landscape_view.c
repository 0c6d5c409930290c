/* landscape_view.c: the figure of part 5: one network in four panels, or two side by side on one
 * scale. */
#include "landscape_view.h"
#include "check.h"
#include "quantiles.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double HIGHEST = 50; /* losses above this are cut off */

/* The colour scale: from the lowest loss to the 95th percentile, so that single peaks do not
 * flatten the rest. */
static void scale_of(PlotAxis *z, int n, const Surface *const *s)
{
    int total = 0, known = 0;
    for (int k = 0; k < n; k++)
        total += s[k] ? s[k]->nx * s[k]->ny : 0;
    double *v = alloc(total + 1, sizeof *v);
    for (int k = 0; k < n; k++)
        for (int i = 0; s[k] && i < s[k]->nx * s[k]->ny; i++)
            if (isfinite(s[k]->loss[i]))
                v[known++] = s[k]->loss[i];
    sort_ascending(v, known);
    *z = (PlotAxis){.label = "loss", .log = 2};
    if (known > 1) {
        z->low = fmax(v[0], 1e-4);
        z->high = fmin(fmax(v[(int)(0.95 * (known - 1))], 1.5 * z->low), HIGHEST);
    }
    free(v);
}

/* The grid to draw: unknown points take the coarse grid's value. free() grid.z */
static PlotGrid grid_of(const Slice *s)
{
    double *z = alloc((size_t)s->surface->nx * s->surface->ny, sizeof *z);
    const Plane *p = &s->plane;
    surface_fill(z, s->surface, s->surface->loss);
    return (PlotGrid){s->surface->nx, s->surface->ny, p->a_low, p->a_high, p->b_low, p->b_high, z};
}

static void draw_field(PlotPanel *panel, const LandscapeView *v, const Slice *s)
{
    if (!s->surface)
        return;
    PlotGrid grid = grid_of(s);
    if (v->heat)
        plot_heat(panel, grid);
    plot_contours(panel, grid, (PlotStyle){.width = 1.3, .color = v->heat ? PLOT_WHITE : 0});
    free((double *)grid.z);
}

static void draw_centre(PlotPanel *panel)
{
    double zero = 0;
    plot_scatter(panel, 1, &zero, &zero,
                 (PlotStyle){.color = plot_series(1), .shape = PLOT_STAR, .size = 12});
}

const char *look_name(const Look *l) { return l->net ? l->net->name : l->name ? l->name : ""; }

/* "resnet20 without skips · loss 0.103"; of one alone with the updates */
static char *title_of(const LandscapeView *v, const Look *l)
{
    const Network *n = l->net;
    if (n ? !n->snapshots : !l->updates)
        return format_new("%s ", look_name(l));
    int updates = n ? n->updates : l->updates;
    double loss = n ? n->loss[n->snapshots - 1] : l->loss;
    return v->looks > 1 ? format_new("%s · loss %.3f", look_name(l), loss)
                        : format_new("%s · %d updates · loss %.3f", look_name(l), updates, loss);
}

static const Slice *shown(const LandscapeView *v, const Look *l)
{
    return v->sharp ? &l->sharp : &l->plane;
}

static void draw_line(PlotPanel *panel, const Slice *s, const char *label, uint32_t color,
                      bool dashed)
{
    if (!s->surface)
        return;
    int n = s->surface->nx;
    double *x = alloc(n, sizeof *x), *z = alloc(n, sizeof *z);
    surface_fill(z, s->surface, s->surface->loss);
    for (int i = 0; i < n; i++)
        x[i] = plane_a(&s->plane, i);
    plot_line(panel, n, x, z, (PlotStyle){.label = label, .color = color, .dashed = dashed});
    free(x);
    free(z);
}

static void draw_lines(PlotPanel *panel, const LandscapeView *v)
{
    for (int k = 0; k < v->looks; k++) {
        const Look *l = &v->look[k];
        const char *name = v->looks > 1 ? look_name(l) : "";
        char *train = format_new("%s%straining", name, *name ? ": " : ""),
             *test = format_new("%s%stest", name, *name ? ": " : "");
        draw_line(panel, &l->train, train, plot_series(k ? 1 : 0), false);
        draw_line(panel, &l->test, test, plot_series(k ? 1 : 0), true);
        free(train);
        free(test);
    }
    plot_rule_x(panel, 0, (PlotStyle){.color = PLOT_GREY, .width = 1});
}

/* "s: along the sharpest direction, λ = 95" */
static char *axis_label(const LandscapeView *v, const Look *l, bool second)
{
    if (!v->sharp)
        return format_new(v->looks > 1 ? "%s"
                          : second     ? "%s: along the second"
                                       : "%s: along the first direction",
                          second ? "b" : "a");
    if (!l->edges.steps)
        return format_new("%s", second ? "d" : "s");
    double lambda = second ? l->edges.bottom : l->edges.top;
    return format_new("%s, λ = %s%.3g",
                      second         ? "d: most downward"
                      : v->looks > 1 ? "s: sharpest"
                                     : "s: along the sharpest direction",
                      lambda < 0 ? "−" : "", fabs(lambda));
}

/* While training: the loss so far. */
static void draw_training(PlotPanel *panel, const Look *l)
{
    const Network *n = l->net;
    double *x = alloc(n->snapshots + 1, sizeof *x);
    for (int k = 0; k < n->snapshots; k++)
        x[k] = n->at[k];
    plot_line(panel, n->snapshots, x, n->loss,
              (PlotStyle){.label = n->name, .color = plot_series(1), .head = true});
    free(x);
}

/* A snapshot in the colour of its loss: where it differs from the map's, the plane shows little. */
static void draw_snapshot(PlotPanel *panel, PlotAxis z, const Look *l, int i, double a, double b)
{
    const double *loss = l->path_loss ? &l->path_loss[2 * (ptrdiff_t)i] : NULL;
    char *text = NULL;
    uint32_t color = plot_series(1);
    if (loss && isfinite(loss[0])) {
        text = format_new("update %d: loss %.3g · in the plane %.3g · %.2g away from the plane",
                          l->net->at[i], loss[0], loss[1], l->pca->off[i]);
        color = plot_map_color(PLOT_VIRIDIS, log(loss[0] / z.low) / log(z.high / z.low));
    }
    plot_scatter(panel, 1, &a, &b,
                 (PlotStyle){.color = color, .size = loss ? 9 : 4, .hover = text});
    free(text);
}

static void draw_path(PlotPanel *panel, PlotAxis z, const Look *l)
{
    int n = l->pca->n, k = l->pca->k;
    double *a = alloc(n, sizeof *a), *b = alloc(n, sizeof *b);
    for (int i = 0; i < n; i++) {
        a[i] = l->pca->coordinates[i * k];
        b[i] = k > 1 ? l->pca->coordinates[i * k + 1] : 0;
    }
    plot_line(panel, n, a, b, (PlotStyle){.label = "training path", .color = plot_series(1)});
    for (int i = 0; i < n; i++)
        draw_snapshot(panel, z, l, i, a[i], b[i]);
    free(a);
    free(b);
    draw_centre(panel);
}

static PlotAxis direction(const Slice *s, bool second, const char *label)
{
    const Plane *p = &s->plane;
    return s->surface ? (PlotAxis){.label = label,
                                   .low = second ? p->b_low : p->a_low,
                                   .high = second ? p->b_high : p->a_high}
                      : (PlotAxis){.label = label, .low = -1, .high = 1};
}

static void draw_valley(const LandscapeView *v, Plot *plot, const Look *l)
{
    if (!l->pca) {
        PlotPanel *panel = plot_cell(plot, 1, 0, "Training", plot_axis("update", 0, 0),
                                     plot_log("loss", 10, 0, 0));
        if (l->net && l->net->snapshots)
            draw_training(panel, l);
        return;
    }
    char *x = format_new("1st principal direction (%.0f %% of the variance)",
                         100 * l->pca->explained[0]);
    char *y = format_new("2nd (%.0f %%)", l->pca->k > 1 ? 100 * l->pca->explained[1] : 0);
    PlotAxes axes = {.row = 1,
                     .title = "Training path: each point in the colour of its own loss",
                     .x = direction(&l->valley, false, x),
                     .y = direction(&l->valley, true, y)};
    scale_of(&axes.z, 1, (const Surface *const[]){l->valley.surface});
    PlotPanel *panel = plot_panel(plot, axes);
    draw_field(panel, v, &l->valley);
    draw_path(panel, axes.z, l);
    free(x);
    free(y);
}

Roughness look_roughness(const Look *l)
{
    const Surface *s = l->plane.surface;
    const Plane *p = &l->plane.plane;
    if (!s || s->nx < 3 || s->ny < 3)
        return (Roughness){0};
    return roughness(s->loss, s->nx, s->ny, (p->a_high - p->a_low) / (p->nx - 1),
                     (p->b_high - p->b_low) / (p->ny - 1));
}

/* The lines are those of the directions without the Hessian. */
static const char *along_title(const LandscapeView *v)
{
    return v->sharp ? "Along a (not the Hessian's)" : "Along the first direction";
}

/* Look k's plane as a map, in column k. */
static void draw_map(const LandscapeView *v, Plot *plot, PlotAxis z, int k)
{
    const Look *l = &v->look[k];
    char *title = title_of(v, l), *x = axis_label(v, l, false), *y = axis_label(v, l, true);
    PlotPanel *panel = plot_panel(plot, (PlotAxes){.column = k,
                                                   .title = title,
                                                   .x = direction(shown(v, l), false, x),
                                                   .y = direction(shown(v, l), true, y),
                                                   .z = z});
    draw_field(panel, v, shown(v, l));
    draw_centre(panel);
    if (v->sharp && !l->sharp.surface)
        plot_note(panel, l->edges.steps && l->edges.top <= 0
                             ? "no direction of this loss is curved upwards"
                             : "the Hessian's plane is not measured yet: it comes last");
    if (v->missing && k == 0)
        plot_note(panel, v->missing);
    free(title), free(x), free(y);
}

/* And as a surface. */
static void draw_3d(const LandscapeView *v, Plot *plot, const Look *l, PlotAxes axes)
{
    const Slice *s = shown(v, l);
    axes.x.label = v->sharp ? "s" : "a";
    axes.y.label = v->sharp ? "d" : "b";
    PlotPanel *panel = plot_panel(plot, axes);
    if (!s->surface)
        return;
    PlotGrid grid = grid_of(s);
    plot_surface(panel, grid, v->camera);
    free((double *)grid.z);
}

static void draw_one(const LandscapeView *v, Plot *plot, PlotAxis z, const char *heading)
{
    const Look *l = &v->look[0];
    plot_begin(plot, 2, 2, "%s", heading);
    draw_map(v, plot, z, 0);
    draw_3d(v, plot, l,
            (PlotAxes){
                .column = 1, .rows = v->lines ? 1 : 2, .title = "The same as a surface", .z = z});
    draw_valley(v, plot, l);
    if (v->lines)
        draw_lines(plot_cell(plot, 1, 1, along_title(v), direction(&l->train, false, "a"),
                             plot_log("loss", 10, 0, 0)),
                   v);
}

static void draw_two(const LandscapeView *v, Plot *plot, PlotAxis z, const char *heading)
{
    plot_begin(plot, 2, 3, "%s", heading);
    draw_map(v, plot, z, 0);
    draw_map(v, plot, z, 1);
    for (int k = 0; k < 2; k++) {
        Roughness r = look_roughness(&v->look[k]);
        const HessianEdges *e = &v->look[k].edges;
        char *title = !e->steps
                        ? format_new("negative curvature at %.1f %% of points", 100 * r.negative)
                    : v->sharp ? format_new("eigenvalues from %s%.3g to %.3g",
                                            e->bottom < 0 ? "−" : "", fabs(e->bottom), e->top)
                               : format_new("curves down at %.0f %% of points · λ = %.3g",
                                            100 * r.negative, e->top);
        draw_3d(v, plot, &v->look[k], (PlotAxes){.row = 1, .column = k, .title = title, .z = z});
        free(title);
    }
    PlotPanel *lines = plot_panel(plot, (PlotAxes){.column = 2,
                                                   .rows = 2,
                                                   .title = along_title(v),
                                                   .x = direction(&v->look[0].train, false, "a"),
                                                   .y = plot_log("loss", 10, 0, 0)});
    draw_lines(lines, v);
}

void landscape_draw(const LandscapeView *v, Plot *plot)
{
    char text[512];
    const HessianEdges *e = &v->look[0].edges;
    PlotAxis z;
    scale_of(&z, 2,
             (const Surface *const[]){shown(v, &v->look[0])->surface,
                                      v->looks > 1 ? shown(v, &v->look[1])->surface : NULL});
    char *heading = format_new("%s · %s", v->title,
                               v->sharp ? "batch statistics · the Hessian's own directions"
                                        : v->directions);
    if (v->looks == 1)
        draw_one(v, plot, z, heading);
    else
        draw_two(v, plot, z, heading);
    free(heading);
    int used = snprintf(text, sizeof text, "%s", v->phase);
    if (e->steps && v->looks == 1)
        snprintf(text + used, sizeof text - used,
                 " · Hessian: λ from %s%.3g to %.3g (Lanczos, %d steps)", e->bottom < 0 ? "−" : "",
                 fabs(e->bottom), e->top, e->steps);
    const Look *l = &v->look[0];
    if (v->sharp && l->sharp.surface && l->length > 0)
        snprintf(
            text, sizeof text,
            "the Hessian's own directions: the weights move by %.2g from the middle to an edge "
            "(in the random plane by %.2g) · d: random directions",
            l->sharp.plane.a_high, l->length * l->plane.plane.a_high);
    plot_footer(plot, "%s", text);
}

bool landscape_is_3d(const LandscapeView *v, int panel)
{
    return v->looks == 1 ? panel == 1 : panel == 2 || panel == 3;
}

static int known(const Slice *s) { return s->surface ? 1 + s->surface->known : 0; }

int64_t landscape_changes(const LandscapeView *v)
{
    int64_t changes = v->phases;
    for (int k = 0; k < v->looks; k++) {
        const Look *l = &v->look[k];
        changes += (l->net ? 1 + l->net->snapshots : 0) + known(&l->plane) + known(&l->train) +
                   known(&l->test) + known(&l->valley) + known(&l->sharp) + (l->pca != NULL) +
                   l->path_known + l->edges.steps;
    }
    return changes;
}
