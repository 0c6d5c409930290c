/* 3_minibatch_epoch_check.c: the check of minibatch_epoch, with its own gradient() and update(). */
#include "exercise.h"
#include "lab1.h"
#include "parts/1_linear/linear.h"
#include <math.h>
#include <string.h>

enum { POINTS = 16, MOST = 32, GUARD = 2 * POINTS };
/* What room holds at first, what lies around it, and a point that no order names: index POINTS,
 * which stands before order and past its end. */
static const double NEVER_WRITTEN = 1.25e7, AROUND_ROOM = 2.25e7, OUTSIDE_ORDER = 3.25e7;

/* The epoch that is running, and what it reported. */
static struct {
    int n, batch, calls, updates, first[MOST], size[MOST];
    double w[MOST], b[MOST];
} epoch;
#define WRONG_IN_EPOCH(condition, words, ...) \
    WRONG_UNLESS(condition, "n = %d, batch %d: " words, epoch.n, epoch.batch, ##__VA_ARGS__)

/* By central differences, which are exact for a parabola. */
void gradient(double *dw, double *db, const double *x, const double *y, int n, double w, double b)
{
    epoch.calls++;
    WRONG_IN_EPOCH(n > 0, "one update too many: no example is left: continue while first < n");
    WRONG_IN_EPOCH(n <= POINTS, "it asks for the gradient of %d examples", n);
    for (int i = 0; i < 2 * n; i++) {
        double value = i < n ? x[i] : y[i - n];
        WRONG_IN_EPOCH(value != OUTSIDE_ORDER,
                       "it uses a point that order[0 … n) does not name: the last batch has only "
                       "what is left, n − first");
        WRONG_IN_EPOCH(value != NEVER_WRITTEN,
                       "gradient() gets numbers of room that were never written, as its %c: "
                       "read it where you wrote it",
                       "xy"[i >= n]);
        WRONG_IN_EPOCH(value != AROUND_ROOM,
                       "gradient() reads its %c outside room, which has 2·batch = %d numbers",
                       "xy"[i >= n], 2 * epoch.batch);
    }
    Parabola l = parabola_of(&(Points){.n = n, .x = (double *)x, .y = (double *)y}, 0, n);
    *dw = parabola_loss(&l, w + 0.5, b) - parabola_loss(&l, w - 0.5, b);
    *db = parabola_loss(&l, w, b + 0.5) - parabola_loss(&l, w, b - 0.5);
}

void update(double *w, double *b, double dw, double db, double rate)
{
    *w = fma(-rate, dw, *w);
    *b = fma(-rate, db, *b);
}

static void record(void *context, int first, int size, double w, double b)
{
    int k = epoch.updates++;
    WRONG_IN_EPOCH(context == &epoch, "report() must get the same context");
    WRONG_IN_EPOCH(k < MOST, "it reports more than %d updates", MOST);
    epoch.first[k] = first;
    epoch.size[k] = size;
    epoch.w[k] = w;
    epoch.b[k] = b;
}

/* Reports that are missing count as not a number. */
static void note(double w, double b)
{
    WRONG_IN_EPOCH(epoch.updates > 0 || !epoch.calls,
                   "it reports no update: call report(context, first, size, "
                   "*w, *b)");
    exercise_group(epoch.n % epoch.batch ? NULL : "a batch that divides n");
    exercise_case("n = %d, batch %d", epoch.n, epoch.batch);
    exercise_value("the number of updates that are missing",
                   (epoch.n + epoch.batch - 1) / epoch.batch - epoch.updates);
    for (int k = 0, first = 0; first < epoch.n; k++, first += epoch.batch) {
        bool there = k < epoch.updates;
        exercise_case("n = %d, batch %d: update %d", epoch.n, epoch.batch, k + 1);
        exercise_value("the reported first", there ? epoch.first[k] : NAN);
        exercise_value("the reported size", there ? epoch.size[k] : NAN);
        exercise_value("the reported w", there ? epoch.w[k] : NAN);
        exercise_value("the reported b", there ? epoch.b[k] : NAN);
    }
    exercise_case("n = %d, batch %d: at the end", epoch.n, epoch.batch);
    exercise_fact("*w", w);
    exercise_fact("*b", b);
}

static void judge_epoch(const Points *p, int n, int batch)
{
    double w = -1, b = 2, x[POINTS + 1], y[POINTS + 1], memory[GUARD + 2 * POINTS + GUARD];
    int order[3 * POINTS], kept[3 * POINTS];
    for (int i = 0; i < 3 * POINTS; i++)
        order[i] = i < POINTS || i >= POINTS + n ? POINTS : (7 * i + 3) % POINTS;
    if (n == 13)
        order[POINTS + 1] = order[POINTS]; /* drawn with replacement */
    memcpy(kept, order, sizeof order);
    memcpy(x, p->x, sizeof x);
    memcpy(y, p->y, sizeof y);
    x[POINTS] = y[POINTS] = OUTSIDE_ORDER;
    for (int i = 0; i < 2 * GUARD + 2 * POINTS; i++)
        memory[i] = i >= GUARD && i < GUARD + 2 * batch ? NEVER_WRITTEN : AROUND_ROOM;
    epoch.n = n;
    epoch.batch = batch;
    epoch.calls = epoch.updates = 0;
    minibatch_epoch(&w, &b, x, y, order + POINTS, n, batch, 0.07, memory + GUARD, record, &epoch);
    WRONG_IN_EPOCH(!memcmp(order, kept, sizeof order), "it changed the order");
    WRONG_IN_EPOCH(!memcmp(x, p->x, POINTS * sizeof *x) && !memcmp(y, p->y, POINTS * sizeof *y),
                   "it changed x or y: only read them");
    for (int i = 0; i < 2 * GUARD + 2 * POINTS; i++)
        WRONG_IN_EPOCH((i >= GUARD && i < GUARD + 2 * batch) || memory[i] == AROUND_ROOM,
                       "it wrote %s of room, which has 2·batch = %d numbers, at room[%d]: x "
                       "goes to room, and y behind the batch's x, to room + batch",
                       i < GUARD ? "before the start" : "past the end", 2 * batch, i - GUARD);
    note(w, b);
}

static void judge(void *unused)
{
    static const int sizes[][2] = {{1, 1}, {3, 1}, {4, 2}, {5, 2}, {6, 6}, {11, 4}, {13, 4}};
    Points p = points_new(POINTS + 1, 2, -1, 1, 21);
    for (int k = 0; k < 7; k++)
        judge_epoch(&p, sizes[k][0], sizes[k][1]);
    points_free(&p);
}

const ExerciseCheck exercise_check = {
    __FILE__, "minibatch_epoch", 10, "one update per batch, each by the mean over its own examples",
    judge};
