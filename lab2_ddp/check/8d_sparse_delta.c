/* 8d_sparse_delta.c: the check of sparse_delta: small cases with a name, then random chunks by the
 * promises: what is chosen, what is sent, what stays.
 */
#include "exercise.h"
#include "lab2.h"
#include "rng.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = SPARSE_CHUNK };

typedef struct Case {
    int n, k;
    double decay;
    bool two_bits;
    float delta[MOST], before[MOST], residual[MOST];
    float sum[MOST]; /* decay before + delta */
    int32_t at[MOST + 1];
    float value[MOST + 1];
} Case;

static void call(Case *c)
{
    static float kept[MOST];
    memcpy(kept, c->delta, sizeof kept);
    memcpy(c->residual, c->before, sizeof c->residual);
    for (int i = 0; i < c->n; i++)
        c->sum[i] = (float)(c->decay * c->before[i] + c->delta[i]);
    for (int i = 0; i <= MOST; i++) {
        c->at[i] = -7;
        c->value[i] = -7;
    }
    sparse_delta(c->at, c->value, c->residual, c->delta, c->n, c->k, c->decay, c->two_bits);
    WRONG_UNLESS(!memcmp(kept, c->delta, sizeof kept), "it changes delta");
    WRONG_UNLESS(c->at[c->k] == -7 && c->value[c->k] == -7, "it writes more than k = %d elements",
                 c->k);
}

/* Is element i among the k largest of v? */
static bool among(const float *v, int n, int k, int i, bool signs)
{
    int before = 0;
    for (int j = 0; j < n; j++) {
        float a = signs ? v[j] : fabsf(v[j]), b = signs ? v[i] : fabsf(v[i]);
        before += a > b || (a == b && j < i);
    }
    return before < k;
}

static bool all_among(const Case *c, const float *v, bool signs)
{
    for (int i = 0; i < c->k; i++)
        if (!among(v, c->n, c->k, c->at[i], signs))
            return false;
    return true;
}

static void judge_positions(const Case *c)
{
    for (int i = 0; i < c->k; i++) {
        WRONG_UNLESS(c->at[i] >= 0 && c->at[i] < c->n, "at[%d] is %d; there are %d elements", i,
                     c->at[i], c->n);
        WRONG_UNLESS(i == 0 || c->at[i] > c->at[i - 1],
                     "at[%d] = %d after at[%d] = %d: in rising order, none twice", i, c->at[i],
                     i - 1, c->at[i - 1]);
    }
    if (all_among(c, c->sum, false))
        return;
    WRONG_UNLESS(!all_among(c, c->sum, true),
                 "it chooses the largest elements: those with the largest |.|, negative ones too");
    WRONG_UNLESS(!all_among(c, c->delta, false),
                 "it chooses the largest of delta: what waits in the residual counts, too");
    WRONG_UNLESS(!all_among(c, c->before, false),
                 "it chooses before delta is added to the residual");
    for (int i = 0; i < c->k; i++)
        WRONG_UNLESS(among(c->sum, c->n, c->k, c->at[i], false),
                     "n = %d, k = %d: element %d, %g, is not among the k largest", c->n, c->k,
                     c->at[i], c->sum[c->at[i]]);
}

static bool close(double a, double b) { return fabs(a - b) <= 1e-6 * (1 + fabs(b)); }

/* Of m, m/2 and their negatives the nearest to x; half-way the larger. */
static float level(float x, float m)
{
    float levels[] = {m, m / 2, -m, -m / 2}, best = m;
    for (int l = 1; l < 4; l++)
        if (fabsf(x - levels[l]) < fabsf(x - best))
            best = levels[l];
    return best;
}

static void judge_values(const Case *c)
{
    float m = 0;
    for (int i = 0; i < c->k; i++)
        m = fmaxf(m, fabsf(c->sum[c->at[i]]));
    for (int i = 0; i < c->k; i++) {
        float x = c->sum[c->at[i]], found = c->value[i];
        float expected = c->two_bits ? level(x, m) : x;
        if (close(found, expected))
            continue;
        WRONG_UNLESS(
            close(x, c->delta[c->at[i]]) || !close(found, c->delta[c->at[i]]),
            "value[%d] is delta's element: send what is in the residual after the addition", i);
        WRONG_UNLESS(!c->two_bits || !close(found, x),
                     "value[%d] is not rounded: with two_bits send m or m/2, with its sign", i);
        WRONG_UNLESS(!close(found, -expected), "value[%d] has the wrong sign", i);
        WRONG_UNLESS(!c->two_bits || !close(fabsf(found), fabsf(expected) == m ? m / 2 : m),
                     "value[%d] is %g for an element %g, with m = %g: m where |.| is 3m/4 or more, "
                     "else m/2",
                     i, found, x, m);
        exercise_wrong("value[%d] is %g for an element %g, expected %g (m = %g, the largest |.| of "
                       "the chosen)",
                       i, found, x, expected, m);
    }
}

static void judge_residual(const Case *c)
{
    for (int i = 0, j = 0; i < c->n; i++) {
        bool sent = j < c->k && c->at[j] == i;
        double value = sent ? c->value[j++] : 0, expected = (double)c->sum[i] - value;
        float found = c->residual[i];
        if (close(found, expected))
            continue;
        WRONG_UNLESS(c->before[i] == 0 || !close(found, c->before[i]), "residual[%d] is as it was",
                     i);
        WRONG_UNLESS(sent || found != 0,
                     "residual[%d] was not sent, and is lost: what is not sent waits", i);
        WRONG_UNLESS(!sent || !close(found, c->sum[i]),
                     "residual[%d] was sent, and is still all there: take off what was sent", i);
        WRONG_UNLESS(!sent || found != 0,
                     "residual[%d] becomes 0: what rounding took away waits, too", i);
        exercise_wrong("residual[%d] is %g, expected %g: it was %g, delta %g, decay %g, sent %g", i,
                       found, expected, c->before[i], c->delta[i], c->decay, value);
    }
}

/* What was not sent shows how the decay was used. */
static void judge_decay(const Case *c)
{
    for (int i = 0, j = 0; i < c->n; i++) {
        float both = c->before[i] + c->delta[i], found = c->residual[i];
        if (j < c->k && c->at[j] == i) {
            j++;
            continue;
        }
        if (close(found, c->sum[i]) || c->before[i] == 0)
            continue;
        WRONG_UNLESS(!close(found, both), "residual[%d]: the decay is missing", i);
        WRONG_UNLESS(!close(found, c->decay * both),
                     "residual[%d]: the decay is for the old residual, not for delta", i);
    }
}

static void judge_case(Case *c)
{
    call(c);
    judge_decay(c);
    judge_positions(c);
    judge_values(c);
    judge_residual(c);
}

static void judge_random(Case *c, uint64_t seed, int n, int k, double decay, bool two_bits)
{
    Rng r = rng_at(seed, RNG_TEST, 8, 0);
    *c = (Case){.n = n, .k = k, .decay = decay, .two_bits = two_bits};
    for (int i = 0; i < n; i++) {
        c->delta[i] = (float)rng_normal(&r);
        c->before[i] = (float)rng_normal(&r);
    }
    judge_case(c);
}

static void judge(void *unused)
{
    static Case c;
    c = (Case){.n = 4, .k = 2, .decay = 1, .delta = {1, -5, 3, 2}};
    judge_case(&c); /* the sign */
    c = (Case){.n = 4, .k = 1, .decay = 1, .delta = {2, 1, 1, 1}, .before = {0, 0, 8, 0}};
    judge_case(&c); /* the residual's turn */
    c = (Case){.n = 4, .k = 4, .decay = 1, .two_bits = true, .delta = {4, -3, 2.5, -1}};
    judge_case(&c);
    c = (Case){.n = 5, .k = 2, .decay = 1, .delta = {1, 1, 1, 1, 1}};
    judge_case(&c); /* equal ones */
    c = (Case){.n = 3, .k = 2, .decay = 1, .two_bits = true};
    judge_case(&c); /* nothing but zeros */
    for (uint64_t seed = 1; seed <= 12; seed++) {
        judge_random(&c, seed, 1 + (int)seed * 7, 1 + (int)seed, 0.95, seed % 2);
        judge_random(&c, seed, 300, 20, 0.5, seed % 2);
    }
    judge_random(&c, 99, SPARSE_CHUNK, 64, 0.95, true);
    judge_random(&c, 98, 700, 700, 1, false);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "sparse_delta", 9,
                          "the k largest of residual + delta, rounded; the rest waits", judge);
}
