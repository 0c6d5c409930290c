/* 7f_exchange_corrected.c: the check of exchange_corrected: against velocities and steps counted
 * here, with a remedy that sends what is larger than 1.
 */
#include "check_codes.h"

enum { N = 19, UPDATES = 25 };

typedef struct Played {
    Remedy remedy; /* first, so that a Remedy * is one */
    int compressed, exchanged, update;
    int32_t at[N];
    float a[N], sent[N];
} Played;

static Played *of(Remedy *r) { return (Played *)r; }

static void compress(Remedy *r, const float *a)
{
    Played *p = of(r);
    WRONG_UNLESS(!p->compressed++, "compress is called twice in an update");
    memcpy(p->a, a, sizeof p->a);
    memset(p->sent, 0, sizeof p->sent);
    r->kept = 0;
    for (int i = 0; i < N; i++)
        if (fabsf(a[i]) > 1) {
            r->at[r->kept++] = i;
            p->sent[i] = a[i];
        }
}

static void residual(Remedy *r, float *e, const float *a)
{
    for (int i = 0; i < N; i++)
        e[i] = a[i] - of(r)->sent[i];
}

static void exchange(Remedy *r, float *g)
{
    Played *p = of(r);
    WRONG_UNLESS(p->compressed,
                 "exchange comes before compress: there is no packet of this update");
    WRONG_UNLESS(!p->exchanged++, "exchange is called twice in an update");
    for (int i = 0; i < N; i++)
        g[i] = p->sent[i] + (i % 2 ? 0.5f : 0); /* and the other rank's part */
}

static void judge_compressed(const Played *p, int i, double g, double u, double v, double momentum)
{
    double next = momentum * u + g, found = p->a[i];
    if (near(found, v + next, 1e-4))
        return;
    exercise_wrong(
        "update %d: what is compressed is %g at element %d, expected v + momentum u + g = %g%s",
        p->update, found, i, v + next,
        near(found, next, 1e-4)               ? ": that is the velocity alone; v adds up the steps"
        : near(found, v + g, 1e-4)            ? ": that is without momentum"
        : near(found, v + momentum * u, 1e-4) ? ": that is without the gradient"
        : near(found, v + u + g, 1e-4)        ? ": u is not multiplied by momentum"
        : near(found, g, 1e-4)                ? ": that is the gradient alone"
        : near(found, v + u, 1e-4)            ? ": the velocity of the update before"
        : near(found, momentum * v + next, 1e-4) ? ": v is multiplied by momentum, too"
                                                 : "");
}

static void judge_memory(const Played *p, int i, const float *u, const float *v, double next)
{
    bool sent = p->sent[i] != 0;
    WRONG_UNLESS(!sent || v[i] == 0,
                 "update %d: element %d was sent, and v is still %g: expected 0: "
                 "it would be sent twice",
                 p->update, i, v[i]);
    WRONG_UNLESS(!sent || u[i] == 0,
                 "update %d: element %d was sent, and u is still %g: expected 0 (momentum factor "
                 "masking: the mask applies to the velocity, too)",
                 p->update, i, u[i]);
    WRONG_UNLESS(sent || near(v[i], p->a[i], 1e-4),
                 "update %d: element %d was not sent, and v is %g, expected %g%s", p->update, i,
                 v[i], p->a[i], v[i] == 0 ? ": what was not sent is lost" : "");
    WRONG_UNLESS(sent || near(u[i], next, 1e-4),
                 "update %d: element %d was not sent, and u is %g, expected momentum u + g = %g%s",
                 p->update, i, u[i], next, u[i] == 0 ? ": its velocity is lost" : "");
}

static void one_update(Played *p, float *u, float *v, float momentum)
{
    float g[N], gradient[N], u0[N], v0[N];
    draw_normal(g, N, 0.3f, 300 + (uint32_t)p->update);
    memcpy(gradient, g, sizeof g);
    memcpy(u0, u, sizeof u0);
    memcpy(v0, v, sizeof v0);
    p->compressed = p->exchanged = 0;
    exchange_corrected(&p->remedy, g, u, v, momentum);
    WRONG_UNLESS(p->compressed, "compress is not called");
    for (int i = 0; i < N; i++)
        judge_compressed(p, i, gradient[i], u0[i], v0[i], momentum);
    WRONG_UNLESS(p->exchanged, "exchange is not called: no rank gets another's part");
    for (int i = 0; i < N; i++) {
        judge_memory(p, i, u, v, momentum * u0[i] + gradient[i]);
        float mean = p->sent[i] + (i % 2 ? 0.5f : 0);
        WRONG_UNLESS(near(g[i], mean, 1e-4),
                     "update %d: g ends with %g, expected the mean over the ranks, %g", p->update,
                     g[i], mean);
    }
}

static void judge(void *unused)
{
    float u[N + 1] = {0}, v[N + 1] = {0};
    Played p = {.remedy = {compress, residual, exchange, .n = N}};
    p.remedy.at = p.at;
    u[N] = v[N] = 33;
    for (; p.update < UPDATES; p.update++)
        one_update(&p, u, v, p.update < 15 ? 0.9f : 0.5f);
    WRONG_UNLESS(u[N] == 33 && v[N] == 33, "it writes outside of u [r->n] or v [r->n]");
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "exchange_corrected", 4,
                          "velocity and steps as counted; both 0 where an element was sent", judge);
}
