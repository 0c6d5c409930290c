/* check_results.c: the verdicts on steps 8 and 9: what the run reports and saves, and how it
 * resumes and stops.
 */
#include "check.h"
#include "check_steps.h"
#include "safetensors.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- step 8: metrics ---- */

/* A test over all ranks. */
typedef struct Tested {
    unsigned char *times; /* [tested]: how many ranks test each image */
    double correct, mean; /* mean: of the ranks' accuracies */
    double own;           /* rank 0's accuracy */
    int count;            /* of rank 0's images */
} Tested;

static Tested test_of(const Facts *f, int n, int tested)
{
    Tested t = {.times = alloc((unsigned long)tested, 1)};
    for (int r = 0; r < f->ranks; r++) {
        const AuditTest *test = &f->rank[r].test[n];
        for (int i = 0; i < test->images.count; i++)
            if (test->images.at[i] >= 0 && test->images.at[i] < tested)
                t.times[test->images.at[i]]++;
        double accuracy = test->images.count ? test->correct / test->images.count : 0;
        t.correct += test->correct;
        t.mean += accuracy / f->ranks;
        t.own = r == 0 ? accuracy : t.own;
        t.count = r == 0 ? test->images.count : t.count;
    }
    return t;
}

/* Test n of a run: was each of the `tested` images on exactly one rank, and is the accuracy the one
 * that the run reports? */
static Verdict judge_test(const Runs *r, const Facts *f, int n, int tested)
{
    for (int i = 0; i < f->ranks; i++)
        if (n >= f->rank[i].tests)
            return missing(r, f, "8b", "rank %d does not test after epoch %d", i, n + 1);
    Tested t = test_of(f, n, tested);
    Verdict verdict = right();
    for (int i = 0; i < tested && !verdict.fault; i++)
        if (t.times[i] != 1)
            verdict = wrong("8b", "%d ranks test image %d%s", t.times[i], i,
                            t.times[i] == 0 && i >= tested - tested % f->ranks
                                ? ": is it the rest of a division by the number of ranks?"
                                : "");
    free(t.times);
    double reported = facts_metric(f, n, "test_accuracy"), expected = t.correct / tested;
    if (!verdict.fault && !(fabs(reported - expected) <= 1e-6))
        verdict = wrong("8a", "the ranks had %.0f of %d right, %.6f, but the run reports %.6f%s",
                        t.correct, tested, expected, reported,
                        fabs(reported - t.mean) <= 1e-6  ? ": the mean of the ranks' accuracies"
                        : fabs(reported - t.own) <= 1e-6 ? ": rank 0's own"
                        : fabs(reported - t.correct / (t.count * f->ranks)) <= 1e-6
                            ? ": divided by P times rank 0's images; not all ranks have as many"
                            : "");
    return verdict;
}

Verdict judge_metrics(const Runs *r)
{
    Verdict verdict = right();
    for (int n = 0; n < EPOCHS && !verdict.fault; n++)
        verdict = judge_test(r, &r->apart, n, TESTED);
    for (int n = 0; n < EPOCHS && !verdict.fault; n++)
        verdict = judge_test(r, &r->whole, n, DEEP_TESTED);
    if (verdict.fault)
        return verdict;
    double expected = metrics_loss(reference_test(&r->whole, DEEP_TESTED));
    double loss = facts_metric(&r->whole, EPOCHS - 1, "test_loss");
    if (!(fabs(loss - expected) <= 1e-5 * expected)) /* rounding alone: 1e-7 */
        return wrong("8b",
                     "the run reports a test loss of %.6f, but the saved network has %.6f: are "
                     "batch norm's running statistics averaged before the test?",
                     loss, expected);
    expected = r->reference.loss;
    loss = facts_metric(&r->together, 0, "loss");
    /* comparable only where step 6 is right */
    if (r->reference.distance[MEAN] <= 1e-4 && !(fabs(loss - expected) <= 1e-4 * expected))
        return wrong("8a",
                     "the training loss of epoch 1 over all ranks is %.6f, but the run reports "
                     "%.6f",
                     expected, loss);
    return right();
}

/* ---- step 9: checkpoints, and the end ---- */

/* Did rank 0 alone write checkpoints, and did every rank read one if told to? */
static Verdict judge_files(const Runs *r, const Facts *f, bool resumes)
{
    bool trained = f == &r->whole;
    for (int i = 0; i < f->ranks; i++) {
        trained = trained && f->rank[i].tests >= EPOCHS;
        if (i > 0 && f->rank[i].checkpoints > 0)
            return wrong("9a", "rank %d writes checkpoints too", i);
        if (resumes && f->rank[i].resumes == 0 && !f->left_out)
            return wrong("9a", "rank %d does not read the checkpoint on --resume", i);
    }
    if (f->left_out || f == r->failed)
        return missing(r, f, "9a",
                       trained
                           ? "a run with --trace ends badly after the training: comm_close must "
                             "come last, after finish()"
                           : "a run does not get to its end: is a collective inside `if (rank "
                             "== 0)`?");
    if (f->rank[0].checkpoints == 0)
        return wrong("9a", "rank 0 writes no checkpoint");
    int world_size = reference_metadata(f, "world_size");
    if (world_size != f->ranks)
        return wrong("9a", "a checkpoint of %d ranks has world_size %d", f->ranks, world_size);
    return right();
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

/* Where the two runs' last checkpoints differ, as text. */
static const char *where_different(const Facts *a, const Facts *b)
{
    const Facts *run[2] = {a, b};
    SafeTensors file[2] = {{0}};
    int differ = 0, statistics = 0;
    for (int k = 0; k < 2; k++) {
        char *path = facts_path(run[k], 0, "checkpoint.safetensors");
        free(safetensors_read(path, &file[k])); /* else it is empty */
        free(path);
    }
    for (int i = 0; i < file[0].count; i++) {
        const SafeTensor *one = &file[0].tensors[i], *other = safetensors_find(&file[1], one->name);
        size_t elements = 1;
        for (int d = 0; d < one->dims; d++)
            elements *= (size_t)one->shape[d];
        if (!other || one->dims != other->dims ||
            memcmp(one->shape, other->shape, (size_t)one->dims * sizeof *one->shape) ||
            memcmp(one->data, other->data, elements * sizeof *one->data)) {
            differ++;
            statistics += strstr(one->name, ".running_") != NULL;
        }
    }
    for (int k = 0; k < 2; k++)
        safetensors_free(&file[k]);
    return statistics > 0 && differ == statistics
             ? ", in batch norm's running statistics alone: are they averaged before rank 0 saves?"
             : "";
}

static Verdict judge_stop(const Runs *r)
{
    const Facts *f = &r->stopped;
    if (f == r->failed)
        return missing(
            r, f, "9b",
            "when rank 1 alone is told to stop, do all ranks learn of it and stop together?");
    Verdict verdict = judge_files(r, f, false);
    for (int i = 1; i < RANKS && !verdict.fault; i++)
        if (f->rank[i].updates != f->rank[0].updates)
            verdict = wrong("9b", "told to stop, ranks 0 and %d stop after different updates", i);
    return verdict;
}

Verdict judge_checkpoint(const Runs *r)
{
    Verdict verdict = judge_files(r, &r->whole, false);
    verdict = verdict.fault ? verdict : judge_files(r, &r->half, false);
    verdict = verdict.fault ? verdict : judge_files(r, &r->resumed, true);
    verdict = verdict.fault ? verdict : judge_files(r, &r->others, true);
    if (!verdict.fault && !same_checkpoints(&r->whole, &r->resumed))
        verdict =
            wrong("9a",
                  "stopped after update %d and resumed, its last checkpoint differs from that of "
                  "an uninterrupted run%s",
                  HALF, where_different(&r->whole, &r->resumed));
    verdict = verdict.fault
                ? verdict
                : judge_order(r, &r->others, DEEP_BATCH, DEEP_IMAGES, HALF * RANKS * DEEP_BATCH);
    return verdict.fault ? verdict : judge_stop(r);
}
