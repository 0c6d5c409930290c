/* judge_optimiser.c: see judge_optimiser.h. */
#include "judge_optimiser.h"
#include "exercise.h"
#include "rng.h"
#include <math.h>
#include <string.h>

/* The exercise's weights after each update of a case. */
typedef struct History {
    Twin start; /* the case's weights, gradients and rates */
    float w[JUDGED_STEPS][JUDGED_ROOM];
} History;

double twin_norm(const double *x, int n)
{
    double sum = 0;
    for (int i = n - 1; i >= 0; i--)
        sum = fma(x[i], x[i], sum);
    return sqrt(sum);
}

static void begin(History *h, const OptimiserCase *c)
{
    static const double rates[JUDGED_STEPS] = {0.1, 0.1, 0.03, 0.2, 0.05};
    Rng r = rng_at(6, RNG_TEST, 0, 0);
    memset(h, 0, sizeof *h);
    h->start.c = c;
    h->start.n = c->rows * c->columns;
    memcpy(h->start.rates, rates, sizeof rates);
    for (int i = 0; i < h->start.n; i++)
        h->start.w[i] = c->zero_weights ? 0 : (float)(2 + rng_normal(&r));
    for (int t = 0; t < JUDGED_STEPS; t++)
        for (int i = 0; i < h->start.n; i++) {
            double g = rng_normal(&r) * (c->scale > 0 ? c->scale : 1) *
                       (c->shrink > 0 ? pow(c->shrink, t) : 1);
            h->start.g[t][i] = c->zero_gradients ? 0 : (float)g;
        }
}

/* Let the exercise train the layer. */
static void train(History *h, const OptimiserJudge *j)
{
    enum { GUARD = 4, ALL = JUDGED_ROOM + 2 * GUARD };
    static float room[4][ALL]; /* w, a, b, g */
    int n = h->start.n;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < ALL; i++)
            room[k][i] = i >= GUARD && i < GUARD + n ? 0 : 123;
    for (int i = 0; i < n; i++)
        room[0][GUARD + i] = (float)h->start.w[i];
    for (int t = 0; t < JUDGED_STEPS; t++) {
        for (int i = 0; i < n; i++)
            room[3][GUARD + i] = (float)h->start.g[t][i];
        j->run(h->start.c, room[0] + GUARD, room[1] + GUARD, room[2] + GUARD, room[3] + GUARD, t,
               h->start.rates[t]);
        memcpy(h->w[t], room[0] + GUARD, sizeof h->w[t]);
        for (int i = 0; i < n; i++)
            WRONG_UNLESS(room[3][GUARD + i] == (float)h->start.g[t][i],
                         "%s: it changes the gradient g, which the caller still needs",
                         h->start.c->what);
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < ALL; i++)
                WRONG_UNLESS((i >= GUARD && i < GUARD + n) || room[k][i] == 123,
                             "%s: it writes outside of the layer's %d elements", h->start.c->what,
                             n);
    }
}

/* How far the exercise is from a twin with this mistake: the first update that differs, and where;
 * -1: none. expected: what the twin has there. */
static int first_difference(const History *h, const OptimiserJudge *j, int mistake, int *where,
                            double *expected)
{
    Twin t = h->start;
    double before[JUDGED_ROOM];
    for (t.t = 0; t.t < JUDGED_STEPS; t.t++) {
        memcpy(before, t.w, sizeof before);
        t.rate = t.rates[t.t];
        j->twin(&t, mistake);
        double moved = 1e-3;
        for (int i = 0; i < t.n; i++)
            moved = fmax(moved, fabs(t.w[i] - before[i]));
        for (int i = 0; i < t.n; i++)
            if (!(fabs(h->w[t.t][i] - t.w[i]) <=
                  j->tolerance * moved + 1e-6 * fabs(t.w[i]) * (t.t + 1)) &&
                (isfinite(t.w[i]) || isfinite(h->w[t.t][i]))) {
                *where = i;
                *expected = t.w[i];
                return t.t;
            }
    }
    return -1;
}

void judge_optimiser(const OptimiserJudge *j)
{
    static History h[16];
    int where = 0, ignored;
    double expected = 0, unused;
    for (int c = 0; c < j->ncases; c++) {
        begin(&h[c], &j->cases[c]);
        train(&h[c], j);
        int update = first_difference(&h[c], j, 0, &where, &expected);
        if (update < 0)
            continue;
        for (int k = 1; j->words[k]; k++) {
            int same = 0;
            while (same <= c && first_difference(&h[same], j, k, &ignored, &unused) < 0)
                same++;
            WRONG_UNLESS(same <= c, "%s: %s", j->cases[c].what, j->words[k]);
        }
        exercise_wrong("%s: after update %d w[%d] is %.7g, expected %.7g", j->cases[c].what,
                       update + 1, where, h[c].w[update][where], expected);
    }
}
