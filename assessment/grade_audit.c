/* grade_audit.c: was the work shared? Judged by what the library noted on each rank (common/audit.h).
 *
 * In order: the ranks know each other; each makes updates, and as many as the others; they start from the same weights;
 * each adds up as many numbers per update as the network has; they have the same weights after each update; no picture
 * of an epoch is trained on by two of them; none has much less to do than the others.
 *
 * First form: a submission could write these notes itself. What the fuller audit adds belongs here: notes that only the
 * library can make, and an update done again by the grader.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "grade.h"

enum { DIGEST = 17, MOST_RANKS = 64 };

/* What one rank noted. */
typedef struct Rank {
    int size;                /* as the communication library told it; 0: it was not started */
    int updates;
    char (*before)[DIGEST], (*after)[DIGEST]; /* [updates]: of the parameters */
    double reduced;          /* numbers that went through all-reduces */
    uint64_t *seen;          /* [pictures]: epoch << 32 | picture, of the batches that were trained on */
    int64_t pictures, room;
} Rank;

#define ALONE "each rank trained alone: "

static void *grow(void *old, int64_t count, size_t size)
{
    void *more = realloc(old, (size_t)count * size);
    REQUIRE(more, "out of memory: no room for the notes of a run");
    return more;
}

static void see_batch(Rank *r, json_t *batch)
{
    uint64_t epoch = (uint64_t)json_integer_value(json_object_get(batch, "epoch"));
    json_t *images = json_object_get(batch, "images"), *image;
    size_t i;
    if (r->pictures + (int64_t)json_array_size(images) > r->room) {
        r->room = 2 * r->room + (int64_t)json_array_size(images) + 1000;
        r->seen = grow(r->seen, r->room, sizeof *r->seen);
    }
    json_array_foreach(images, i, image) {
        r->seen[r->pictures++] = epoch << 32 | (uint64_t)json_integer_value(image);
    }
}

static void see_update(Rank *r, json_t *fact)
{
    if ((r->updates & (r->updates - 1)) == 0) { /* room for twice as many */
        r->before = grow(r->before, 2 * r->updates + 1, DIGEST);
        r->after = grow(r->after, 2 * r->updates + 1, DIGEST);
    }
    const char *before = json_string_value(json_object_get(fact, "before"));
    const char *after = json_string_value(json_object_get(fact, "after"));
    snprintf(r->before[r->updates], DIGEST, "%s", before ? before : "");
    snprintf(r->after[r->updates++], DIGEST, "%s", after ? after : "");
}

/* A batch is trained on where an update follows it. */
static void take_fact(Rank *r, json_t *fact, json_t **batch)
{
    const char *name = json_string_value(json_object_get(fact, "fact"));
    if (!name)
        return;
    if (!strcmp(name, "comm"))
        r->size = (int)json_integer_value(json_object_get(fact, "size"));
    else if (!strcmp(name, "all_reduce"))
        r->reduced += json_number_value(json_object_get(fact, "count"));
    else if (!strcmp(name, "batch")) {
        json_decref(*batch);
        *batch = json_incref(fact);
    } else if (!strcmp(name, "update")) {
        see_batch(r, *batch);
        see_update(r, fact);
        json_object_clear(*batch);
    }
}

static Rank read_rank(const char *folder, int number)
{
    Rank r = {0};
    char *path = format_new("%s/rank-%d.jsonl", folder, number), *line = NULL;
    FILE *file = fopen(path, "r");
    json_t *batch = json_object();
    for (size_t room = 0; file && getline(&line, &room, file) > 0;) {
        json_t *fact = json_loads(line, 0, NULL);
        if (fact)
            take_fact(&r, fact, &batch);
        json_decref(fact);
    }
    json_decref(batch);
    if (file)
        fclose(file);
    free(line);
    free(path);
    return r;
}

/* ---- judgements: what was found wrong, and what to do; NULL: nothing ---- */

typedef struct Fault { char *found, *advice; } Fault;

static Fault judge_library(const Rank *rank, int np)
{
    bool trained = false;
    for (int r = 0; r < np; r++)
        trained = trained || rank[r].updates > 0;
    if (!trained)
        return (Fault){format_new("no rank made an update of any network"),
                       format_new("train: sgd_step after each backward pass, on batches that loader_next gives")};
    for (int r = 0; r < np; r++)
        if (rank[r].size != np)
            return (Fault){rank[r].size ? format_new(ALONE "rank %d says that it is one of %d", r, rank[r].size)
                                        : format_new(ALONE "process %d never started the communication library", r),
                           format_new("start it with comm_open (step 1), give each rank its slice of "
                                      "each global batch (step 4) and average the gradients (step 6)")};
    return (Fault){0};
}

static Fault judge_updates(const Rank *rank, int np)
{
    for (int r = 1; r < np; r++)
        if (rank[r].updates != rank[0].updates)
            return (Fault){format_new("rank 0 made %d updates, rank %d made %d", rank[0].updates, r, rank[r].updates),
                           format_new("as many batches on each rank (step 4), and one clock (step 7b)")};
    for (int r = 1; r < np; r++)
        if (strcmp(rank[r].before[0], rank[0].before[0]))
            return (Fault){format_new("ranks 0 and %d start from different weights", r),
                           format_new("broadcast rank 0's before the first update (step 5)")};
    return (Fault){0};
}

static Fault judge_averages(const Rank *rank, int np, int params)
{
    for (int r = 0; r < np; r++) {
        double wanted = (double)rank[r].updates * (params ? params : 1);
        if (rank[r].reduced < wanted)
            return (Fault){format_new("%srank %d all-reduced %.0f numbers in %d updates of %d parameters",
                                      rank[r].reduced < 0.01 * wanted ? ALONE : "", r, rank[r].reduced,
                                      rank[r].updates, params),
                           format_new("average the whole gradient over the ranks before each update (step 6)")};
    }
    for (int u = 0; u < rank[0].updates; u++)
        for (int r = 1; r < np; r++)
            if (strcmp(rank[r].after[u], rank[0].after[u]))
                return (Fault){format_new("after update %d ranks 0 and %d have different weights", u + 1, r),
                               format_new("average the whole gradient before each update (step 6); "
                                          "one rate on all ranks (step 7)")};
    return (Fault){0};
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* How many of the pictures trained on, each counted once per epoch and rank, were trained on by another rank, too. */
static int64_t count_twice(Rank *rank, int np, int64_t *all)
{
    int64_t count = 0, twice = 0;
    uint64_t *merged = grow(NULL, 1, sizeof *merged);
    for (int r = 0; r < np; r++) {
        qsort(rank[r].seen, (size_t)rank[r].pictures, sizeof *rank[r].seen, by_number);
        merged = grow(merged, count + rank[r].pictures + 1, sizeof *merged);
        for (int64_t i = 0; i < rank[r].pictures; i++)
            if (i == 0 || rank[r].seen[i] != rank[r].seen[i - 1])
                merged[count++] = rank[r].seen[i];
    }
    qsort(merged, (size_t)count, sizeof *merged, by_number);
    for (int64_t i = 1; i < count; i++)
        twice += merged[i] == merged[i - 1];
    free(merged);
    *all = count;
    return twice;
}

static Fault judge_parts(Rank *rank, int np)
{
    int64_t all, twice = count_twice(rank, np, &all), total = 0;
    for (int r = 0; r < np; r++)
        total += rank[r].pictures;
    if (twice > 0)
        return (Fault){format_new("%.0f %% of the pictures of an epoch are trained on by more than one rank",
                                  100.0 * (double)twice / (double)(all - twice)),
                       format_new("give each rank its slice of each global batch (step 4)")};
    for (int r = 0; r < np; r++)
        if ((double)rank[r].pictures * np < 0.5 * (double)total)
            return (Fault){format_new("rank %d trains on %lld of the %lld pictures", r, (long long)rank[r].pictures,
                                      (long long)total),
                           format_new("give each rank as many images as the others (step 4)")};
    return (Fault){0};
}

Finding grade_audit(const char *folder, int np, int params)
{
    ASSERT(np <= MOST_RANKS);
    Rank rank[MOST_RANKS];
    for (int r = 0; r < np; r++)
        rank[r] = read_rank(folder, r);
    Fault fault = judge_library(rank, np);
    if (!fault.found)
        fault = judge_updates(rank, np);
    if (!fault.found)
        fault = judge_averages(rank, np, params);
    if (!fault.found)
        fault = judge_parts(rank, np);
    Finding f = {.passed = !fault.found, .found = fault.found, .advice = fault.advice};
    if (f.passed)
        f.found = format_new("%d ranks, %d updates each, the same weights after every one", np, rank[0].updates);
    for (int r = 0; r < np; r++) {
        free(rank[r].before);
        free(rank[r].after);
        free(rank[r].seen);
    }
    return f;
}
