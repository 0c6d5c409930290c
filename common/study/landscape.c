/* landscape.c: see landscape.h. */
#include "landscape.h"
#include "check.h"
#include "file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the plane ---- */

static double between(double low, double high, int i, int n)
{
    return n < 2 ? low : low + (high - low) * i / (n - 1);
}
double plane_a(const Plane *p, int i) { return between(p->a_low, p->a_high, i, p->nx); }
double plane_b(const Plane *p, int j)
{
    return p->ny < 2 ? 0 : between(p->b_low, p->b_high, j, p->ny);
}

void plane_go(const Plane *p, Model *m, double a, double b)
{
    float *w = alloc(p->count, sizeof *w);
    for (int k = 0; k < p->count; k++)
        w[k] = (float)(p->w[k] + a * p->x[k] + (p->y ? b * p->y[k] : 0));
    m->be->op->upload(m->s, m->params, w);
    free(w);
}

/* ---- the surface ---- */

Surface *surface_new(int nx, int ny)
{
    Surface *s = alloc(1, sizeof *s);
    *s = (Surface){nx, ny, 0, alloc((size_t)nx * ny, sizeof(double)),
                   alloc((size_t)nx * ny, sizeof(double))};
    for (int k = 0; k < nx * ny; k++)
        s->loss[k] = s->accuracy[k] = NAN;
    return s;
}

void surface_free(Surface *s)
{
    if (!s)
        return;
    free(s->loss);
    free(s->accuracy);
    free(s);
}

/* The step of the coarsest grid: a power of two that leaves 4 to 7 intervals on the longer side. */
static int first_step(int nx, int ny)
{
    int longer = nx > ny ? nx : ny, step = 1;
    while (step * 8 <= longer - 1)
        step *= 2;
    return step;
}

void surface_fill(double *out, const Surface *s, const double *values)
{
    int coarsest = first_step(s->nx, s->ny);
    for (int j = 0; j < s->ny; j++)
        for (int i = 0; i < s->nx; i++) {
            double v = values[j * s->nx + i];
            for (int step = 2; isnan(s->loss[j * s->nx + i]) && isnan(v) && step <= coarsest;
                 step *= 2)
                v = values[(j - j % step) * s->nx + i - i % step];
            out[j * s->nx + i] = v;
        }
}

void landscape_order(int *order, int nx, int ny)
{
    int n = 0, coarsest = first_step(nx, ny);
    for (int step = coarsest; step >= 1; step /= 2)
        for (int j = 0; j < ny; j += step)
            for (int i = 0; i < nx; i += step)
                if (step == coarsest || j % (2 * step) || i % (2 * step))
                    order[n++] = j * nx + i;
    ASSERT(n == nx * ny);
}

void surface_write(const Surface *s, const Plane *p, const json_t *what, const char *path)
{
    char *json = json_dumps(what, JSON_COMPACT | JSON_SORT_KEYS);
    ASSERT(json);
    NewFile *f = file_begin(path);
    file_print(f, "# %s\na,b,loss,accuracy\n", json);
    for (int j = 0; j < s->ny; j++)
        for (int i = 0; i < s->nx; i++)
            file_print(f, "%.9g,%.9g,%.9g,%.9g\n", plane_a(p, i), plane_b(p, j),
                       s->loss[j * s->nx + i], s->accuracy[j * s->nx + i]);
    char *error = file_commit(f);
    REQUIRE(!error, "surface not written: %s", error);
    free(json);
}

/* ---- the work ---- */

typedef struct Work {
    const Landscape *l;
    int *item; /* the missing points, coarse to fine */
} Work;

static bool measure(void *context, int item, double *value, TaskFarmRun *farm)
{
    const Work *work = context;
    const Landscape *l = work->l;
    int point = work->item[item];
    double a = plane_a(&l->plane, point % l->plane.nx), b = plane_b(&l->plane, point / l->plane.nx);
    plane_go(&l->plane, l->m, a, b);
    Metrics metrics = eval_set_metrics(l->m, l->subset, l->mode);
    value[0] = a;
    value[1] = b;
    value[2] = metrics_loss(metrics);
    value[3] = metrics_accuracy(metrics);
    return true;
}

static void enter(const Landscape *l, int point, double loss, double accuracy)
{
    background_lock(l->watch);
    l->surface->loss[point] = loss;
    l->surface->accuracy[point] = accuracy;
    l->surface->known++;
    background_unlock(l->watch);
}

static void found(void *context, int item, const double *value)
{
    const Work *work = context;
    if (work->l->log)
        sweep_add(work->l->log, work->item[item], 0, value);
    enter(work->l, work->item[item], value[2], value[3]);
}

static bool goes_on(void *context)
{
    const Work *work = context;
    return !stop_requested() && background_goes_on(work->l->watch);
}

/* A value as the log has it. */
static double as_written(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", value);
    return strtod(text, NULL);
}

char *landscape_check(const Plane *p, const Sweep *log)
{
    for (int k = 0; k < log->rows; k++) {
        const SweepRow *row = &log->row[k];
        double point = row->setting, a = row->value[0], b = row->value[1], loss = row->value[2],
               accuracy = row->value[3];
        if (!(point >= 0 && point < (double)p->nx * p->ny && point == floor(point)) || row->seed)
            return format_new("line %d: point %.9g of seed %lld is not on the grid",
                              sweep_line(log, row), point, (long long)row->seed);
        int i = (int)point % p->nx, j = (int)point / p->nx;
        if (a != as_written(plane_a(p, i)) || b != as_written(plane_b(p, j)))
            return format_new("line %d: point %d is at (%.9g, %.9g), not at (%.9g, %.9g)",
                              sweep_line(log, row), (int)point, plane_a(p, i), plane_b(p, j), a, b);
        if (loss < 0 || !(accuracy >= 0 && accuracy <= 1)) /* loss: far out it may overflow */
            return format_new("line %d: point %d cannot have loss %.9g and accuracy %.9g",
                              sweep_line(log, row), (int)point, loss, accuracy);
    }
    return NULL;
}

/* Rank 0 enters the points of the log; the missing ones, the same list on every rank, go to
 * item. */
static int missing_points(const Landscape *l, Comm *c, int *item)
{
    int points = l->plane.nx * l->plane.ny, n = 0;
    char *there = alloc(points, 1), *wrong = l->log ? landscape_check(&l->plane, l->log) : NULL;
    REQUIRE(!wrong, "%s: %s: repair or remove that line", l->log->path, wrong);
    for (int k = 0; l->log && k < l->log->rows; k++) {
        const SweepRow *row = &l->log->row[k];
        int point = (int)row->setting;
        enter(l, point, row->value[2], row->value[3]);
        there[point] = 1;
    }
    comm_broadcast_host(c, there, points, 0);
    landscape_order(item, l->plane.nx, l->plane.ny);
    for (int k = 0; k < points; k++)
        if (!there[item[k]])
            item[n++] = item[k];
    free(there);
    return n;
}

bool landscape_run(const Landscape *l, Comm *c)
{
    Work work = {l, alloc((size_t)l->plane.nx * l->plane.ny, sizeof(int))};
    int items = missing_points(l, c, work.item);
    bool complete = task_farm_run(c, l->m->be,
                                  &(TaskFarm){.items = items,
                                              .values = 4,
                                              .ahead = 1,
                                              .context = &work,
                                              .work = measure,
                                              .found = found,
                                              .goes_on = goes_on});
    free(work.item);
    return complete;
}
