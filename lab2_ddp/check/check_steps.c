/* check_steps.c: the short verdicts of the self-check: steps 1, 2, 3, 5 and 7. Step 4 is in
 * check_slices.c, step 6 in check_average.c, 8 and 9 in check_results.c.
 */
#include "check_steps.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- steps 1 to 3: who am I ---- */

Verdict judge_comm(const Runs *r)
{
    bool finished = true;
    for (int i = 0; i < RANKS; i++) {
        const AuditRank *f = &r->apart.rank[i];
        if (f->size < 0)
            return missing(r, &r->apart, "1a",
                           "process %d does not start the communication library (comm_open)", i);
        if (f->rank != i || f->size != RANKS)
            return wrong("1a", "process %d is rank %d of %d", i, f->rank, f->size);
        finished &= f->tests >= EPOCHS;
    }
    if (finished && !*r->apart.killed && r->apart.status != 0)
        return wrong("1b",
                     "all ranks trained to the end, but the run ended with status %d: is "
                     "comm_close called?",
                     r->apart.status);
    return right();
}

Verdict judge_device(const Runs *r)
{
    for (int i = 0; i < RANKS; i++) {
        const AuditRank *f = &r->apart.rank[i];
        if (f->local_rank < 0)
            return missing(r, &r->apart, "2", "rank %d opens no device", i);
        int few = atoi(RANKS_PER_MACHINE), size = i / few == RANKS / few ? RANKS % few : few;
        if (f->local_rank != i % few || f->local_size != size)
            return wrong("2",
                         "rank %d opens its device as local rank %d of %d, expected %d of %d: this "
                         "run takes ranks 0 and 1 to be on one machine, and rank 2 on another%s",
                         i, f->local_rank, f->local_size, i % few, size,
                         f->local_rank == i && f->local_size == RANKS
                             ? "; are these its rank and the number of all ranks?"
                             : "");
    }
    return right();
}

Verdict judge_output(const Runs *r)
{
    for (int i = 1; i < RANKS; i++) {
        char *path = facts_path(&r->apart, i, "metrics.csv");
        bool writes = access(path, F_OK) == 0;
        free(path);
        if (facts_stdout(&r->apart, i) > 0 || writes)
            return wrong("3a", "rank %d %s too", i, writes ? "writes metrics.csv" : "prints");
    }
    if (facts_stdout(&r->apart, 0) == 0)
        return missing(r, &r->apart, "3a", "rank 0 prints nothing");
    int ranks = facts_config(&r->apart, "ranks");
    if (ranks != RANKS)
        return wrong("3b", "rank 0 reports \"ranks\" as %d", ranks);
    return right();
}

/* ---- step 5: the same network ---- */

static bool broadcasts(const AuditRank *r)
{
    for (int e = 0; e < r->events && r->event[e].kind != AUDIT_UPDATE; e++)
        if (r->event[e].kind == AUDIT_BROADCAST)
            return true;
    return false;
}

/* Rank i's weights before the first update are not rank 0's first ones: whose are they? */
static Verdict wrong_start(const Facts *f, int i, char start[RANKS][17])
{
    const char *found = facts_update(f, i, 0)->before;
    for (int k = 1; k < RANKS; k++)
        if (k != i && !strcmp(found, start[k]))
            return wrong("5", "rank %d starts from the weights that rank %d drew, not rank 0", i,
                         k);
    if (strcmp(found, start[i]))
        return wrong("5",
                     "before the first update, rank %d does not have the weights that rank 0 "
                     "drew",
                     i);
    return wrong("5", "rank %d starts from the weights that it drew itself: %s", i,
                 broadcasts(&f->rank[i]) ? "is it model->params that comm_broadcast sends?"
                                         : "it makes no comm_broadcast");
}

Verdict judge_broadcast(const Runs *r)
{
    const Facts *f = &r->apart;
    char start[RANKS][17];
    reference_starts(start);
    bool same = true, changed = false, sent = true;
    for (int i = 0; i < RANKS; i++) {
        if (f->rank[i].updates == 0)
            return missing(r, f, "6b", "rank %d makes no update", i);
        same &= !strcmp(facts_update(f, i, 0)->before, facts_update(f, 0, 0)->before);
        changed |= strcmp(facts_update(f, i, 0)->after, facts_update(f, i, 1)->before) != 0;
        sent &= broadcasts(&f->rank[i]);
    }
    if (same && changed && sent) /* something else changes the weights: step 6 says what */
        return right();
    for (int i = 0; i < RANKS; i++)
        if (strcmp(facts_update(f, i, 0)->before, start[0]))
            return wrong_start(f, i, start);
    return right();
}

/* ---- step 7: the rate ---- */

Verdict judge_rate(const Runs *r)
{
    const Facts *f = &r->apart;
    int updates = f->rank[0].updates;
    int first_epoch = 0;
    while (first_epoch < updates && facts_update(f, 0, first_epoch)->epoch == 0)
        first_epoch++;
    int warm_updates = (int)(WARMUP * first_epoch);
    if (updates <= warm_updates)
        return missing(r, f, "7", "rank 0 makes no update after the warm-up");
    for (int u = 0; u < updates; u++) {
        const AuditUpdate *update = facts_update(f, 0, u);
        double rate = update->rate, before = u > 0 ? facts_update(f, 0, u - 1)->rate : RATE;
        bool warm = u < warm_updates;
        if (u == 0 && fabs(rate - RATE) > 1e-9)
            return wrong("7", "the first update has rate %g, expected %g%s", rate, RATE,
                         fabs(rate - RANKS * RATE) < 1e-9 ? ": no warm-up"
                         : rate < RATE ? ": the warm-up begins at --rate, not at 0"
                                       : "");
        if (warm && rate < before)
            return wrong("7", "in the warm-up the rate falls from %g to %g", before, rate);
        if (!warm && fabs(rate - RANKS * RATE) > 1e-9)
            return wrong("7", "after the warm-up, in update %d, the rate is %g, expected %g%s", u,
                         rate, RANKS * RATE,
                         fabs(rate - RATE) < 1e-9 ? ": it is not scaled by P"
                         : fabs(rate - sqrt(RANKS) * RATE) < 1e-9
                             ? ": that is √P times --rate, not P times"
                         : rate > before + 1e-9
                             ? ": is the warm-up's length that of updates of all ranks together?"
                             : "");
        if (warm && u < warm_updates - 1 && rate > RANKS * RATE - 1e-9)
            return wrong(
                "7", "in update %d the rate is %g already: the warm-up of %g epochs has %d updates",
                u, rate, WARMUP, warm_updates);
        for (int i = 1; i < RANKS; i++)
            if (u < f->rank[i].updates && facts_update(f, i, u)->rate != rate)
                return wrong("7", "update %d has different rates on ranks 0 and %d", u, i);
    }
    return right();
}
