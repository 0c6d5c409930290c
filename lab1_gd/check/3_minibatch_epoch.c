/* 3_minibatch_epoch.c: the check of minibatch_epoch: each update against its own batch's loss. */
#include "exercise.h"
#include "lab1.h"
#include "parts/1_linear/linear.h"
#include <math.h>
#include <string.h>

enum { POINTS = 40, LOG = 64, GUARD = 2 * POINTS };
static const double RATE = 0.07;
/* What room holds at first, what lies around it, and a point that no order names: index POINTS,
 * which stands before order and past its end. */
static const double NEVER_WRITTEN = 1.25e7, AROUND_ROOM = 2.25e7, OUTSIDE_ORDER = 3.25e7;

/* The epoch that is running, for the gradient() that it calls. */
typedef struct Running {
    int n, batch, reports;
    double memory[GUARD + 2 * POINTS + GUARD]; /* room begins at memory[GUARD] */
} Running;
static Running running;

/* An element of x or y that gradient() gets. */
static void judge_element(const char *name, double value)
{
    const Running *r = &running;
    WRONG_UNLESS(
        value != OUTSIDE_ORDER,
        "n = %d, batch %d: it reads outside order[0 … n), so that the batch gets an invalid "
        "point; the last batch has only what is left, n − first",
        r->n, r->batch);
    WRONG_UNLESS(value != NEVER_WRITTEN,
                 "n = %d, batch %d: gradient() gets numbers of room that were never written, as "
                 "its %s: read it where you wrote it",
                 r->n, r->batch, name);
    WRONG_UNLESS(value != AROUND_ROOM,
                 "n = %d, batch %d: gradient() reads its %s outside room, which has 2·batch = %d "
                 "numbers",
                 r->n, r->batch, name, 2 * r->batch);
}

/* Where gradient()'s x or y lies, if in room or around it. */
static void judge_place(const char *name, const double *from, int n)
{
    const Running *r = &running;
    if (from < r->memory || from >= r->memory + sizeof r->memory / sizeof *r->memory)
        return; /* another array */
    int at = (int)(from - r->memory) - GUARD;
    WRONG_UNLESS(n <= r->batch,
                 "n = %d, batch %d: gradient() gets %d points: a batch has %d at most", r->n,
                 r->batch, n, r->batch);
    WRONG_UNLESS(at >= 0 && at + n <= 2 * r->batch,
                 "n = %d, batch %d: gradient()'s %s lies at room + %d%s, but room has only 2·batch "
                 "= %d numbers: x goes to room, and y behind the batch's x, to room + batch",
                 r->n, r->batch, name, at,
                 at == r->n && at != r->batch ? " (room + n)"
                 : at == 2 * r->batch         ? " (room + 2·batch)"
                                              : "",
                 2 * r->batch);
}

static void judge_arguments(const double *x, const double *y, int n)
{
    const Running *r = &running;
    int left = r->n - r->reports * r->batch, size = left < r->batch ? left : r->batch;
    WRONG_UNLESS(
        n != 0 || left > 0,
        "n = %d, batch %d: one update too many: no example is left after %d; continue while "
        "first < n",
        r->n, r->batch, r->n);
    WRONG_UNLESS(n >= 1 && n <= POINTS, "it asked for the gradient over %d of %d points", n,
                 POINTS);
    judge_place("x", x, n);
    judge_place("y", y, n);
    for (int i = 0; i < n && i < size; i++) {
        judge_element("x", x[i]);
        judge_element("y", y[i]);
    }
    WRONG_UNLESS(n != r->batch || size <= 0 || size == n || x[size] == OUTSIDE_ORDER,
                 "n = %d, batch %d: the last, short batch is filled up with examples that `room` "
                 "still held: gradient() gets %d points, but only %d are left: pass its own size",
                 r->n, r->batch, n, size);
    for (int i = 0; i < n; i++) {
        judge_element("x", x[i]);
        judge_element("y", y[i]);
    }
}

static void judge_room(void)
{
    const Running *r = &running;
    for (int i = 0; i < GUARD; i++) {
        WRONG_UNLESS(r->memory[GUARD - 1 - i] == AROUND_ROOM,
                     "n = %d, batch %d: it wrote before the start of room, at room[%d]", r->n,
                     r->batch, -1 - i);
        WRONG_UNLESS(r->memory[GUARD + 2 * r->batch + i] == AROUND_ROOM,
                     "n = %d, batch %d: it wrote past the end of room, which has 2·batch = %d "
                     "numbers, at room[%d]: x goes to room, and y behind the batch's x, to room + "
                     "batch",
                     r->n, r->batch, 2 * r->batch, 2 * r->batch + i);
    }
    for (int i = 0; i < 2 * r->batch; i++)
        WRONG_UNLESS(r->memory[GUARD + i] != OUTSIDE_ORDER,
                     "n = %d, batch %d: it reads outside order[0 … n): the last batch has only "
                     "what is left, n − first",
                     r->n, r->batch);
}

/* By central differences, which are exact for a parabola. */
static void slopes(double *dw, double *db, const double *x, const double *y, int n, double w,
                   double b)
{
    double sums[2 * POINTS];
    Points p = {.n = n,
                .x = memcpy(sums, x, n * sizeof *x),
                .y = memcpy(sums + n, y, n * sizeof *y)};
    Parabola l = parabola_of(&p, 0, n);
    *dw = parabola_loss(&l, w + 0.5, b) - parabola_loss(&l, w - 0.5, b);
    *db = parabola_loss(&l, w, b + 0.5) - parabola_loss(&l, w, b - 0.5);
}

/* This check's own gradient() and update(), so that it works before those exercises are done. */
void gradient(double *dw, double *db, const double *x, const double *y, int n, double w, double b)
{
    judge_arguments(x, y, n);
    slopes(dw, db, x, y, n, w, b);
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
    running.reports++;
}

/* An epoch of this check; an update of it, and where that began: where the one before ended. */
typedef struct Epoch {
    const Points *p;
    const int *order;
    int n, batch;
    double start_w, start_b;
} Epoch;
typedef struct Update {
    const Epoch *epoch;
    int first, size;
    double w, b;
} Update;

/* One step from (w, b) against the gradient of the mean loss over order[first … first +
 * size), or, without the order, over those points themselves. */
typedef struct Step {
    int first, size;
    double w, b, rate;
    bool no_order, y_unordered, swapped;
} Step;

static void step(double *out, const Epoch *e, Step s)
{
    double x[POINTS], y[POINTS], dw, db;
    for (int i = 0; i < s.size; i++) {
        int at = s.first + i, from = s.no_order ? at : e->order[at];
        x[i] = e->p->x[from];
        y[i] = e->p->y[s.y_unordered ? at : from];
    }
    slopes(&dw, &db, s.swapped ? y : x, s.swapped ? x : y, s.size, s.w, s.b);
    out[0] = s.w - s.rate * dw;
    out[1] = s.b - s.rate * db;
}

/* The step of an update as it should be, for a version to change. */
static Step right_step(const Update *u)
{
    return (Step){u->first, u->size, u->w, u->b, RATE, false, false, false};
}
#define MISTAKE(name, change) \
    static void name(double *out, const double *right, const void *asked) \
    { \
        const Update *u = asked; \
        const Epoch *e = u->epoch; \
        Step s = right_step(u); \
        change; \
        step(out, e, s); \
    }
MISTAKE(by_batch, s.rate *= (double)u->size / e->batch)
MISTAKE(sums, s.rate *= u->size)
MISTAKE(by_n, s.rate *= (double)u->size / e->n)
MISTAKE(mean_twice, s.rate /= u->size)
MISTAKE(over_batch, s.rate /= e->batch)
MISTAKE(over_n, s.rate /= e->n)
MISTAKE(xy_swapped, s.swapped = true)
MISTAKE(no_order, s.no_order = true)
MISTAKE(first_batch, s.first = 0)
MISTAKE(all, s.first = 0; s.size = e->n)
MISTAKE(all_raw, s.first = 0; s.size = e->n; s.no_order = true)
MISTAKE(one_example, s.size = 1)
MISTAKE(next_batch, s.first = u->first + u->size + u->size <= e->n ? u->first + u->size : 0)
MISTAKE(y_unordered, s.y_unordered = true)
MISTAKE(uphill, s.rate = -RATE)
MISTAKE(no_update, s.rate = 0)
MISTAKE(half, s.rate = RATE / 2)
MISTAKE(last_of_batch, s.first = u->first + u->size - 1; s.size = 1)
MISTAKE(from_one, s.first = u->first + u->size < e->n ? u->first + 1 : u->first)
MISTAKE(grows, s.first = 0; s.size = u->first + u->size)
/* A stale gradient: taken where the epoch began. */
static void stale(double *out, const double *right, const void *asked)
{
    const Update *u = asked;
    Step s = right_step(u);
    s.w = u->epoch->start_w;
    s.b = u->epoch->start_b;
    step(out, u->epoch, s);
    out[0] += u->w - u->epoch->start_w;
    out[1] += u->b - u->epoch->start_b;
}
/* Gradients add up from batch to batch: dw and db keep what they held. */
static void gradients_add_up(double *out, const double *right, const void *asked)
{
    const Update *u = asked;
    double sum[2] = {0, 0}, at[2] = {u->epoch->start_w, u->epoch->start_b};
    for (int first = 0; first <= u->first; first += u->epoch->batch) {
        int left = u->epoch->n - first, size = left < u->epoch->batch ? left : u->epoch->batch;
        double after[2];
        step(after, u->epoch, (Step){first, size, at[0], at[1], 1, false, false, false});
        for (int v = 0; v < 2; v++) {
            sum[v] += at[v] - after[v];
            at[v] -= RATE * sum[v];
        }
    }
    out[0] = at[0];
    out[1] = at[1];
}
/* From the start of the epoch each time. */
static void restarts(double *out, const double *right, const void *asked)
{
    const Update *u = asked;
    Step s = right_step(u);
    s.w = u->epoch->start_w;
    s.b = u->epoch->start_b;
    step(out, u->epoch, s);
}
/* A short last batch filled up with the examples that room still held. */
static void old_rest(double *out, const double *right, const void *asked)
{
    const Update *u = asked;
    const Epoch *e = u->epoch;
    double x[POINTS], y[POINTS], dw, db;
    int from = u->first - e->batch;
    for (int i = 0; i < e->batch && from >= 0; i++) {
        int at = e->order[i < u->size ? u->first + i : from + i];
        x[i] = e->p->x[at];
        y[i] = e->p->y[at];
    }
    if (u->size == e->batch || from < 0) {
        step(out, e, right_step(u));
        return;
    }
    slopes(&dw, &db, x, y, e->batch, u->w, u->b);
    out[0] = u->w - RATE * dw;
    out[1] = u->b - RATE * db;
}

/* A short batch whose y are written to one of room + size and room + batch, and read from the
 * other: room + batch is where they are `written`, or where they are read. */
static void y_elsewhere(double *out, const Update *u, bool written)
{
    const Epoch *e = u->epoch;
    double room[2 * POINTS], dw, db;
    int from = u->first - e->batch;
    if (u->size == e->batch || from < 0) {
        step(out, e, right_step(u));
        return;
    }
    for (int turn = 0; turn < 2; turn++) /* the batch before, then this one over it */
        for (int i = 0; i < (turn ? u->size : e->batch); i++) {
            int at = e->order[turn ? u->first + i : from + i];
            room[i] = e->p->x[at];
            room[(turn && !written ? u->size : e->batch) + i] = e->p->y[at];
        }
    slopes(&dw, &db, room, room + (written ? u->size : e->batch), u->size, u->w, u->b);
    out[0] = u->w - RATE * dw;
    out[1] = u->b - RATE * db;
}
static void y_written_elsewhere(double *out, const double *right, const void *asked)
{
    y_elsewhere(out, asked, true);
}
static void y_read_elsewhere(double *out, const double *right, const void *asked)
{
    y_elsewhere(out, asked, false);
}

static const Mistake mistakes[] = {
    {"the last, short batch is divided by `batch`: its gradient is the mean over its own examples",
     by_batch},
    {"this is the sum, not the mean: gradient() gives the mean over the batch's examples already; "
     "is it multiplied by their number?",
     sums},
    {"divided by the size twice: gradient() is a mean already", mean_twice},
    {"divided by `batch`, too: gradient() is a mean already", over_batch},
    {"divided by n, too: gradient() is the mean over the batch already", over_n},
    {"x and y are swapped: gradient(&dw, &db, x, y, …)", xy_swapped},
    {"each batch is divided by n: its gradient is the mean over its own examples", by_n},
    {"the order is ignored: example i of the epoch is x[order[i]], y[order[i]]", no_order},
    {"every update takes the first batch: `first` must move on", first_batch},
    {"every update takes all n examples: only its own batch", all},
    {"every update takes all n examples, and not in the order: only its own batch", all_raw},
    {"the gradients of the batches before are added: dw and db are this batch's alone",
     gradients_add_up},
    {"every update takes the first example of its batch alone", one_example},
    {"every update takes the last example of its batch alone", last_of_batch},
    {"y does not follow the order: example i is x[order[i]], y[order[i]]", y_unordered},
    {"a stale gradient: it is taken at the epoch's start, not where the last update ended", stale},
    {"every update starts where the epoch did, not where the last one ended", restarts},
    {"the last, short batch is filled up with examples that `room` still held: pass its own size",
     old_rest},
    {"the last, short batch's y are written to room + batch, and read from room + size",
     y_written_elsewhere},
    {"the last, short batch's y are written to room + size, and read from room + batch",
     y_read_elsewhere},
    {"the weights do not move: is update() called, and before report()?", no_update},
    {"the sign is wrong: it climbs", uphill},
    {"each step is half as long as it should be", half},
    {"each update takes the next batch, not its own", next_batch},
    {"off by one: each batch starts one example late", from_one},
    {"the batches grow: each takes all examples up to its end; it starts at `first`", grows},
    {0}};

enum { MOST_UPDATES = 128 };
typedef struct Ledger {
    Update updates[MOST_UPDATES];
    ExerciseCase cases[MOST_UPDATES];
    int count;
} Ledger;

/* The reports of an epoch, as cases: each from where the one before ended. */
static void enter(Ledger *l, const Epoch *e, const Reports *t)
{
    double w = e->start_w, b = e->start_b;
    for (int k = 0; k < t->count && l->count < MOST_UPDATES; k++, l->count++) {
        Update *u = &l->updates[l->count];
        ExerciseCase *c = &l->cases[l->count];
        *u = (Update){e, t->first[k], t->size[k], w, b};
        *c = (ExerciseCase){.asked = u, .found = {t->w[k], t->b[k]}};
        step(c->right, e, right_step(u));
        exercise_tell(c, "n = %d, batch %d: update %d, on order[%d … %d)", e->n, e->batch, k + 1,
                      t->first[k], t->first[k] + t->size[k]);
        w = t->w[k];
        b = t->b[k];
    }
}

/* Which batches were reported? */
static void judge_batches(const Epoch *e, const Reports *t)
{
    int n = e->n, batch = e->batch, updates = (n + batch - 1) / batch;
    WRONG_UNLESS(t->count > 0, "it reports no update: call report(context, first, size, *w, *b)");
    WRONG_UNLESS(t->count != n / batch || n % batch == 0,
                 "n = %d, batch %d: the last, short batch is left out: %d updates reported, "
                 "expected %d",
                 n, batch, t->count, updates);
    WRONG_UNLESS(t->count != n || batch == 1,
                 "n = %d, batch %d: an update per example: %d reported, expected %d", n, batch,
                 t->count, updates);
    WRONG_UNLESS(t->count != 1 || updates == 1 || t->first[0] != 0 || t->size[0] != batch,
                 "n = %d, batch %d: it stops after the first batch: is there a return, or a break, "
                 "in the loop?",
                 n, batch);
    WRONG_UNLESS(t->count != 1 || updates == 1,
                 "n = %d, batch %d: it reports once, for the whole epoch: report every update", n,
                 batch);
    WRONG_UNLESS(t->count == updates, "n = %d, batch %d: %d updates reported, expected %d", n,
                 batch, t->count, updates);
    for (int k = 0; k < updates; k++) {
        int first = k * batch, end = first + batch < n ? first + batch : n;
        WRONG_UNLESS(
            t->first[k] == first || t->first[k] != k,
            "n = %d, batch %d: update %d reports its number as `first`: it is the position "
            "in order, %d",
            n, batch, k + 1, first);
        WRONG_UNLESS(t->first[k] != first || t->size[k] == end - first,
                     "n = %d, batch %d: update %d reports a batch of %d%s, expected %d", n, batch,
                     k + 1, t->size[k],
                     t->size[k] == batch ? ", but the last one is short: only what is left"
                     : t->size[k] == end ? ", its end: report its size"
                                         : "",
                     end - first);
        WRONG_UNLESS(t->first[k] == first,
                     "n = %d, batch %d: update %d reported order[%d … %d), expected order[%d … %d)",
                     n, batch, k + 1, t->first[k], t->first[k] + t->size[k], first, end);
    }
}

/* Are *w and *b at the end what the last update's report said? */
static void judge_end(const Epoch *e, const ExerciseCase *last, double w, double b, double end_w,
                      double end_b)
{
    Update from_report = *(const Update *)last->asked;
    double after[2];
    from_report.w = w;
    from_report.b = b;
    step(after, e, right_step(&from_report));
    bool late = fabs(after[0] - end_w) < 1e-9 && fabs(after[1] - end_b) < 1e-9;
    WRONG_UNLESS(
        end_w == w && end_b == b,
        "n = %d, batch %d: %s: *w, *b are (%.6g, %.6g) at the end, but the last update was "
        "reported at (%.6g, %.6g)",
        e->n, e->batch,
        end_w == e->start_w && end_b == e->start_b
            ? "*w and *b stay at the start: write the result back"
        : late ? "report() comes before update(): report the weights after it"
               : "what is reported is not where it ends: report after the update",
        end_w, end_b, w, b);
}

static void judge_epoch(Ledger *l, const Epoch *e)
{
    enum { SIDE = POINTS };
    double end_w = e->start_w, end_b = e->start_b, x[POINTS + 1], y[POINTS + 1];
    int order[SIDE + POINTS + SIDE];
    Reports reports = {0};
    for (int i = 0; i < SIDE + POINTS + SIDE; i++)
        order[i] = i >= SIDE && i < SIDE + e->n ? e->order[i - SIDE] : POINTS;
    memcpy(x, e->p->x, sizeof x);
    memcpy(y, e->p->y, sizeof y);
    x[POINTS] = y[POINTS] = OUTSIDE_ORDER;
    running = (Running){.n = e->n, .batch = e->batch};
    for (int i = 0; i < 2 * GUARD + 2 * POINTS; i++)
        running.memory[i] = i >= GUARD && i < GUARD + 2 * e->batch ? NEVER_WRITTEN : AROUND_ROOM;
    minibatch_epoch(&end_w, &end_b, x, y, order + SIDE, e->n, e->batch, RATE,
                    running.memory + GUARD, record, &reports);
    WRONG_UNLESS(!memcmp(order + SIDE, e->order, e->n * sizeof *order),
                 "n = %d, batch %d: it changed the order", e->n, e->batch);
    WRONG_UNLESS(!memcmp(x, e->p->x, POINTS * sizeof *x) && !memcmp(y, e->p->y, POINTS * sizeof *y),
                 "n = %d, batch %d: it changed x or y: only read them", e->n, e->batch);
    judge_room();
    judge_batches(e, &reports);
    enter(l, e, &reports);
    judge_end(e, &l->cases[l->count - 1], reports.w[reports.count - 1],
              reports.b[reports.count - 1], end_w, end_b);
}

static void judge(void *unused)
{
    /* Last batches of all sizes: 4, 12, 2, 1, 3 = batch − 1, … */
    static const int sizes[][2] = {{12, 4}, {12, 12}, {12, 5}, {13, 4},
                                   {11, 4}, {5, 1},   {1, 1},  {30, 16}};
    enum { EPOCHS = sizeof sizes / sizeof *sizes };
    static int orders[EPOCHS][POINTS];
    static Ledger ledger;
    Epoch epochs[EPOCHS];
    Points p = points_new(POINTS + 1, 2, -1, 1, 21);
    for (int c = 0; c < EPOCHS; c++) {
        for (int i = 0; i < POINTS; i++)
            orders[c][i] = (7 * i + 3) % POINTS; /* fewer than there are points */
        if (c == 3)
            orders[c][1] = orders[c][0]; /* drawn with replacement */
        epochs[c] = (Epoch){&p, orders[c], sizes[c][0], sizes[c][1], -1, 2};
        judge_epoch(&ledger, &epochs[c]);
    }
    exercise_judge(&(ExerciseQuestion){.names = {"w", "b"},
                                       .absolute = 1e-9,
                                       .relative = 1e-9,
                                       .mistakes = mistakes},
                   ledger.cases, ledger.count);
    points_free(&p);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "minibatch_epoch", 10,
                          "one update per batch, each by the mean over its own examples", judge);
}
