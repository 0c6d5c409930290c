/* 7d_exchange_with_feedback.c: the check of exchange_with_feedback, with a remedy that sends whole
 * numbers only, and another rank that is played here: g + e = sent + e' in every update.
 */
#include "check_codes.h"

enum { N = 23, UPDATES = 30 };

/* The remedy, and what it saw. */
typedef struct Played {
    Remedy remedy;                   /* first, so that a Remedy * is one */
    int compressed, left, exchanged; /* calls */
    int update;
    float a[N], sent[N], other[N]; /* what was compressed; what the packet says; the other rank's */
} Played;

static Played *of(Remedy *r) { return (Played *)r; }

static void compress(Remedy *r, const float *a)
{
    Played *p = of(r);
    WRONG_UNLESS(!p->compressed++, "compress is called twice in an update");
    memcpy(p->a, a, sizeof p->a);
    for (int i = 0; i < N; i++)
        p->sent[i] = truncf(a[i]);
}

static void residual(Remedy *r, float *e, const float *a)
{
    Played *p = of(r);
    WRONG_UNLESS(p->compressed,
                 "residual comes before compress: there is no packet of this update");
    WRONG_UNLESS(!p->exchanged, "residual comes after exchange: g is the mean over the ranks by "
                                "then, not what was compressed");
    p->left++;
    for (int i = 0; i < N; i++)
        e[i] = a[i] - p->sent[i];
}

static void exchange(Remedy *r, float *g)
{
    Played *p = of(r);
    WRONG_UNLESS(p->compressed,
                 "exchange comes before compress: there is no packet of this update");
    WRONG_UNLESS(!p->exchanged++, "exchange is called twice in an update");
    for (int i = 0; i < N; i++)
        g[i] = (p->sent[i] + p->other[i]) / 2;
}

/* Every element of found is factor of a sum of these, to rounding. */
static bool is(const float *found, const float *x, double factor, const float *y)
{
    for (int i = 0; i < N; i++)
        if (!near(found[i], x[i] + factor * y[i], 1e-5))
            return false;
    return true;
}

static void judge_compressed(const Played *p, const float *g, const float *before)
{
    if (is(p->a, g, 1, before))
        return;
    exercise_wrong("update %d: what is compressed is not g + e%s", p->update,
                   is(p->a, g, 0, before)        ? ", but g alone: is the residual forgotten?"
                   : is(p->a, g, 2, before)      ? ", but g + 2 e: is the residual added twice?"
                   : is(p->a, g, -1, before)     ? ", but g - e"
                   : is(p->a, before, 0, before) ? ", but e alone"
                                                 : "");
}

static void judge_residual(const Played *p, const float *e, const float *g, const float *before)
{
    float gone[N];
    for (int i = 0; i < N; i++)
        gone[i] = p->a[i] - p->sent[i];
    if (is(e, gone, 0, gone))
        return;
    exercise_wrong("update %d: after it g + e = sent + e' does not hold%s", p->update,
                   is(e, gone, 1, before)     ? ": e is the old residual plus the new one"
                   : is(e, gone, -1, before)  ? ": e is what is left of g alone, without the old e"
                   : is(e, gone, -2, gone)    ? ": its sign is wrong"
                   : is(e, before, 0, before) ? ": e is still what it was: is the residual kept?"
                   : is(e, p->sent, 0, gone)  ? ": e is what was sent"
                   : is(e, g, 0, gone)        ? ": e is the gradient"
                                              : "");
}

static void one_update(Played *p, float *e, double *total, double *sum)
{
    float g[N + 1], gradient[N], before[N];
    draw_normal(g, N, 1, 100 + (uint32_t)p->update);
    draw_normal(p->other, N, 2, 200 + (uint32_t)p->update);
    g[N] = 77;
    memcpy(gradient, g, sizeof gradient);
    memcpy(before, e, sizeof before);
    p->compressed = p->left = p->exchanged = 0;
    exchange_with_feedback(&p->remedy, g, e);
    WRONG_UNLESS(p->compressed, "compress is not called");
    judge_compressed(p, gradient, before);
    WRONG_UNLESS(p->exchanged, "exchange is not called: no rank gets another's part");
    judge_residual(p, e, gradient, before);
    WRONG_UNLESS(g[N] == 77, "it writes outside of g [r->n]");
    for (int i = 0; i < N; i++) {
        float mean = (p->sent[i] + p->other[i]) / 2;
        WRONG_UNLESS(
            near(g[i], mean, 1e-5),
            "update %d: g ends with %g, expected the mean over the ranks of what was sent, "
            "%g%s",
            p->update, g[i], mean,
            near(g[i], mean + e[i], 1e-5) ? ": is the residual added to the mean?" : "");
        total[i] += gradient[i];
        sum[i] += p->sent[i];
    }
}

static void judge(void *unused)
{
    Played p = {.remedy = {compress, residual, exchange, .n = N}};
    float e[N + 1] = {0};
    double total[N] = {0}, sum[N] = {0};
    e[N] = 55;
    for (p.update = 0; p.update < UPDATES; p.update++)
        one_update(&p, e, total, sum);
    WRONG_UNLESS(e[N] == 55, "it writes outside of e [r->n]");
    for (int i = 0; i < N; i++)
        WRONG_UNLESS(near(sum[i] + e[i], total[i], 1e-3),
                     "after %d updates element %d: sent %g and kept %g, but the gradients' sum is "
                     "%g",
                     UPDATES, i, sum[i], e[i], total[i]);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "exchange_with_feedback", 4,
                          "g + e = sent + e' in every update; g ends as the ranks' mean", judge);
}
