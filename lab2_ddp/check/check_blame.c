/* check_blame.c: in which part of a step a run failed.
 *
 * A collective must be made by all ranks, in the same order. A mistake in one step shows as a hang
 * or an error in the first call that the ranks do not make alike, often in another step's line: a
 * rank with one batch less waits in the metrics of step 8 while the others wait in the average of
 * step 6. What each rank had done by then tells where they parted.
 */
#include "check_steps.h"

/* A rank at its k-th collective. */
typedef struct At {
    const AuditEvent *call; /* NULL: it made fewer */
    int updates, tests;     /* so far */
    int batches;            /* since the last of these */
} At;

static At at_call(const AuditRank *r, int k)
{
    At at = {0};
    for (int e = 0; e < r->events; e++) {
        AuditKind kind = r->event[e].kind;
        if (kind >= AUDIT_ALL_REDUCE && k-- == 0) {
            at.call = &r->event[e];
            return at;
        }
        at.updates += kind == AUDIT_UPDATE;
        at.tests += kind == AUDIT_TEST;
        if (kind == AUDIT_UPDATE || kind == AUDIT_TEST)
            at.batches = 0;
        at.batches += kind == AUDIT_BATCH;
    }
    return at;
}

static bool alike(At a, At b)
{
    return a.call && b.call && a.call->kind == b.call->kind && a.call->count == b.call->count;
}

/* What the calls are for, in the order of a training. */
typedef enum { START, GRADIENT, AFTER_UPDATE, STOP, METRICS, NONE, PURPOSES } Purpose;

static Purpose purpose(At at)
{
    if (!at.call)
        return NONE;
    if (at.call->kind == AUDIT_BROADCAST || at.call->kind == AUDIT_COLLECTIVE)
        return START;
    if (at.call->kind == AUDIT_ALL_REDUCE)
        return at.batches > 0 ? GRADIENT : AFTER_UPDATE;
    return at.call->count == 1 ? STOP : METRICS; /* one double, or sums */
}

/* Whose call it is, where all ranks wait in the same. */
static const char *part_of(At at)
{
    static const char *const parts[PURPOSES] = {
        [START] = "5", [GRADIENT] = "6b", [AFTER_UPDATE] = "9a",
        [STOP] = "9b", [METRICS] = "8a",  [NONE] = "1a"};
    return parts[purpose(at)];
}

/* The first rank that made the call, or rank 0. */
static At first_caller(const At *at, int ranks)
{
    int r = 0;
    while (r < ranks && !at[r].call)
        r++;
    return at[r < ranks ? r : 0];
}

/* The ranks part here. What a rank had done that did not make the call says nothing: it may have
 * been on its way when the run ended. */
static const char *part_between(const At *at, int ranks)
{
    bool found[PURPOSES] = {false}, tests = false, updates = false;
    At first = first_caller(at, ranks);
    for (int r = 0; r < ranks; r++) {
        found[purpose(at[r])] = true;
        tests |= at[r].call && at[r].tests != first.tests;
        updates |= at[r].call && at[r].updates != first.updates;
    }
    if (found[START])
        return "5";
    if (tests) /* a rank has tested, another has not */
        return "8b";
    if (found[GRADIENT] && updates) /* a rank has made the update without it */
        return "6b";
    if (found[GRADIENT] && found[METRICS]) /* at the end of its epoch one rank has a batch more */
        return "4b";
    if (found[AFTER_UPDATE])
        return "9a";
    if (found[STOP])
        return "9b";
    return found[METRICS] ? "8a" : "6b";
}

const char *blame(const Facts *f)
{
    At at[MOST_RANKS], before = {0};
    const char *waits = NULL; /* the part where a rank is missing in a call of the others */
    for (int k = 0;; k++) {
        int callers = 0;
        bool same = true;
        for (int r = 0; r < f->ranks; r++) {
            at[r] = at_call(&f->rank[r], k);
            callers += at[r].call != NULL;
        }
        At first = first_caller(at, f->ranks);
        for (int r = 0; r < f->ranks; r++)
            same &= !at[r].call || alike(first, at[r]);
        if (!same)
            return part_between(at, f->ranks);
        if (callers < f->ranks && callers > 0 && !waits)
            waits = part_between(at, f->ranks);
        if (callers == 0) /* they got to the end, or wait in the same call */
            return waits ? waits : f->rank[0].tests >= EPOCHS ? "1b" : part_of(before);
        before = first;
    }
}
