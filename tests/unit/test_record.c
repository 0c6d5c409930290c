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

static void plain(Tensor x, Tensor label)
{
    Model *m = spy.n->m;
    model_zero_grads(m);
    model_forward(m, x, MODEL_TRAIN);
    model_loss(m, spy.n->totals, label, NO_TENSOR, true);
    model_backward(m);
}

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
    free(spy.state);
    spy.records++;
    return r;
}

static bool replay(Stream *s, Recording *r)
{
    if (spy.stale)
        return spy.stale = false;
    plain(r->x, r->label);
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

/* Two nets do the same steps, one of them recording; all results of a step must agree. */
static void expect_same(Net *a, Net *b)
{
    float *x = fetch(a, a->m->grads), *y = fetch(b, b->m->grads), *s = fetch(a, a->m->state),
          *t = fetch(b, b->m->state);
    double ours[2], theirs[2];
    expect_bits(x, y, tensor_count(a->m->grads), "gradient");
    expect_bits(s, t, tensor_count(a->m->state), "running statistics");
    a->op->download(a->m->s, ours, a->totals), b->op->download(b->m->s, theirs, b->totals);
    assert_memory_equal(ours, theirs, sizeof ours);
    assert_int_equal(a->m->logits.n, b->m->logits.n);
    free(x), free(y), free(s), free(t);
}

static void recorded_steps(void **state)
{
    memset(&spy, 0, sizeof spy);
    Backend *be = backend_open("cpu", 0, 1, 2);
    BackendOps spied = *be->op;
    spied.record_begin = record_begin, spied.record_end = record_end;
    spied.replay = replay, spied.recording_free = recording_free;
    Net a = net_new(be, &spec, 8, 8, 1), b = net_new(be, &spec, 8, 8, 1);
    const BackendOps *real = be->op;
    for (int step = 0; step < 9; step++) {
        bool shorter = step % 3 == 2; /* every third batch is a short one: in the same memory,
                                       * but another recording */
        net_draw(&a, step), net_draw(&b, step);
        /* net_draw writes into the same memory: what is recorded for it stays valid */
        Tensor x = tensor_first(a.x, shorter ? 5 : 8),
               label = tensor_first(a.label, shorter ? 5 : 8);
        if (step == 6)
            spy.stale = true; /* memory was freed somewhere */
        be->op = &spied;
        gradient(&a, x, label);
        be->op = real;
        spy.n = &b;
        plain(tensor_first(b.x, x.n), tensor_first(b.label, x.n));
        expect_same(&a, &b);
        if (step == 4) { /* a batch of another size passes through in between, unrecorded */
            model_forward(a.m, tensor_first(a.x, 2), MODEL_EVAL);
            assert_int_equal(a.m->logits.n, 2);
        }
    }
    /* Full batches 0 1 3 4 6 7, short ones 2 5 8: each kind's first is plain, its second recorded;
     * 6 is recorded again. */
    expect_counts(3, 7, 1);
    be->op = &spied;
    net_free(&a);
    expect_counts(3, 7, 3);
    be->op = real;
    net_free(&b);
    backend_close(be);
}

/* More batches than there are entries for: the oldest is replaced, and comes again as a new one. */
static void the_oldest_goes(void **state)
{
    memset(&spy, 0, sizeof spy);
    enum { MANY = 65 }; /* one more than model_build.h's MAX_RECORDINGS */
    static const ModelSpec small = {.name = "resnet8", .h = 4, .w = 4, .c = 1, .classes = 10};
    Backend *be = backend_open("cpu", 0, 1, 1);
    BackendOps spied = *be->op;
    spied.record_begin = record_begin, spied.record_end = record_end;
    spied.replay = replay, spied.recording_free = recording_free;
    be->op = &spied;
    Net n = net_new(be, &small, MANY, MANY, 1);
    for (int round = 0; round < 2; round++)
        for (int size = 1; size <= MANY; size++)
            gradient(&n, tensor_first(n.x, size), tensor_first(n.label, size));
    expect_counts(0, 0, 0);
    gradient(&n, n.x, n.label); /* the newest */
    expect_counts(1, 1, 0);
    for (int size = 1; size <= MANY; size++)
        gradient(&n, tensor_first(n.x, size), tensor_first(n.label, size));
    expect_counts(1, 1, 1);
    net_free(&n);
    backend_close(be);
}

static int layers_done;
static void count_layer(void *context, int layer, bool backward, Stream *s) { layers_done++; }
static void count_tensors(void *context, int layer, Tensor x, Tensor dy, Stream *s)
{
    layers_done++;
}

static void count_sums(void *context, Tensor sums, Stream *s) { layers_done++; }
static void count_grads(void *context, size_t first, int count, Stream *s) { layers_done++; }

/* A hook must be called in every step. */
static void hooks_are_not_recorded(void **state)
{
    memset(&spy, 0, sizeof spy);
    Backend *be = backend_open("cpu", 0, 1, 2);
    BackendOps spied = *be->op;
    spied.record_begin = record_begin, spied.record_end = record_end;
    spied.replay = replay, spied.recording_free = recording_free;
    be->op = &spied;
    Net n = net_new(be, &spec, 8, 8, 1);
    n.m->layer_hook = count_layer;
    for (int step = 0; step < 3; step++)
        gradient(&n, n.x, n.label);
    assert_int_equal(layers_done, 3 * 2 * n.m->nlayers);
    expect_counts(0, 0, 0);
    n.m->layer_hook = NULL;
    n.m->tensor_hook = count_tensors;
    layers_done = 0;
    for (int step = 0; step < 3; step++)
        gradient(&n, n.x, n.label);
    assert_int_equal(layers_done, 3 * n.m->nlayers);
    n.m->tensor_hook = NULL;
    n.m->stats_hook = count_sums;
    for (int step = 0; step < 3; step++)
        gradient(&n, n.x, n.label);
    n.m->stats_hook = NULL;
    n.m->grad_hook = count_grads;
    for (int step = 0; step < 3; step++)
        gradient(&n, n.x, n.label);
    expect_counts(0, 0, 0);
    net_free(&n);
    backend_close(be);
}

static const Case cases[] = {{"recorded_steps", .run = recorded_steps},
                             {"the_oldest_goes", .run = the_oldest_goes},
                             {"hooks_are_not_recorded", .run = hooks_are_not_recorded}};
int main(int argc, char **argv)
{
    return harness_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
