/* 4b_bucket_finish.c: the check of bucket_finish, after backward passes that the check made. */
#include "exercise.h"
#include "judge_buckets.h"

/* `started` layers in flight, from the last one on; the others are in the open bucket. Twice, as in
 * two updates. */
static void judge_finish(int started)
{
    static Recorder r;
    Buckets b = judged_buckets(&r, 1e6);
    size_t n = b.end;
    for (int update = 0; update < 2; update++) {
        recorder_reset(&r);
        for (int i = 0; i < started; i++) {
            int count = judged_layer[JUDGED_LAYERS - 1 - i];
            judged_start(&b, b.end - (size_t)count, count);
            b.end -= (size_t)count;
        }
        size_t left = b.end;
        b.first = 0;
        bucket_finish(&b);
        int expected = started + (left > 0);
        WRONG_UNLESS(r.made >= expected,
                     "%s stay behind in the open bucket: their all-reduce is "
                     "never started",
                     judged_elements(0, left));
        for (int i = started; i < r.made; i++) {
            const Recorded *a = &r.all_reduce[i];
            WRONG_UNLESS(left > 0,
                         "the open bucket is empty, and it starts one of %d elements "
                         "nevertheless",
                         a->count);
            WRONG_UNLESS(i == started && a->first == 0 && (size_t)a->count == left,
                         "it starts %s, expected %s, once",
                         judged_elements(a->first, a->first + (size_t)a->count),
                         judged_elements(0, left));
        }
        for (int i = 0; i < r.made; i++) {
            const Recorded *a = &r.all_reduce[i];
            WRONG_UNLESS(a->blocking || a->waits == 1,
                         "it does not wait for all-reduce number %d of %d: its sum may not be "
                         "there yet",
                         i, r.made);
            WRONG_UNLESS(left == 0 || i == started || a->ended > r.all_reduce[started].began,
                         "it waits before it starts the last bucket, which could travel meanwhile");
        }
        WRONG_UNLESS(b.count == 0, "b->count is %d afterwards, expected 0", b.count);
        WRONG_UNLESS(b.first == n && b.end == n,
                     "the open bucket is [%zu, %zu) afterwards, expected [%zu, %zu): empty, at the "
                     "vector's end",
                     b.first, b.end, n, n);
    }
}

static void judge(void *unused)
{
    judge_finish(JUDGED_LAYERS - 1);
    for (int started = 0; started <= JUDGED_LAYERS; started++)
        judge_finish(started);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "bucket_finish", 4,
                          "the last bucket started, each all-reduce waited for once, all empty",
                          judge);
}
