/* 4a_bucket_add.c: the check of bucket_add: a backward pass without a network, layer by layer. What
 * it starts is written down by a communicator of the check's. */
#include "exercise.h"
#include "judge_buckets.h"
#include <math.h>

/* A pass so far. */
typedef struct Pass {
    Recorder r;
    Buckets b;
    size_t complete; /* elements from here on are complete */
    size_t sent;     /* elements from here on are in flight */
} Pass;

/* An all-reduce was started while only the elements from p->complete on were complete. */
static void judge_start(Pass *p, const Recorded *a)
{
    size_t end = a->first + (size_t)a->count;
    const char *bucket = judged_elements(a->first, end);
    WRONG_UNLESS(!a->blocking,
                 "it waits in the middle of the backward pass: comm_all_reduce returns only when "
                 "all is done; use comm_all_reduce_start");
    WRONG_UNLESS(a->count > 0, "it starts an all-reduce of no elements");
    WRONG_UNLESS(a->first >= p->complete,
                 "it starts %s when only those from %zu on are complete: this layer's slice is "
                 "[first, first + count)",
                 bucket, p->complete);
    WRONG_UNLESS(end <= p->sent, "it exchanges %s twice: begin a new bucket after each start",
                 judged_elements(a->first > p->sent ? a->first : p->sent, end));
    WRONG_UNLESS(end == p->sent,
                 "it starts %s, but those up to %zu are complete and not yet "
                 "in flight: a bucket reaches to where the last one began",
                 bucket, p->sent - 1);
    WRONG_UNLESS(4.0 * a->count >= p->b.least,
                 "least = %g bytes: it starts a bucket of only %d bytes", p->b.least, 4 * a->count);
    p->sent = a->first;
}

static void judge_state(const Pass *p, int before)
{
    double waiting = 4.0 * (double)(p->sent - p->complete);
    WRONG_UNLESS(waiting == 0 || waiting < p->b.least,
                 "least = %g bytes: %s are complete, and their all-reduce is not started: are "
                 "the bytes counted, 4 per element?",
                 p->b.least, judged_elements(p->complete, p->sent));
    for (int i = 0; i < before; i++) {
        WRONG_UNLESS(p->r.all_reduce[i].waits == 0,
                     "it calls comm_wait, which stops the backward pass: leave the wait to "
                     "bucket_finish");
        WRONG_UNLESS(p->r.all_reduce[i].tests > 0,
                     "%d in flight, and it does not ask comm_test about number %d: MPI moves data "
                     "only while the program calls it",
                     before, i);
    }
    WRONG_UNLESS(p->b.count == p->r.made, "%d all-reduces are in flight, but b->count is %d",
                 p->r.made, p->b.count);
    for (int i = 0; i < p->r.made; i++)
        WRONG_UNLESS(p->b.flight[i] == (CommRequest *)&p->r.all_reduce[i],
                     "b->flight[%d] is not the request of all-reduce number %d", i, i);
    WRONG_UNLESS(
        p->b.first == p->complete && p->b.end == p->sent,
        "the open bucket is [%zu, %zu), expected [%zu, %zu): what is in flight is not open "
        "any more, or it is exchanged twice",
        p->b.first, p->b.end, p->complete, p->sent);
}

/* A whole backward pass with buckets of `least` bytes. */
static void judge_pass(double least)
{
    static Pass p;
    p.b = judged_buckets(&p.r, least);
    p.sent = p.complete = p.b.end;
    for (int layer = JUDGED_LAYERS - 1; layer >= 0; layer--) {
        int before = p.r.made;
        for (int i = 0; i < before; i++)
            p.r.all_reduce[i].tests = 0;
        p.complete -= (size_t)judged_layer[layer];
        bucket_add(&p.b, p.complete, judged_layer[layer]);
        for (int i = before; i < p.r.made; i++)
            judge_start(&p, &p.r.all_reduce[i]);
        judge_state(&p, before);
    }
}

static void judge(void *unused)
{
    judge_pass(0); /* every layer alone */
    judge_pass(4 * 120);
    judge_pass(4 * 10); /* the last layer is just enough */
    judge_pass(4 * 130 + 1);
    judge_pass(INFINITY);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "bucket_add", 8,
                          "full buckets are started at once, each element in one, and polled",
                          judge);
}
