/* plot_contour.c: level lines of a grid by marching squares (Lorensen & Cline's cubes, one
 * dimension down).
 *
 * A cell's edge is crossed where one end is at or above the level and the other below; linear
 * interpolation gives the point. Inside a cell the crossings are joined in pairs (a saddle has
 * four: the cell's mean decides). An edge belongs to two cells, so each crossing has at most two
 * neighbours, and following them gives whole lines: open ones that start at the border (or at
 * unknown values), then closed ones.
 */
#include "check.h"
#include "plot_inside.h"
#include <math.h>
#include <stdlib.h>

typedef struct Tracer {
    int nx, ny;
    const double *z;
    double level;
    int (*next)[2]; /* per edge: the edges before and after it on its line; -1: none */
} Tracer;

/* Edge 2p runs from point p to the right, 2p + 1 upwards. */
static bool crossed(const Tracer *t, int edge)
{
    int p = edge / 2, q = p + (edge & 1 ? t->nx : 1);
    return (t->z[p] >= t->level) != (t->z[q] >= t->level);
}

static void join(Tracer *t, int a, int b)
{
    t->next[a][t->next[a][0] >= 0] = b;
    t->next[b][t->next[b][0] >= 0] = a;
}

static void march(Tracer *t, int i, int j)
{
    int p = j * t->nx + i;
    const double corner[4] = {t->z[p], t->z[p + 1], t->z[p + t->nx + 1], t->z[p + t->nx]};
    double mean = (corner[0] + corner[1] + corner[2] + corner[3]) / 4;
    if (!isfinite(mean))
        return;
    /* bottom, right, top, left */
    const int around[4] = {2 * p, 2 * (p + 1) + 1, 2 * (p + t->nx), 2 * p + 1};
    int hit[4], hits = 0;
    for (int e = 0; e < 4; e++)
        if (crossed(t, around[e]))
            hit[hits++] = around[e];
    if (hits == 2)
        join(t, hit[0], hit[1]);
    if (hits == 4) { /* the corners that are on the mean's side stay connected through the middle */
        bool first = (corner[0] >= t->level) == (mean >= t->level);
        join(t, hit[0], hit[first ? 1 : 3]);
        join(t, hit[2], hit[first ? 3 : 1]);
    }
}

/* The line from `start` on, taken out of the tracer. */
static Polyline follow(Tracer *t, int start)
{
    int length = 0, *edge = NULL;
    bool closed = false;
    for (int at = start, from = -1;;) {
        edge = grown(edge, length, sizeof *edge);
        edge[length++] = at;
        int to = t->next[at][t->next[at][0] == from];
        if (to < 0 || to == start) {
            closed = to == start && length > 2;
            break;
        }
        from = at;
        at = to;
    }
    Polyline line = {length, closed, alloc(length, sizeof(double)), alloc(length, sizeof(double))};
    for (int k = 0; k < length; k++) {
        int p = edge[k] / 2, up = edge[k] & 1;
        double a = t->z[p], b = t->z[p + (up ? t->nx : 1)], fraction = (t->level - a) / (b - a);
        line.x[k] = p % t->nx + (up ? 0 : fraction);
        line.y[k] = p / t->nx + (up ? fraction : 0);
        t->next[edge[k]][0] = t->next[edge[k]][1] = -1;
    }
    free(edge);
    return line;
}

Contour contour_trace(int nx, int ny, const double *z, double level)
{
    Tracer t = {nx, ny, z, level, alloc(2ul * nx * ny, sizeof *t.next)};
    int edges = 2 * nx * ny;
    for (int e = 0; e < edges; e++)
        t.next[e][0] = t.next[e][1] = -1;
    for (int j = 0; j + 1 < ny; j++)
        for (int i = 0; i + 1 < nx; i++)
            march(&t, i, j);
    Contour contour = {0, NULL};
    for (int closed = 0; closed < 2; closed++)
        for (int e = 0; e < edges; e++)
            if (t.next[e][0] >= 0 && (closed || t.next[e][1] < 0)) {
                contour.line = grown(contour.line, contour.count, sizeof *contour.line);
                contour.line[contour.count++] = follow(&t, e);
            }
    free(t.next);
    return contour;
}

void contour_free(Contour *contour)
{
    for (int i = 0; i < contour->count; i++) {
        free(contour->line[i].x);
        free(contour->line[i].y);
    }
    free(contour->line);
    *contour = (Contour){0, NULL};
}
