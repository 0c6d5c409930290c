/* check_average.c: the verdict on step 6: that every rank makes every update with the mean
 * gradient, and how it got it.
 *
 * First the order of the calls, which says what is wrong; then the weights, which say that
 * something is.
 */
#include "check.h"
#include "check_steps.h"
#include <math.h>
#include <string.h>

/* What a rank all-reduces around its first update: elements. */
typedef struct Exchange {
    double between; /* after a micro-batch that is not the update's last */
    double before;  /* after the last, before the update */
    double after;   /* after the update, before the next batch */
    bool other;     /* it also calls something else: a reduce-scatter, say */
} Exchange;

static Exchange first_exchange(const AuditRank *r)
{
    Exchange x = {0};
    int updates = 0, batches = 0;
    for (int e = 0; e < r->events; e++) {
        const AuditEvent *event = &r->event[e];
        batches += event->kind == AUDIT_BATCH;
        if (batches > 0 && updates == 1 && event->kind == AUDIT_BATCH)
            break;
        if (updates == 0 && event->kind == AUDIT_BATCH) {
            x.between += x.before; /* it was not the last */
            x.before = 0;
        }
        if (event->kind == AUDIT_ALL_REDUCE && batches > 0)
            *(updates ? &x.after : &x.before) += event->count;
        x.other |= event->kind == AUDIT_COLLECTIVE;
        updates += event->kind == AUDIT_UPDATE;
    }
    return x;
}

/* Rank i does not average before its first update. */
static Verdict not_before(const Facts *f, int i, Exchange x)
{
    if (x.after > 0)
        return wrong("6b", "the average comes after update 0, not before it: the ranks have made "
                           "different updates by then");
    for (int k = 0; k < f->ranks; k++)
        if (first_exchange(&f->rank[k]).before > 0)
            return wrong("6b",
                         "rank %d makes update 0 without the all-reduce in which rank %d waits for "
                         "it",
                         i, k);
    return wrong("6b", "rank %d makes update 0 without an all-reduce before it", i);
}

/* elements: of the gradient; 0: unknown. */
static Verdict judge_exchange(const Facts *f, int elements)
{
    for (int i = 0; i < f->ranks; i++) {
        Exchange x = first_exchange(&f->rank[i]);
        if (x.other)
            return right(); /* the weights tell */
        if (x.between > 0)
            return wrong("6b",
                         "in update 0 rank %d all-reduces after each of %d micro-batches: once per "
                         "update is enough",
                         i, ACCUMULATE);
        if (x.before == 0 && f->rank[i].updates > 0)
            return not_before(f, i, x);
        if (elements && f->rank[i].updates > 0 && x.before < elements)
            return wrong("6b",
                         "before update 0 rank %d all-reduces %.0f elements; the gradient "
                         "has %d",
                         i, x.before, elements);
        if (elements && x.before >= 2.0 * elements)
            return wrong("6b",
                         "before update 0 rank %d all-reduces %.0f elements; the gradient has %d: "
                         "averaged twice, it is right, for twice the bytes",
                         i, x.before, elements);
    }
    return right();
}

/* Do the ranks change their weights in updates alone, and are they the same on all after each? */
static Verdict judge_weights(const Facts *f)
{
    int updates = f->rank[0].updates;
    for (int u = 1; u < updates; u++)
        for (int i = 0; i < f->ranks; i++)
            if (strcmp(facts_update(f, i, u)->before, facts_update(f, i, u - 1)->after))
                return wrong("6b",
                             "between updates %d and %d the weights change: is it model->params "
                             "that is averaged, not model->grads?",
                             u - 1, u);
    for (int u = 0; u < updates; u++)
        for (int i = 1; i < f->ranks; i++)
            if (strcmp(facts_update(f, i, u)->after, facts_update(f, 0, u)->after))
                return wrong("6b",
                             "after update %d ranks 0 and %d have different weights: is it "
                             "model->grads that is averaged, and by comm->size?",
                             u, i);
    return right();
}

/* Are the weights those of one rank's training with batches of P times as many images? */
static Verdict judge_distance(const Reference *reference)
{
    static const char *const instead[COMBINATIONS] = {
        [SUM] = "that is the sum over the ranks, not the mean",
        [NOTHING] = "the gradient has become 0: 1 / size is 0 in integers",
        [MEAN_TWICE] = "that is the mean divided by the world size once more"};
    if (isnan(reference->distance[MEAN]))
        return wrong("9a", "the checkpoint cannot be read, or is of another network");
    if (reference->distance[MEAN] <= 1e-4) /* rounding alone: 2e-7 */
        return right();
    for (int c = 0; c < COMBINATIONS; c++)
        if (instead[c] && reference->distance[c] <= 1e-4)
            return wrong("6a", "%s", instead[c]);
    return wrong("6a", "the weights are off by %.2g of the distance they moved: is it the mean?",
                 reference->distance[MEAN]);
}

Verdict judge_average(const Runs *r)
{
    const Facts *f = &r->together;
    Verdict verdict = judge_exchange(f->left_out ? &r->apart : f, r->reference.elements);
    if (verdict.fault)
        return verdict;
    if (f->left_out || f == r->failed || f->rank[0].updates == 0)
        return missing(r, f, "6b", "rank 0 does not train to the end");
    verdict = judge_weights(f);
    if (verdict.fault)
        return verdict;
    if (f->rank[0].checkpoints == 0)
        return (Verdict){format_new("rank 0 writes no checkpoint to compare with"), 9};
    return judge_distance(&r->reference);
}
