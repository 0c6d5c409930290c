/* 4a_bucket_add_check.c: the check of bucket_add: a backward pass without a network, layer by
 * layer. What it starts is written down by a communicator of the check's. */
#include "exercise.h"
#include "judge_buckets.h"
#include <math.h>

/* One layer; `made` all-reduces were started before. */
static void judge_layer(const Buckets *b, const Recorder *r, int made)
{
    const Recorded *started = &r->all_reduce[made];
    int polled = 0;
    for (int i = 0; i < made; i++)
        polled += r->all_reduce[i].tests > 0;
    for (int i = 0; i < r->made; i++) {
        WRONG_UNLESS(r->all_reduce[i].waits == 0,
                     "it calls comm_wait, which stops the backward pass: leave the wait to "
                     "bucket_finish");
        WRONG_UNLESS(!r->all_reduce[i].blocking,
                     "it waits in the middle of the backward pass: comm_all_reduce returns only "
                     "when all is done; use comm_all_reduce_start");
    }
    WRONG_UNLESS(b->count >= r->made || !polled,
                 "a request that comm_test found done is taken off b->flight: bucket_finish must "
                 "still call comm_wait for it");
    exercise_fact("the number of all-reduces started", r->made - made);
    exercise_value("the start of the bucket", r->made > made ? (double)started->first : NAN);
    exercise_value("the bucket's elements", r->made > made ? started->count : NAN);
    exercise_fact("the number asked by comm_test", polled);
    exercise_value("b->first", (double)b->first);
    exercise_value("b->end", (double)b->end);
    exercise_fact("b->count", b->count);
    for (int i = 0; i < r->made && i < b->count; i++)
        WRONG_UNLESS(b->flight[i] == (CommRequest *)&r->all_reduce[i],
                     "b->flight[%d] is not the request of all-reduce number %d", i, i);
}

static void judge_pass(double least, const char *group)
{
    static Recorder r;
    Buckets b = judged_buckets(&r, least);
    size_t first = b.end;
    exercise_group(group);
    for (int layer = JUDGED_LAYERS - 1; layer >= 0; layer--) {
        int made = r.made, count = judged_layer[layer];
        for (int i = 0; i < made; i++)
            r.all_reduce[i].tests = 0;
        first -= (size_t)count;
        exercise_case("least = %g bytes, elements %zu to %zu complete, %d in flight", least, first,
                      first + (size_t)count - 1, made);
        bucket_add(&b, first, count);
        judged_flight(&r);
        judge_layer(&b, &r, made);
    }
}

static void judge(void *unused)
{
    judge_pass(0, "a bucket for each layer");
    judge_pass(4 * 120, "larger buckets");
    judge_pass(4 * 10, "a first layer that is just enough");
    judge_pass(4 * 130 + 1, "larger buckets");
    judge_pass(INFINITY, "one bucket");
}

const ExerciseCheck exercise_check = {
    __FILE__, "bucket_add", 8, "full buckets are started at once, each element in one, and polled",
    judge};
