/* test_record.c: model_gradient on a device that records. The tests need none, so here the CPU's
 * operations are wrapped: recording does the work, and restores the memory that must not change
 * before the replay; a replay does the work again.
 */
#include "check.h"
#include "net.h"
#include <string.h>

struct Recording {
    Tensor x, label;
};

static struct Spy {
    Net *n;
    Tensor x, label; /* of the batch being recorded */
    float *state;
    double totals[2];
    int records, replays, frees;
    bool stale;
} spy;

static void record_begin(Stream *s)
{
    spy.state = fetch(spy.n, spy.n->m->state);
    s->be->op->download(s, spy.totals, spy.n->totals);
}

static Recording *record_end(Stream *s)
{
    Recording *r = alloc(1, sizeof *r);
    *r = (Recording){spy.x, spy.label};
    store(spy.n, spy.n->m->state, spy.state);
    s->be->op->upload(s, spy.n->totals, spy.totals);
    end_now(spy.state);
    spy.records++;
    return r;
}

static bool replay(Stream *s, Recording *r)
{
    if (spy.stale)
        return spy.stale = false;
    net_pieces(spy.n, r->x, r->label);
    spy.replays++;
    return true;
}

static void recording_free(Recording *r)
{
    spy.frees += r != NULL;
    free(r);
}

static void gradient(Net *n, Tensor x, Tensor label)
{
    spy.n = n, spy.x = x, spy.label = label;
    model_gradient(n->m, n->totals, x, label);
}

static void expect_counts(int records, int replays, int frees)
{
    if (spy.records != records || spy.replays != replays || spy.frees != frees)
        fail_msg("%d recorded, %d replayed, %d freed; expected %d, %d, %d", spy.records,
                 spy.replays, spy.frees, records, replays, frees);
}

static const ModelSpec spec = {.name = "resnet8", .h = 8, .w = 8, .c = 3, .classes = 10};

/* The CPU, which now records. */
static Backend *open_spied(int threads)
{
    static BackendOps spied;
    Backend *be = closing(backend_open("cpu", 0, 1, threads));
    spied = *be->op;
    spied.record_begin = record_begin, spied.record_end = record_end;
    spied.replay = replay, spied.recording_free = recording_free;
    be->op = &spied;
    return be;
}

/* Two nets do the same steps, one of them recording; all results of a step must agree. */
TEST(recorded_steps)
{
    Backend *be = open_spied(2);
    Net a = net_new(be, &spec, 8, 8, 1), b = net_new(be, &spec, 8, 8, 1);
    for (int step = 0; step < 9; step++) {
        bool shorter = step % 3 == 2; /* every third batch is a short one: in the same memory,
                                       * but another recording */
        net_draw(&a, step), net_draw(&b, step);
        /* net_draw writes into the same memory: what is recorded for it stays valid */
        Tensor x = tensor_first(a.x, shorter ? 5 : 8),
               label = tensor_first(a.label, shorter ? 5 : 8);
        if (step == 6)
            spy.stale = true; /* memory was freed somewhere */
        gradient(&a, x, label);
        net_pieces(&b, tensor_first(b.x, x.n), tensor_first(b.label, x.n));
        expect_same_step(&a, &b);
        if (step == 4) { /* a batch of another size passes through in between, unrecorded */
            model_forward(a.m, tensor_first(a.x, 2), MODEL_EVAL);
            assert_int_equal(a.m->logits.n, 2);
        }
    }
    /* Full batches 0 1 3 4 6 7, short ones 2 5 8: each kind's first is plain, its second recorded;
     * 6 is recorded again. */
    expect_counts(3, 7, 1);
    net_free(&a);
    expect_counts(3, 7, 3);
}

/* More batches than there are entries for: the oldest is replaced, and comes again as a new one. */
TEST(the_oldest_goes)
{
    enum { MANY = 65 }; /* one more than model_build.h's MAX_RECORDINGS */
    static const ModelSpec small = {.name = "resnet8", .h = 4, .w = 4, .c = 1, .classes = 10};
    Net n = net_new(open_spied(1), &small, MANY, MANY, 1);
    for (int round = 0; round < 2; round++)
        for (int size = 1; size <= MANY; size++)
            gradient(&n, tensor_first(n.x, size), tensor_first(n.label, size));
    expect_counts(0, 0, 0);
    gradient(&n, n.x, n.label); /* the newest */
    expect_counts(1, 1, 0);
    for (int size = 1; size <= MANY; size++)
        gradient(&n, tensor_first(n.x, size), tensor_first(n.label, size));
    expect_counts(1, 1, 1);
}

static int layers_done;
static void count_layer(void *context, int layer, bool backward, Stream *s) { layers_done++; }
static void count_tensors(void *context, int layer, Tensor x, Tensor dy, Stream *s)
{
    layers_done++;
}

static void count_sums(void *context, Tensor sums, Stream *s) { layers_done++; }
static void count_grads(void *context, size_t first, int count, Stream *s) { layers_done++; }

static void three_steps(Net *n)
{
    layers_done = 0;
    for (int step = 0; step < 3; step++)
        gradient(n, n->x, n->label);
    expect_counts(0, 0, 0);
}

/* A hook must be called in every step. */
TEST(hooks_are_not_recorded)
{
    Net n = net_new(open_spied(2), &spec, 8, 8, 1);
    n.m->layer_hook = count_layer;
    three_steps(&n);
    assert_int_equal(layers_done, 3 * 2 * n.m->nlayers);
    n.m->layer_hook = NULL;
    n.m->tensor_hook = count_tensors;
    three_steps(&n);
    assert_int_equal(layers_done, 3 * n.m->nlayers);
    n.m->tensor_hook = NULL;
    n.m->stats_hook = count_sums;
    three_steps(&n);
    n.m->stats_hook = NULL;
    n.m->grad_hook = count_grads;
    three_steps(&n);
}
