/* check_steps.c: what each step of 3_train.c must have achieved in the runs of the self-check.
 */
#include "check_steps.h"
#include "check.h"
#include "lab2.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- steps 1 to 3: who am I ---- */

/* Rank i was never opened: because the run ended before? */
static char *not_started(const Facts *f, int i)
{
    char *failure = facts_failure(f);
    char *fault = format_new("process %d does not start the communication library (%s)", i,
                             failure ? failure : "comm_open");
    free(failure);
    return fault;
}

char *judge_comm(const Runs *r)
{
    for (int i = 0; i < RANKS; i++) {
        const AuditRank *f = &r->apart.rank[i];
        if (f->size < 0)
            return not_started(&r->apart, i);
        if (f->rank != i || f->size != RANKS)
            return format_new("process %d is rank %d of %d", i, f->rank, f->size);
    }
    bool finished = true;
    for (int i = 0; i < RANKS; i++)
        finished &= r->apart.rank[i].tests >= EPOCHS;
    if (finished && *r->apart.killed)
        return facts_failure(&r->apart);
    if (finished && r->apart.status != 0)
        return format_new(
            "all ranks trained to the end, but the run ended with status %d: is comm_close called?",
            r->apart.status);
    return NULL;
}

char *judge_device(const Runs *r)
{
    for (int i = 0; i < RANKS; i++) {
        const AuditRank *f = &r->apart.rank[i];
        if (f->local_rank != i || f->local_size != RANKS)
            return format_new("rank %d opens its device as local rank %d of %d", i, f->local_rank,
                              f->local_size);
    }
    return NULL;
}

char *judge_voice(const Runs *r)
{
    if (facts_stdout(&r->apart, 0) == 0)
        return format_new("rank 0 prints nothing");
    for (int i = 1; i < RANKS; i++) {
        char *path = facts_path(&r->apart, i, "metrics.csv");
        bool writes = access(path, F_OK) == 0;
        free(path);
        if (facts_stdout(&r->apart, i) > 0 || writes)
            return format_new("rank %d %s too", i, writes ? "writes metrics.csv" : "prints");
    }
    return NULL;
}

/* ---- steps 4 and 5: the same network, other images ---- */

/* Did rank r make update u with positions [position, position + batch) of the epoch's order? */
static char *judge_slice(const Facts *f, int r, int u, const int32_t *order, int position,
                         int batch)
{
    const AuditImages *found = &facts_update(f, r, u)->images;
    if (found->count == batch &&
        !memcmp(found->at, order + position, (size_t)batch * sizeof *order))
        return NULL;
    if (u >= f->rank[r].updates)
        return format_new("rank %d makes only %d updates", r, f->rank[r].updates);
    return format_new(
        "in update %d rank %d does not train on positions %d to %d of the epoch's order", u, r,
        position, position + batch - 1);
}

/* The same for all updates of all ranks, from `position` in epoch 0 to the end of the last epoch,
 * and for their count. */
static char *judge_order(const Facts *f, int batch, int images, int position)
{
    int32_t *order = alloc((unsigned long)images, sizeof *order);
    char *fault = NULL;
    int u = 0;
    for (int epoch = 0; epoch < EPOCHS; epoch++, position = 0) {
        epoch_order(order, images, SEED, epoch);
        for (; position + f->ranks * batch <= images; position += f->ranks * batch, u++)
            for (int r = 0; r < f->ranks && !fault; r++)
                fault = judge_slice(f, r, u, order, position + r * batch, batch);
    }
    for (int r = 0; r < f->ranks && !fault; r++)
        if (f->rank[r].updates != u)
            fault = format_new("rank %d makes %d updates, expected %d", r, f->rank[r].updates, u);
    free(order);
    return fault;
}

char *judge_slices(const Runs *r)
{
    char *fault = judge_order(&r->apart, BATCH, IMAGES, 0), *failure = facts_failure(&r->apart);
    if (!fault || !failure) {
        free(failure);
        return fault;
    }
    char *both = format_new("%s (%s)", fault, failure);
    free(fault);
    free(failure);
    return both;
}

char *judge_broadcast(const Runs *r)
{
    char start[17];
    reference_start(start);
    for (int i = 0; i < RANKS; i++) {
        const char *found = facts_update(&r->apart, i, 0)->before;
        if (!*found)
            return format_new("rank %d makes no update", i);
        if (strcmp(found, start))
            return format_new(
                "before the first update, rank %d does not have the weights that rank 0 drew", i);
    }
    return NULL;
}

/* ---- steps 6 to 8: the same result ---- */

char *judge_average(const Runs *r)
{
    const Facts *f = &r->together;
    if (f->left_out)
        return facts_left_out(f);
    if (f->rank[0].updates == 0)
        return format_new("rank 0 makes no update");
    const AuditImages *a = &facts_update(f, 0, 0)->images, *b = &facts_update(f, 1, 0)->images;
    bool copies = a->count > 0 && a->count == b->count &&
                  !memcmp(a->at, b->at, (size_t)a->count * sizeof *a->at);
    if (copies) /* they would agree without averaging */
        return format_new("ranks 0 and 1 train on the same images: see step 4");
    for (int u = 0; u < f->rank[0].updates; u++)
        for (int i = 1; i < RANKS; i++)
            if (strcmp(facts_update(f, i, u)->after, facts_update(f, 0, u)->after))
                return format_new("after update %d ranks 0 and %d have different weights", u, i);
    if (isnan(r->distance))
        return format_new("no checkpoint to compare with, or it is of another network");
    if (!(r->distance <= 1e-4)) /* rounding alone: 2e-7 */
        return format_new(
            "the weights are off by %.2g of the distance they moved: did you take the "
            "mean over the ranks, not the sum?",
            r->distance);
    return NULL;
}

char *judge_rate(const Runs *r)
{
    int updates = r->apart.rank[0].updates, warm = updates / EPOCHS;
    for (int u = 0; u < updates; u++) {
        double rate = facts_update(&r->apart, 0, u)->rate;
        double before = u > 0 ? facts_update(&r->apart, 0, u - 1)->rate : RATE;
        if (u == 0 && fabs(rate - RATE) > 1e-9)
            return format_new("the first update has rate %g", rate);
        if (u < warm && rate < before)
            return format_new("in the warm-up the rate falls from %g to %g", before, rate);
        if (u >= warm && fabs(rate - RANKS * RATE) > 1e-9)
            return format_new("after the warm-up, in update %d, the rate is %g", u, rate);
        for (int i = 1; i < RANKS; i++)
            if (facts_update(&r->apart, i, u)->rate != rate)
                return format_new("update %d has different rates on ranks 0 and %d", u, i);
    }
    return updates ? NULL : format_new("rank 0 makes no update");
}

/* Test n of a run: was each of the `tested` images on exactly one rank, and is the accuracy the one
 * that the run reports? */
static char *judge_test(const Facts *f, int n, int tested)
{
    unsigned char *times = alloc((unsigned long)tested, 1);
    char *fault = NULL;
    double correct = 0;
    for (int r = 0; r < f->ranks; r++) {
        if (n >= f->rank[r].tests)
            continue;
        const AuditTest *test = &f->rank[r].test[n];
        for (int i = 0; i < test->images.count; i++)
            if (test->images.at[i] >= 0 && test->images.at[i] < tested)
                times[test->images.at[i]]++;
        correct += test->correct;
    }
    for (int i = 0; i < tested && !fault; i++)
        if (times[i] != 1)
            fault = format_new("%d ranks test image %d", times[i], i);
    free(times);
    double reported = facts_metric(f, n, "test_accuracy"), expected = correct / tested;
    if (!fault && !(fabs(reported - expected) <= 1e-6))
        fault = format_new("the ranks had %.0f of %d right, %.6f, but the run reports %.6f",
                           correct, tested, expected, reported);
    return fault;
}

char *judge_metrics(const Runs *r)
{
    char *fault = NULL;
    if (r->whole.left_out)
        return facts_left_out(&r->whole);
    for (int n = 0; n < EPOCHS && !fault; n++)
        fault = judge_test(&r->apart, n, TESTED);
    for (int n = 0; n < EPOCHS && !fault; n++)
        fault = judge_test(&r->whole, n, DEEP_TESTED);
    if (fault)
        return fault;
    double expected = metrics_loss(reference_test(&r->whole, DEEP_TESTED));
    double loss = facts_metric(&r->whole, EPOCHS - 1, "test_loss");
    if (!(fabs(loss - expected) <= 1e-5 * expected)) /* rounding alone: 1e-7 */
        return format_new(
            "the run reports a test loss of %.6f, but the saved network has %.6f: are "
            "batch norm's statistics averaged before the test?",
            loss, expected);
    loss = facts_metric(&r->together, 0, "loss");
    /* comparable only where step 6 is right */
    if (r->distance <= 1e-4 && !(fabs(loss - r->loss) <= 1e-4 * r->loss))
        return format_new(
            "the training loss of epoch 1 over all ranks is %.6f, but the run reports %.6f",
            r->loss, loss);
    return NULL;
}

/* ---- step 9: checkpoints, and the end ---- */

/* Did rank 0 alone write checkpoints, and did every rank read one if told to? */
static char *judge_files(const Facts *f, bool resumes)
{
    char *failure = facts_failure(f);
    if (failure)
        return failure;
    for (int i = 0; i < f->ranks; i++) {
        if (i == 0 && f->rank[i].checkpoints == 0)
            return format_new("rank 0 writes no checkpoint");
        if (i > 0 && f->rank[i].checkpoints > 0)
            return format_new("rank %d writes checkpoints too", i);
        if (resumes && f->rank[i].resumes == 0)
            return format_new("rank %d does not read the checkpoint on --resume", i);
    }
    if (reference_metadata(f, "world_size") != f->ranks)
        return format_new("a checkpoint of %d ranks has world_size %d", f->ranks,
                          reference_metadata(f, "world_size"));
    return NULL;
}

/* Are the two runs' checkpoints the same, byte for byte? */
static bool same_checkpoints(const Facts *a, const Facts *b)
{
    char *path_a = facts_path(a, 0, "checkpoint.safetensors"),
         *path_b = facts_path(b, 0, "checkpoint.safetensors");
    char *log = format_new("%s/compare.log", b->dir);
    bool same = run_words((const char *const[]){"cmp", path_a, path_b, NULL}, log).status == 0;
    free(log);
    free(path_b);
    free(path_a);
    return same;
}

char *judge_checkpoint(const Runs *r)
{
    char *fault = judge_files(&r->whole, false);
    fault = fault ? fault : judge_files(&r->half, false);
    fault = fault ? fault : judge_files(&r->resumed, true);
    fault = fault ? fault : judge_files(&r->others, true);
    if (!fault && !same_checkpoints(&r->whole, &r->resumed))
        fault = format_new("stopped after update %d and resumed, it ends with another checkpoint "
                           "than without the stop",
                           HALF);
    fault = fault ? fault
                  : judge_order(&r->others, DEEP_BATCH, DEEP_IMAGES, HALF * RANKS * DEEP_BATCH);
    if (!fault && (fault = judge_files(&r->stopped, false))) {
        char *when = format_new("when rank 1 alone is told to stop: %s", fault);
        free(fault);
        fault = when;
    }
    for (int i = 1; i < RANKS && !fault; i++)
        if (r->stopped.rank[i].updates != r->stopped.rank[0].updates)
            fault = format_new("told to stop, ranks 0 and %d stop after different updates", i);
    return fault;
}
