/* 4b_bucket_finish_check.c: the check of bucket_finish, after backward passes that it made. */
#include "exercise.h"
#include "judge_buckets.h"
#include <math.h>

/* `started` layers in flight, from the last one on; the others are in the open bucket. Twice, as in
 * two updates. */
static void judge_finish(int started)
{
    static Recorder r;
    Buckets b = judged_buckets(&r, 1000);
    for (int update = 0; update < 2; update++) {
        recorder_reset(&r);
        b.count = 0;
        b.end = (size_t)b.grads.n;
        for (int i = 0; i < started; i++) {
            int count = judged_layer[JUDGED_LAYERS - 1 - i];
            judged_start(&b, b.end - (size_t)count, count);
            b.end -= (size_t)count;
        }
        b.first = 0;
        exercise_case("%d in flight, the open bucket [0, %zu)", started, b.end);
        bucket_finish(&b);
        judged_flight(&r);
        const Recorded *last = r.made > started ? &r.all_reduce[started] : NULL;
        int waited = 0, early = 0;
        for (int i = 0; i < r.made; i++) {
            const Recorded *a = &r.all_reduce[i];
            waited += a->blocking || a->waits == 1;
            early += i < started && last && a->ended < last->began;
        }
        exercise_fact("the number of all-reduces started", r.made - started);
        exercise_value("the start of the last bucket", last ? (double)last->first : NAN);
        exercise_value("its elements", last ? last->count : NAN);
        exercise_fact("the number waited for", waited);
        exercise_fact("the number waited for before the last start", early);
        exercise_fact("b->count", b.count);
        exercise_value("b->first", (double)b.first);
        exercise_value("b->end", (double)b.end);
    }
}

static void judge(void *unused)
{
    exercise_group("nothing in flight");
    judge_finish(0);
    for (int started = 1; started < JUDGED_LAYERS; started++) {
        exercise_group("a bucket that is open");
        judge_finish(started);
    }
    exercise_group("an open bucket that is empty");
    judge_finish(JUDGED_LAYERS);
}

const ExerciseCheck exercise_check = {
    __FILE__, "bucket_finish", 4,
    "the last bucket started, each all-reduce waited for once, all empty", judge};
