/* live_plane.c: the plane through weight space under the surface: it is laid, measured from coarse
 * to fine, and the path is projected onto it. Three kinds:
 *
 *   PLANE_PATH        through now, along the two principal directions of the path so far, in which
 *                     training moves most
 *   PLANE_START_NOW   through now and the start, and along a random, filter-normalised direction
 *   PLANE_RANDOM      around now, along two such directions: what a random walk would see
 */
#include "check.h"
#include "directions.h"
#include "lab1.h"
#include "live.h"
#include "parts/1_linear/linear.h"
#include "pca.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double distance(const float *a, const float *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    return sqrt(sum);
}

static void ground_begin(Ground *g, int D)
{
    if (!g->w) {
        g->w = alloc(D, sizeof(float));
        g->x = alloc(D, sizeof(float));
        g->y = alloc(D, sizeof(float));
        g->from = alloc(D, sizeof(float));
    }
    g->plane =
        (Plane){.count = D, .w = g->w, .x = g->x, .y = g->y, .nx = LIVE_SIDE, .ny = LIVE_SIDE};
    surface_free(g->surface);
    g->surface = surface_new(LIVE_SIDE, LIVE_SIDE);
    g->projected = 0;
}

void ground_free(Ground *g)
{
    free(g->w);
    free(g->x);
    free(g->y);
    free(g->from);
    surface_free(g->surface);
}

static void set_range(Plane *p, double a_low, double a_high, double b_low, double b_high)
{
    p->a_low = a_low;
    p->a_high = a_high;
    p->b_low = b_low;
    p->b_high = b_high;
}

/* ---- the three kinds ---- */

static void lay_random(Live *l, Ground *g)
{
    g->kind = PLANE_RANDOM;
    memcpy(g->w, l->trail.sound, g->plane.count * sizeof(float));
    l->probe->be->op->upload(l->probe->s, l->probe->params, l->trail.sound);
    directions_draw(l->probe, g->x, g->y, l->setup.seed, l->setup.by_filter);
    double reach = l->wish.reach > 0 ? l->wish.reach : 1;
    set_range(&g->plane, -reach, reach, -reach, reach);
}

static void lay_start_now(Live *l, Ground *g)
{
    lay_random(l, g);
    g->kind = PLANE_START_NOW;
    for (int i = 0; i < g->plane.count; i++) {
        g->y[i] = g->x[i];
        g->x[i] = l->trail.w[0][i] - l->trail.sound[i];
    }
    set_range(&g->plane, -0.6, 1.5, -1, 1);
}

/* The path's extent along direction c, and a margin. */
static void extent(const Pca *p, int c, double *low, double *high)
{
    *low = *high = 0;
    for (int i = 0; i < p->n; i++) {
        *low = fmin(*low, p->coordinates[i * p->k + c]);
        *high = fmax(*high, p->coordinates[i * p->k + c]);
    }
    double margin = 0.4 * (*high - *low);
    *low -= margin;
    *high += margin;
}

/* The path's direction c as d [D], with its sign flipped if the plane that is shown has the
 * opposite one: no mirror images while someone is watching. */
static void take_direction(const Live *l, const Pca *p, int c, float *d, double *low, double *high)
{
    const Ground *old = &l->shown;
    const float *before = c == 0 ? old->x : old->y;
    double along = 0;
    memcpy(d, p->directions + c * p->dimension, p->dimension * sizeof *d);
    extent(p, c, low, high);
    for (size_t i = 0; old->laid && old->kind == PLANE_PATH && i < p->dimension; i++)
        along += (double)d[i] * before[i];
    if (along >= 0)
        return;
    for (size_t i = 0; i < p->dimension; i++)
        d[i] = -d[i];
    double swap = *low;
    *low = -*high;
    *high = -swap;
}

static void lay_path(Live *l, Ground *g)
{
    const float *shots[LIVE_SNAPSHOTS + 1];
    int count = l->trail.sound_count;
    for (int k = 0; k < count; k++)
        shots[k] = l->trail.w[k];
    shots[count] = l->trail.sound;
    double a_low, a_high, b_low, b_high;
    Pca *p = pca_new(shots, count + 1, g->plane.count, 2);
    lay_random(l, g);
    g->kind = PLANE_PATH;
    take_direction(l, p, 0, g->x, &a_low, &a_high);
    g->explained[0] = p->explained[0];
    g->explained[1] = 0;
    b_low = 0.3 * a_low;
    b_high = 0.3 * a_high;
    if (p->k > 1) {
        take_direction(l, p, 1, g->y, &b_low, &b_high);
        g->explained[1] = p->explained[1];
        /* not too flat a rectangle */
        double least = 0.5 * (a_high - a_low), missing = fmax(0, least - (b_high - b_low));
        b_low -= missing / 2;
        b_high += missing / 2;
    }
    set_range(&g->plane, a_low, a_high, b_low, b_high);
    pca_free(p);
}

/* Is there a path to lay a plane along? */
static bool has_moved(const Live *l)
{
    const Trail *t = &l->trail;
    return t->updates >= 3 && distance(t->sound, t->w[0], l->run.m->params.n) > 0;
}

static void lay(Live *l, Ground *g, PlaneKind wanted)
{
    int D = l->run.m->params.n;
    ground_begin(g, D);
    if (wanted == PLANE_PATH && has_moved(l))
        lay_path(l, g);
    else if (wanted == PLANE_START_NOW && has_moved(l))
        lay_start_now(l, g);
    else
        lay_random(l, g);
    double square = 0;
    for (int i = 0; i < D; i++)
        square += (double)g->x[i] * g->x[i];
    g->width = sqrt(square) * (g->plane.a_high - g->plane.a_low);
    memcpy(g->from, l->trail.sound, D * sizeof(float));
    g->wanted = wanted;
    g->laid = true;
}

void ground_forget(Live *l)
{
    l->shown.laid = l->coming.laid = false;
    if (!l->points[1])
        landscape_order(l->points, LIVE_SIDE, LIVE_SIDE);
}

void ground_replay(Live *l) { l->shown.projected = 0; }

/* ---- the path ---- */

/* The coordinates of the weights in the plane. Returns their distance from it. */
static double project(const Ground *g, const float *weights, double *a, double *b)
{
    int D = g->plane.count;
    float *v = alloc(D, sizeof *v);
    for (int i = 0; i < D; i++)
        v[i] = weights[i] - g->w[i];
    double off = plane_coordinates(a, b, v, g->x, g->y, D);
    free(v);
    return off;
}

void ground_find(const Live *l, const float *w, double *a, double *b)
{
    project(&l->shown, w, a, b);
}

void ground_at(const Live *l, float *w, double a, double b)
{
    const Plane *p = &l->shown.plane;
    for (int i = 0; i < p->count; i++)
        w[i] = (float)(p->w[i] + a * p->x[i] + b * p->y[i]);
}

void ground_path(Live *l)
{
    Ground *g = &l->shown;
    const Trail *t = &l->trail;
    if (!l->setup.path || !g->laid)
        return;
    if (g->projected > t->count) /* every other snapshot was dropped */
        g->projected = 0;
    for (; g->projected < t->count; g->projected++)
        g->off[g->projected] = project(g, t->w[g->projected], &g->a[g->projected],
                                       &g->b[g->projected]);
    double a, b, off = project(g, t->now, &a, &b),
                 moved = distance(t->now, t->w[0], g->plane.count);
    for (int k = 0; k < t->count; k++)
        off = fmax(off, g->off[k]);
    background_lock(l->thread);
    LiveSeen *s = &l->seen;
    l->changes++;
    memcpy(s->a, g->a, t->count * sizeof *g->a);
    memcpy(s->b, g->b, t->count * sizeof *g->b);
    s->path_points = t->count + 1;
    s->a[t->count] = a;
    s->b[t->count] = b;
    s->off = off;
    s->moved = moved;
    background_unlock(l->thread);
}

/* ---- the surface ---- */

/* Points along a side of the finest complete grid: 9, 17, 33; 0: none yet. landscape_order() starts
 * with every 4th. */
static int complete_side(int known)
{
    int side = 0;
    for (int n = (LIVE_SIDE - 1) / 4 + 1; n <= LIVE_SIDE; n = 2 * n - 1)
        side = known >= n * n ? n : side;
    return side;
}

static void publish(Live *l, int side)
{
    const Ground *g = &l->shown;
    int step = (LIVE_SIDE - 1) / (side - 1);
    background_lock(l->thread);
    LiveSeen *s = &l->seen;
    l->changes++;
    s->plane = g->kind;
    s->side = side;
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++)
            s->z[j * side + i] = g->surface->loss[j * step * LIVE_SIDE + i * step];
    s->a_low = g->plane.a_low;
    s->a_high = g->plane.a_high;
    s->b_low = g->plane.b_low;
    s->b_high = g->plane.b_high;
    memcpy(s->explained, g->explained, sizeof s->explained);
    background_unlock(l->thread);
}

static void measure_next(Live *l, Ground *g)
{
    int point = l->points[g->surface->known++];
    plane_go(&g->plane, l->probe, plane_a(&g->plane, point % LIVE_SIDE),
             plane_b(&g->plane, point / LIVE_SIDE));
    g->surface->loss[point] = metrics_loss(
        eval_set_metrics(l->probe, l->ground_set, MODEL_FROZEN_STATS));
}

/* A new plane is due when the weights have moved by 5 % of the width of the plane that is shown and
 * this one is completely measured; at once when they have moved by 15 %, and are about to leave it,
 * or when another kind is requested. */
static bool another_is_due(const Live *l, PlaneKind wanted)
{
    const Ground *g = &l->shown;
    bool whole = complete_side(g->surface->known) == LIVE_SIDE;
    double moved = distance(l->trail.sound, g->from, g->plane.count);
    return g->wanted != wanted || (g->kind != g->wanted && has_moved(l)) ||
           moved > (whole ? 0.05 : 0.15) * g->width;
}

bool ground_work(Live *l, PlaneKind wanted, bool hold)
{
    Ground *c = &l->coming;
    if (c->laid ? c->wanted != wanted : !l->shown.laid || (!hold && another_is_due(l, wanted)))
        lay(l, c, wanted);
    Ground *g = c->laid ? c : &l->shown;
    if (complete_side(g->surface->known) == LIVE_SIDE)
        return false;
    int before = complete_side(g->surface->known);
    measure_next(l, g);
    int side = complete_side(g->surface->known);
    if (side == before)
        return true;
    if (g == c) {
        Ground old = l->shown;
        l->shown = *c;
        *c = old;
        c->laid = false;
    }
    publish(l, side);
    ground_path(l);
    return true;
}
