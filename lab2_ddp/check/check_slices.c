/* check_slices.c: the verdict on step 4: which images each rank made its updates with.
 */
#include "check.h"
#include "check_steps.h"
#include "lab2.h"
#include <stdlib.h>
#include <string.h>

/* One update of one rank, and what it should have been. */
typedef struct Slice {
    const Runs *runs;
    const Facts *f;
    const int32_t *order; /* the epoch's, of `images` */
    int images, S;
    int rank, update, epoch, first; /* first: the position where the slice begins */
    int batch;                      /* where the global batch begins */
} Slice;

static bool equal(const AuditImages *a, const AuditImages *b)
{
    return a->count > 0 && a->count == b->count &&
           !memcmp(a->at, b->at, (size_t)a->count * sizeof *a->at);
}

/* Where in the order a run of these images begins; -1: nowhere. */
static int position_of(const Slice *s, const AuditImages *found)
{
    for (int at = 0; at + found->count <= s->images; at++)
        if (!memcmp(found->at, s->order + at, (size_t)found->count * sizeof *s->order))
            return at;
    return -1;
}

/* What is wrong with the images of this update, which are not the slice? */
static Verdict other_images(const Slice *s, const AuditImages *found)
{
    int last = s->first + s->S - 1, at = position_of(s, found);
    int part = s->images / (s->S * s->f->ranks); /* updates of an epoch */
    for (int r = 0; r < s->rank; r++)
        if (equal(found, facts_images(s->f, r, s->update)))
            return wrong("4b", "in update %d ranks %d and %d train on the same images", s->update,
                         r, s->rank);
    if (found->count != s->S)
        return wrong("4b", "in update %d rank %d trains on %d images, expected %d", s->update,
                     s->rank, found->count, s->S);
    bool strided = true;
    for (int i = 0; i < s->S; i++)
        strided &= found->at[i] == s->order[s->batch + s->rank + i * s->f->ranks];
    if (strided && s->f->ranks > 1)
        return wrong("4b",
                     "in update %d rank %d trains on every %d-th position from %d on; expected "
                     "the consecutive ones %d to %d",
                     s->update, s->rank, s->f->ranks, s->batch + s->rank, s->first, last);
    if (at < 0)
        return wrong("4b",
                     "in update %d rank %d does not train on positions %d to %d of the epoch's "
                     "order: do all ranks draw the same order?",
                     s->update, s->rank, s->first, last);
    return wrong(s->rank == 0 ? "4a" : "4b",
                 "in update %d rank %d trains on positions %d to %d of the epoch's order, expected "
                 "%d to %d%s",
                 s->update, s->rank, at, at + s->S - 1, s->first, last,
                 s->rank > 0 && at == s->batch + s->rank
                     ? ": its slice begins `rank` images behind rank 0's, not `rank` slices"
                 : s->rank > 0 && at == part * s->S * s->rank + s->batch / s->f->ranks
                     ? ": that is one part of the epoch for each rank, not a slice of every global "
                       "batch"
                     : "");
}

static Verdict judge_slice(const Slice *s)
{
    const AuditRank *rank = &s->f->rank[s->rank];
    const AuditImages *found = facts_images(s->f, s->rank, s->update);
    bool ended = s->update >= rank->updates; /* found is what it was handed at the end */
    if (ended ? found->count < s->S : facts_update(s->f, s->rank, s->update)->epoch != s->epoch)
        return missing(s->runs, s->f, "4b", "rank %d makes only %d updates%s", s->rank, s->update,
                       ended ? "" : " before the next epoch");
    bool is_slice = found->count == s->S &&
                    !memcmp(found->at, s->order + s->first, (size_t)s->S * sizeof *s->order);
    return is_slice ? right() : other_images(s, found);
}

Verdict judge_order(const Runs *r, const Facts *f, int S, int images, int position)
{
    int32_t *order = alloc((unsigned long)images, sizeof *order);
    Verdict verdict = right();
    Slice s = {.runs = r, .f = f, .order = order, .images = images, .S = S};
    for (; s.epoch < EPOCHS; s.epoch++, position = 0) {
        epoch_order(order, images, SEED, s.epoch);
        for (; position + f->ranks * S <= images; position += f->ranks * S, s.update++)
            for (s.rank = 0; s.rank < f->ranks && !verdict.fault; s.rank++) {
                s.batch = position;
                s.first = position + s.rank * S;
                verdict = judge_slice(&s);
            }
    }
    for (int i = 0; i < f->ranks && !verdict.fault; i++)
        if (f->rank[i].updates > s.update)
            verdict = wrong("4a", "rank %d makes %d updates, expected %d", i, f->rank[i].updates,
                            s.update);
    free(order);
    return verdict;
}

/* The first global batch, at least. */
static bool begun(const Facts *f, int S)
{
    bool all = true;
    for (int r = 0; r < f->ranks; r++)
        all &= facts_images(f, r, 0)->count >= S;
    return all;
}

/* A run that failed in a later step ended early: what it did until then counts. */
static Verdict judge_run(const Runs *r, const Facts *f, int S)
{
    Verdict verdict = judge_order(r, f, S, IMAGES, 0);
    if (verdict.first <= 4 || !begun(f, S))
        return verdict;
    free(verdict.fault);
    return right();
}

Verdict judge_slices(const Runs *r)
{
    Verdict verdict = judge_run(r, &r->apart, BATCH);
    if (verdict.fault || !r->together.dir || r->together.left_out)
        return verdict;
    verdict = judge_run(r, &r->together, ACCUMULATE * BATCH);
    if (verdict.fault && !verdict.first) {
        char *fault = format_new("with --accumulate %d: %s", ACCUMULATE, verdict.fault);
        free(verdict.fault);
        verdict.fault = fault;
    }
    return verdict;
}
