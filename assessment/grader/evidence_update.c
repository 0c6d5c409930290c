/* evidence_update.c: passes of one rank that begin with the same weights are its work for one
 * update; the ranks' works of the same number are the update. A rank may be some updates ahead of
 * the others: those wait. */
#include "check.h"
#include "inspection.h"
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 64 }; /* updates that a rank can be ahead */

typedef struct Queue {
    Work *work[AHEAD + 2];
    float *w[AHEAD + 2];
    int count; /* the last one may grow still */
    int begun; /* in all */
} Queue;

struct Lineup {
    int np, index;
    int64_t params;
    bool over;
    Queue rank[EVIDENCE_RANKS];
};

static void work_free(Work *w)
{
    for (int i = 0; i < w->passes; i++)
        pass_free(w->pass[i]);
    free(w->g);
}

void update_free(Update *u)
{
    if (!u || u->holders-- > 0)
        return;
    for (int r = 0; r < u->np; r++)
        work_free(&u->work[r]);
    free(u->w);
    free(u);
}

Lineup *lineup_new(int np)
{
    Lineup *l = alloc(1, sizeof *l);
    l->np = np;
    return l;
}

void lineup_free(Lineup *l)
{
    for (int r = 0; r < l->np; r++)
        for (int i = 0; i < l->rank[r].count; i++) {
            work_free(l->rank[r].work[i]);
            free(l->rank[r].work[i]);
            free(l->rank[r].w[i]);
        }
    free(l);
}

int lineup_count(const Lineup *l, int rank) { return l->rank[rank].begun; }

static bool same(const float *a, const float *b, int64_t n)
{
    return !memcmp(a, b, (size_t)n * sizeof *a);
}

/* Adds the pass to its rank's last work, or begins a new one. */
static void put(Lineup *l, Pass *p)
{
    Queue *q = &l->rank[p->head.rank];
    Work *last = q->count ? q->work[q->count - 1] : NULL;
    int64_t n = p->head.params;
    if (!last || !same(q->w[q->count - 1], p->w, n) ||
        last->passes == (int)(sizeof last->pass / sizeof *last->pass)) {
        last = q->work[q->count] = alloc(1, sizeof *last);
        last->g = alloc((size_t)n, sizeof *last->g);
        q->w[q->count] = alloc((size_t)n, sizeof(float));
        memcpy(q->w[q->count++], p->w, (size_t)n * sizeof(float));
        q->begun++;
    }
    for (int64_t i = 0; i < n; i++)
        last->g[i] += p->g[i];
    last->pass[last->passes++] = p;
    free(p->w); /* once for all of them */
    p->w = NULL;
}

/* A rank's first work is complete when a second one has begun, or when all is over. */
static bool is_complete(const Lineup *l, int rank)
{
    return l->rank[rank].count > (l->over ? 0 : 1);
}

static Update *next(Lineup *l, char **fault)
{
    for (int r = 0; r < l->np; r++)
        if (!is_complete(l, r))
            return NULL;
    for (int r = 1; r < l->np; r++)
        if (!same(l->rank[0].w[0], l->rank[r].w[0], l->params)) {
            *fault = l->index ? format_new("after update %d ranks 0 and %d have different weights",
                                           l->index, r)
                              : format_new("ranks 0 and %d start from different weights", r);
            return NULL;
        }
    Update *u = alloc(1, sizeof *u);
    *u = (Update){.np = l->np, .index = l->index++, .params = l->params};
    for (int r = 0; r < l->np; r++) {
        Queue *q = &l->rank[r];
        u->work[r] = *q->work[0];
        free(q->work[0]);
        if (r)
            free(q->w[0]);
        else
            u->w = q->w[0];
        q->count--;
        memmove(q->work, q->work + 1, (size_t)q->count * sizeof *q->work);
        memmove(q->w, q->w + 1, (size_t)q->count * sizeof *q->w);
    }
    return u;
}

Update *lineup_add(Lineup *l, Pass *pass, char **fault)
{
    const EvidenceHead *h = &pass->head;
    if (!l->params)
        l->params = h->params;
    if (h->params != l->params) {
        *fault = format_new("rank %d trained a network of %lld parameters, and one of %lld",
                            h->rank, (long long)l->params, (long long)h->params);
        l->rank[h->rank].begun++;
        pass_free(pass);
        return NULL;
    }
    int rank = h->rank;
    put(l, pass);
    if (l->rank[rank].count > AHEAD) {
        *fault = format_new("rank %d is %d updates ahead of another: it does not wait for its "
                            "gradients",
                            rank, AHEAD);
        return NULL;
    }
    return next(l, fault);
}

Update *lineup_finish(Lineup *l, char **fault)
{
    l->over = true;
    return next(l, fault);
}
