/* check_sgd.c: judges of the exercises of parts 2 and 3: shuffling, and the epoch of minibatches. */
#include <math.h>
#include <string.h>
#include "judge.h"
#include "lab1.h"

/* ---- shuffle ---- */

/* Are order[0 … n) the numbers first … first + n - 1, each once? */
static bool is_permutation(const int *order, int n, int first)
{
    bool seen[1000] = {false};
    for (int i = 0; i < n; i++) {
        if (order[i] < first || order[i] >= first + n || seen[order[i] - first])
            return false;
        seen[order[i] - first] = true;
    }
    return true;
}

static void keeps_the_numbers(Rng *r)
{
    static const int sizes[] = {1, 2, 3, 10, 1000};
    for (int s = 0; s < 5; s++) {
        int order[1002], n = sizes[s];
        for (int i = 0; i < n + 2; i++)
            order[i] = 40 + n - i; /* order[1 … n] are shuffled: 40 … 39 + n */
        shuffle(order + 1, n, r);
        WRONG_UNLESS(order[0] == 40 + n && order[n + 1] == 39, "n = %d: it writes outside order[0 … n)", n);
        WRONG_UNLESS(is_permutation(order + 1, n, 40), "n = %d: a number is lost, or there twice", n);
    }
}

static void takes_chance_from_r(void)
{
    enum { N = 100 };
    int order[3][N];
    Rng r = rng_at(5, RNG_TEST, 0, 0), again = r;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < N; i++)
            order[k][i] = i;
        shuffle(order[k], N, k == 1 ? &again : &r);
    }
    WRONG_UNLESS(!memcmp(order[0], order[1], sizeof order[0]), "the same r gave two different orders: is all chance taken from r?");
    WRONG_UNLESS(memcmp(order[0], order[2], sizeof order[0]), "two calls in a row gave the same order: r must move on");
}

/* Each of the 4! = 24 orders of 4 numbers should come in a 24th of 24,000 shuffles. Chi squared over the 24 counts then has 23 degrees
 * of freedom; above 70 it comes once in a million. A swap with any of the n places each time is far off: its 4⁴
 * equally likely ways cannot fall evenly on 24 orders, which gives 2,200 and more. */
static void all_orders_equally_likely(Rng *r)
{
    enum { TIMES = 24000 };
    int count[256] = {0}, orders = 0;
    double chi = 0;
    for (int k = 0; k < TIMES; k++) {
        int order[4] = {0, 1, 2, 3};
        shuffle(order, 4, r);
        count[order[0] << 6 | order[1] << 4 | order[2] << 2 | order[3]]++;
    }
    int least = TIMES, most = 0;
    for (int code = 0; code < 256; code++) {
        int order[4] = {code >> 6, code >> 4 & 3, code >> 2 & 3, code & 3};
        if (!is_permutation(order, 4, 0))
            continue;
        orders += count[code] > 0;
        least = count[code] < least ? count[code] : least;
        most = count[code] > most ? count[code] : most;
        chi += pow(count[code] - TIMES / 24, 2) / (TIMES / 24);
    }
    WRONG_UNLESS(orders == 24, "of the 24 orders of 4 numbers, 24,000 shuffles gave only %d", orders);
    WRONG_UNLESS(chi < 70, "24,000 shuffles of 4 numbers: one order came %d times, another %d, expected about 1000 each", least, most);
}

void judge_shuffle(void *unused)
{
    (void)unused;
    Rng r = rng_at(3, RNG_TEST, 1, 0);
    keeps_the_numbers(&r);
    takes_chance_from_r();
    all_orders_equally_likely(&r);
}

/* ---- minibatch_epoch ---- */

enum { POINTS = 40, LOG = 64 };

typedef struct Told { int count, first[LOG], size[LOG]; double w[LOG], b[LOG]; } Told;

static void tell(void *state, int first, int size, double w, double b)
{
    Told *t = state;
    WRONG_UNLESS(t->count < LOG, "more than %d updates were reported, of an epoch of at most %d examples", LOG, POINTS);
    t->first[t->count] = first;
    t->size[t->count] = size;
    t->w[t->count] = w;
    t->b[t->count++] = b;
}

static bool close_to(double a, double b) { return fabs(a - b) <= 1e-9 + 1e-9 * fabs(b); }

/* One epoch, against the same updates made here one by one, with the student's own gradient and update. */
static void compare(const Points *p, const int *order, int n, int batch)
{
    double w = -1, b = 2, end_w = w, end_b = b, x[POINTS], y[POINTS], room[2 * POINTS];
    int before[POINTS], updates = (n + batch - 1) / batch;
    Told told = {0};
    memcpy(before, order, n * sizeof *order);
    for (int i = 0; i < 2 * POINTS; i++)
        room[i] = 1e3 + i; /* what is there before is not theirs to read */
    minibatch_epoch(&end_w, &end_b, p->x, p->y, order, n, batch, 0.07, room, tell, &told);
    WRONG_UNLESS(!memcmp(before, order, n * sizeof *order), "n = %d, batch %d: it changed the order", n, batch);
    WRONG_UNLESS(told.count == updates, "n = %d, batch %d: %d updates reported, expected %d%s", n, batch, told.count, updates,
                 n % batch ? " (the last batch is short)" : "");
    for (int k = 0, first = 0; k < updates; k++, first += batch) {
        int left = n - first, size = left < batch ? left : batch;
        double dw, db;
        WRONG_UNLESS(told.first[k] == first && told.size[k] == size, "n = %d, batch %d: update %d reported order[%d … %d), expected order[%d … %d)",
                     n, batch, k + 1, told.first[k], told.first[k] + told.size[k], first, first + size);
        for (int i = 0; i < size; i++) {
            x[i] = p->x[order[first + i]];
            y[i] = p->y[order[first + i]];
        }
        gradient(&dw, &db, x, y, size, w, b);
        update(&w, &b, dw, db, 0.07);
        WRONG_UNLESS(close_to(told.w[k], w) && close_to(told.b[k], b),
                     "n = %d, batch %d: update %d of %d arrived at (%.6g, %.6g), expected (%.6g, %.6g), the mean over its %d example%s", n, batch,
                     k + 1, updates, told.w[k], told.b[k], w, b, size, size == 1 ? "" : "s");
    }
    WRONG_UNLESS(end_w == told.w[updates - 1] && end_b == told.b[updates - 1],
                 "n = %d, batch %d: *w, *b are (%.6g, %.6g) at the end, but the last report said (%.6g, %.6g)", n, batch, end_w, end_b,
                 told.w[updates - 1], told.b[updates - 1]);
}

void judge_minibatch_epoch(void *unused)
{
    (void)unused;
    static const int cases[][2] = {{12, 4}, {12, 12}, {12, 5}, {13, 4}, {5, 1}, {1, 1}, {30, 16}};
    Points p = points_new(POINTS, 2, -1, 1, 21);
    for (int c = 0; c < 7; c++) {
        int order[POINTS];
        for (int i = 0; i < POINTS; i++)
            order[i] = (7 * i + 3) % POINTS; /* an order of its own, among more points than an epoch takes */
        if (c == 3)
            order[1] = order[0]; /* drawn with replacement */
        compare(&p, order, cases[c][0], cases[c][1]);
    }
    points_free(&p);
}
