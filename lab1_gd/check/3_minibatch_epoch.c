/* 3_minibatch_epoch.c: the check of minibatch_epoch: each update against its own batch's loss. */
#include "exercise.h"
#include "lab1.h"
#include "linear/linear.h"
#include <math.h>
#include <string.h>

enum { POINTS = 40, LOG = 64 };
static const double RATE = 0.07;

/* This check's own gradient() and update(), so that it works before those exercises are done. The
 * gradient is by central differences, which are exact for a parabola. */
void gradient(double *dw, double *db, const double *x, const double *y, int n, double w, double b)
{
    double sums[2 * POINTS];
    WRONG_UNLESS(n >= 1 && n <= POINTS, "it asked for the gradient over %d of %d points", n,
                 POINTS);
    Points p = {.n = n,
                .x = memcpy(sums, x, n * sizeof *x),
                .y = memcpy(sums + n, y, n * sizeof *y)};
    Parabola l = parabola_of(&p, 0, n);
    *dw = parabola_loss(&l, w + 0.5, b) - parabola_loss(&l, w - 0.5, b);
    *db = parabola_loss(&l, w, b + 0.5) - parabola_loss(&l, w, b - 0.5);
}

void update(double *w, double *b, double dw, double db, double rate)
{
    double *weight[2] = {w, b}, gradient[2] = {dw, db};
    for (int i = 0; i < 2; i++)
        *weight[i] = fma(-rate, gradient[i], *weight[i]);
}

typedef struct Reports {
    int count, first[LOG], size[LOG];
    double w[LOG], b[LOG];
} Reports;

static void record(void *context, int first, int size, double w, double b)
{
    Reports *t = context;
    WRONG_UNLESS(t->count < LOG, "more than %d updates reported in an epoch of at most %d examples",
                 LOG, POINTS);
    t->first[t->count] = first;
    t->size[t->count] = size;
    t->w[t->count] = w;
    t->b[t->count++] = b;
}

static bool close_to(double a, double b) { return fabs(a - b) <= 1e-9 + 1e-9 * fabs(b); }

/* The mean loss of the line (w, b) over the batch order[first … first + size). */
static double batch_loss(const Points *p, const int *order, int first, int size, double w, double b)
{
    double sum = 0;
    for (const int *at = order + first; at < order + first + size; at++)
        sum += pow(w * p->x[*at] + b - p->y[*at], 2);
    return sum / size;
}

/* Update k went from (w, b) against the gradient of its own batch's loss, which central
 * differences give exactly. */
static void judge_update(const Reports *t, int k, int updates, const Points *p, const int *order,
                         double w, double b)
{
    int first = t->first[k], size = t->size[k];
    double up = batch_loss(p, order, first, size, w + 0.5, b),
           down = batch_loss(p, order, first, size, w - 0.5, b);
    double expected_w = w - RATE * (up - down);
    up = batch_loss(p, order, first, size, w, b + 0.5),
    down = batch_loss(p, order, first, size, w, b - 0.5);
    double expected_b = b - RATE * (up - down);
    WRONG_UNLESS(close_to(t->w[k], expected_w) && close_to(t->b[k], expected_b),
                 "update %d of %d, on %d example%s, ended at (%.6g, %.6g), expected (%.6g, %.6g): "
                 "the mean over its own examples",
                 k + 1, updates, size, size == 1 ? "" : "s", t->w[k], t->b[k], expected_w,
                 expected_b);
}

static void judge_epoch(const Points *p, const int *order, int n, int batch)
{
    double w = -1, b = 2, end_w = w, end_b = b, room[2 * POINTS];
    int before[POINTS], updates = (n + batch - 1) / batch;
    Reports reports = {0};
    memcpy(before, order, n * sizeof *order);
    for (int i = 0; i < 2 * POINTS; i++)
        room[i] = 1e3 + i; /* must not be read before it is written */
    minibatch_epoch(&end_w, &end_b, p->x, p->y, order, n, batch, RATE, room, record, &reports);
    WRONG_UNLESS(!memcmp(before, order, n * sizeof *order),
                 "n = %d, batch %d: it changed the order", n, batch);
    WRONG_UNLESS(reports.count == updates, "n = %d, batch %d: %d updates reported, expected %d%s",
                 n, batch, reports.count, updates, n % batch ? " (the last batch is short)" : "");
    for (int k = 0; k < updates; k++) {
        int first = k * batch, end = first + batch < n ? first + batch : n;
        WRONG_UNLESS(reports.first[k] == first && reports.size[k] == end - first,
                     "n = %d, batch %d: update %d reported order[%d … %d), expected order[%d … %d)",
                     n, batch, k + 1, reports.first[k], reports.first[k] + reports.size[k], first,
                     end);
        judge_update(&reports, k, updates, p, order, w, b);
        w = reports.w[k];
        b = reports.b[k];
    }
    WRONG_UNLESS(end_w == w && end_b == b,
                 "n = %d, batch %d: *w, *b are (%.6g, %.6g) at the end, but the last update was "
                 "reported at (%.6g, %.6g)",
                 n, batch, end_w, end_b, w, b);
}

static void judge(void *unused)
{
    static const int cases[][2] = {{12, 4}, {12, 12}, {12, 5}, {13, 4}, {5, 1}, {1, 1}, {30, 16}};
    Points p = points_new(POINTS, 2, -1, 1, 21);
    for (int c = 0; c < 7; c++) {
        int order[POINTS];
        for (int i = 0; i < POINTS; i++)
            order[i] = (7 * i + 3) % POINTS; /* fewer than there are points */
        if (c == 3)
            order[1] = order[0]; /* drawn with replacement */
        judge_epoch(&p, order, cases[c][0], cases[c][1]);
    }
    points_free(&p);
}

int main(int argc, char **argv)
{
    return exercise_check(
        argc, argv, "minibatch_epoch", 10,
        "one update per batch, the last one perhaps smaller, each a mean over its own batch",
        judge);
}
