/* grade_audit.c: did the ranks share the work? Judged by what the library noted on each of them
 * (common/audit.h).
 *
 * In order: the ranks know each other; all make equally many updates, more than none; they start
 * from the same weights; each all-reduces as many elements per update as the network has
 * parameters; all have the same weights after each update; no two train on the same image of an
 * epoch; none trains on much less than the others.
 *
 * First version: a submission could forge these notes. A fuller audit belongs here: notes that only
 * the library can make, and an update repeated by the grader.
 */
#include "audit_read.h"
#include "check.h"
#include "grade.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 64 };

#define ALONE "each rank trained alone: "

/* ---- verdicts: what is wrong, and what to do about it; NULL: nothing ---- */

typedef struct Fault {
    char *found, *advice;
} Fault;

static Fault judge_library(const AuditRank *rank, int np)
{
    bool trained = false;
    for (int r = 0; r < np; r++)
        trained = trained || rank[r].updates > 0;
    if (!trained)
        return (Fault){
            format_new("no rank made an update of any network"),
            format_new(
                "train: sgd_step after each backward pass, on batches that loader_next gives")};
    for (int r = 0; r < np; r++)
        if (rank[r].size != np)
            return (
                Fault){rank[r].size >= 0
                           ? format_new(ALONE "rank %d has a world size of %d", r, rank[r].size)
                           : format_new(ALONE "process %d never started the communication library",
                                        r),
                       format_new("start it with comm_open (step 1), give each rank its slice of "
                                  "each global batch (step 4) and average the gradients (step 6)")};
    return (Fault){0};
}

static Fault judge_updates(const AuditRank *rank, int np)
{
    for (int r = 1; r < np; r++)
        if (rank[r].updates != rank[0].updates)
            return (Fault){
                format_new("rank 0 made %d updates, rank %d made %d", rank[0].updates, r,
                           rank[r].updates),
                format_new("equally many batches on each rank (step 4), and one clock (step 7b)")};
    for (int r = 1; r < np; r++)
        if (strcmp(rank[r].update[0].before, rank[0].update[0].before))
            return (
                Fault){format_new("ranks 0 and %d start from different weights", r),
                       format_new("broadcast rank 0's weights before the first update (step 5)")};
    return (Fault){0};
}

static Fault judge_averages(const AuditRank *rank, int np, int params)
{
    for (int r = 0; r < np; r++) {
        double wanted = (double)rank[r].updates * (params ? params : 1);
        if (rank[r].reduced < wanted)
            return (Fault){
                format_new("%srank %d all-reduced %.0f elements in %d updates of %d parameters",
                           rank[r].reduced < 0.01 * wanted ? ALONE : "", r, rank[r].reduced,
                           rank[r].updates, params),
                format_new(
                    "average the whole gradient over the ranks before each update (step 6)")};
    }
    for (int u = 0; u < rank[0].updates; u++)
        for (int r = 1; r < np; r++)
            if (strcmp(rank[r].update[u].after, rank[0].update[u].after))
                return (Fault){format_new("after update %d ranks 0 and %d have different weights",
                                          u + 1, r),
                               format_new("average the whole gradient before each update (step 6); "
                                          "one rate on all ranks (step 7)")};
    return (Fault){0};
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int64_t count_images(const AuditRank *r)
{
    int64_t count = 0;
    for (int u = 0; u < r->updates; u++)
        count += r->update[u].images.count;
    return count;
}

/* Fills seen with the images that a rank trained on, as epoch << 32 | image, sorted, each once.
 * Returns their count. */
static int64_t seen_by(const AuditRank *r, uint64_t *seen)
{
    int64_t count = 0, once = 0;
    for (int u = 0; u < r->updates; u++)
        for (int i = 0; i < r->update[u].images.count; i++)
            seen[count++] = (uint64_t)r->update[u].epoch << 32 |
                            (uint32_t)r->update[u].images.at[i];
    qsort(seen, (size_t)count, sizeof *seen, by_value);
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || seen[i] != seen[i - 1])
            seen[once++] = seen[i];
    return once;
}

/* How many images, each counted once per epoch and rank, another rank trained on, too. */
static int64_t count_twice(const AuditRank *rank, int np, int64_t total, int64_t *all)
{
    int64_t count = 0, twice = 0;
    uint64_t *merged = alloc((size_t)total, sizeof *merged);
    for (int r = 0; r < np; r++)
        count += seen_by(&rank[r], merged + count);
    qsort(merged, (size_t)count, sizeof *merged, by_value);
    for (int64_t i = 1; i < count; i++)
        twice += merged[i] == merged[i - 1];
    free(merged);
    *all = count;
    return twice;
}

static Fault judge_slices(const AuditRank *rank, int np)
{
    int64_t total = 0, all;
    for (int r = 0; r < np; r++)
        total += count_images(&rank[r]);
    int64_t twice = count_twice(rank, np, total, &all);
    if (twice > 0)
        return (Fault){format_new("more than one rank trains on %.0f %% of the images of an epoch",
                                  100.0 * (double)twice / (double)(all - twice)),
                       format_new("give each rank its slice of each global batch (step 4)")};
    for (int r = 0; r < np; r++)
        if ((double)count_images(&rank[r]) * np < 0.5 * (double)total)
            return (Fault){format_new("rank %d trains on %lld of the %lld images", r,
                                      (long long)count_images(&rank[r]), (long long)total),
                           format_new("give each rank as many images as the others (step 4)")};
    return (Fault){0};
}

Finding grade_audit(const char *folder, int np, int params)
{
    ASSERT(np <= MOST_RANKS);
    AuditRank rank[MOST_RANKS];
    for (int r = 0; r < np; r++)
        rank[r] = audit_read(folder, r);
    Fault fault = judge_library(rank, np);
    if (!fault.found)
        fault = judge_updates(rank, np);
    if (!fault.found)
        fault = judge_averages(rank, np, params);
    if (!fault.found)
        fault = judge_slices(rank, np);
    Finding f = {.passed = !fault.found, .found = fault.found, .advice = fault.advice};
    if (f.passed)
        f.found = format_new("%d ranks, %d updates each, the same weights after each of them", np,
                             rank[0].updates);
    for (int r = 0; r < np; r++)
        audit_read_free(&rank[r]);
    return f;
}
