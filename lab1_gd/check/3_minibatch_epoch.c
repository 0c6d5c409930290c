/* 3_minibatch_epoch.c: the check of minibatch_epoch: the same updates made one by one. */
#include "exercise.h"
#include "judge.h"
#include "lab1.h"
#include "linear/linear.h"
#include <math.h>
#include <string.h>

enum { POINTS = 40, LOG = 64 };
static const double RATE = 0.07;

/* gradient() and update() of this check's own, so that it can judge before those exercises are
 * done: the slope by central differences, which are exact for a parabola. */
void gradient(double *dw, double *db, const double *x, const double *y, int n, double w, double b)
{
    double sums[2 * POINTS];
    WRONG_UNLESS(n >= 1 && n <= POINTS, "it asks for the gradient over %d points, of %d", n,
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
    double *place[2] = {w, b}, slope[2] = {dw, db};
    for (int i = 0; i < 2; i++)
        *place[i] = fma(-rate, slope[i], *place[i]);
}

typedef struct Told {
    int count, first[LOG], size[LOG];
    double w[LOG], b[LOG];
} Told;

static void tell(void *state, int first, int size, double w, double b)
{
    Told *t = state;
    WRONG_UNLESS(t->count < LOG,
                 "more than %d updates were reported, of an epoch of at most %d examples", LOG,
                 POINTS);
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

/* Update k went from (w, b) against the slope of its own batch's loss, which central differences
 * give exactly. */
static void judge_update(const Told *t, int k, int updates, const Points *p, const int *order,
                         double w, double b)
{
    int first = t->first[k], size = t->size[k];
    double up = batch_loss(p, order, first, size, w + 0.5, b),
           down = batch_loss(p, order, first, size, w - 0.5, b);
    double due_w = w - RATE * (up - down);
    up = batch_loss(p, order, first, size, w, b + 0.5),
    down = batch_loss(p, order, first, size, w, b - 0.5);
    double due_b = b - RATE * (up - down);
    WRONG_UNLESS(close_to(t->w[k], due_w) && close_to(t->b[k], due_b),
                 "update %d of %d, on %d example%s, arrived at (%.6g, %.6g), expected (%.6g, "
                 "%.6g), by the mean over "
                 "its own examples",
                 k + 1, updates, size, size == 1 ? "" : "s", t->w[k], t->b[k], due_w, due_b);
}

static void judge_epoch(const Points *p, const int *order, int n, int batch)
{
    double w = -1, b = 2, end_w = w, end_b = b, room[2 * POINTS];
    int before[POINTS], updates = (n + batch - 1) / batch;
    Told told = {0};
    memcpy(before, order, n * sizeof *order);
    for (int i = 0; i < 2 * POINTS; i++)
        room[i] = 1e3 + i; /* what is there before is not theirs to read */
    minibatch_epoch(&end_w, &end_b, p->x, p->y, order, n, batch, RATE, room, tell, &told);
    WRONG_UNLESS(!memcmp(before, order, n * sizeof *order),
                 "n = %d, batch %d: it changed the order", n, batch);
    WRONG_UNLESS(told.count == updates, "n = %d, batch %d: %d updates reported, expected %d%s", n,
                 batch, told.count, updates, n % batch ? " (the last batch is short)" : "");
    for (int k = 0; k < updates; k++) {
        int first = k * batch, end = first + batch < n ? first + batch : n;
        WRONG_UNLESS(told.first[k] == first && told.size[k] == end - first,
                     "n = %d, batch %d: update %d reported order[%d … %d), expected order[%d … %d)",
                     n, batch, k + 1, told.first[k], told.first[k] + told.size[k], first, end);
        judge_update(&told, k, updates, p, order, w, b);
        w = told.w[k];
        b = told.b[k];
    }
    WRONG_UNLESS(end_w == w && end_b == b,
                 "n = %d, batch %d: *w, *b are (%.6g, %.6g) at the end, but the last report said "
                 "(%.6g, %.6g)",
                 n, batch, end_w, end_b, w, b);
}

static void judge(void *unused)
{
    static const int cases[][2] = {{12, 4}, {12, 12}, {12, 5}, {13, 4}, {5, 1}, {1, 1}, {30, 16}};
    Points p = points_new(POINTS, 2, -1, 1, 21);
    for (int c = 0; c < 7; c++) {
        int order[POINTS];
        for (int i = 0; i < POINTS; i++)
            order[i] = (7 * i + 3) % POINTS; /* an order of its own, among more points than an
                                              * epoch takes */
        if (c == 3)
            order[1] = order[0]; /* drawn with replacement */
        judge_epoch(&p, order, cases[c][0], cases[c][1]);
    }
    points_free(&p);
}

int main(void)
{
    return exercise_check(
        "minibatch_epoch", 10,
        "every example of the order once, the last batch short, the mean over its own size", judge);
}
