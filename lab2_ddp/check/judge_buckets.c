/* judge_buckets.c: see judge_buckets.h. */
#include "judge_buckets.h"
#include "exercise.h"

const int judged_layer[JUDGED_LAYERS] = {40, 8, 300, 20, 100, 10};

static double ticks;
static double tick(void) { return ticks++; }

Buckets judged_buckets(Recorder *r, double least)
{
    static char memory[1], stream[1]; /* nobody looks inside */
    int n = 0;
    for (int i = 0; i < JUDGED_LAYERS; i++)
        n += judged_layer[i];
    Buckets b = {.s = (Stream *)stream, .least = least};
    b.grads = tensor_vector((Buffer *)memory, 64, F32, n); /* not at the start of its buffer */
    b.first = b.end = (size_t)n;
    recorder_init(r, NULL, b.grads, tick);
    b.comm = &r->comm;
    r->all_reduce[RECORDER_MOST - 1].owner = r;
    for (int i = 0; i < MOST_BUCKETS; i++)
        b.flight[i] = (CommRequest *)&r->all_reduce[RECORDER_MOST - 1];
    return b;
}

void judged_start(Buckets *b, size_t first, int count)
{
    b->flight[b->count] = comm_all_reduce_start(b->comm, tensor_slice(b->grads, first, count),
                                                COMM_SUM, b->s);
    b->count++;
}

void judged_flight(const Recorder *r)
{
    const Recorded *none = &r->all_reduce[RECORDER_MOST - 1];
    WRONG_UNLESS(none->tests + none->waits == 0,
                 "it asks about an entry of b->flight that holds no request: [0, b->count) do");
}
