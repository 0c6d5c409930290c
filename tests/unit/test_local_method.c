/* test_local_method.c: the methods of lab 2's part 8 with the reference's exercises: which of them
 * are the same in special cases, on one rank and on several; and what they send.
 */
#include "harness.h"
#include "parts/8_local/local_method.h"
#include "quantiles.h"
#include "rng.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 4, STEPS = 12 };

static const ModelSpec net = {.name = "mlp", .h = 4, .w = 4, .c = 1, .classes = 3, .hidden = {7}};

typedef struct Trained {
    int n;
    float *w;
    double bytes;
} Trained;

/* The weights after STEPS updates; each rank has different batches. */
static Trained train(Comm *c, Backend *be, LocalSpec spec)
{
    Model *m = model_new(be, &net, BATCH);
    model_init(m, 5);
    spec.steps = STEPS;
    Local *l = local_new(m, c, spec);
    Method method = local_method(l);
    Tensor x = tensor_new(be, F32, BATCH, 4, 4, 1, model_halo(m)),
           label = tensor_new(be, I32, BATCH, 1, 1, 1, 0),
           totals = tensor_new(be, F64, 2, 1, 1, 1, 0),
           plain = tensor_new(be, F32, BATCH, 4, 4, 1, 0);
    for (int t = 0; t < STEPS; t++) {
        Rng r = rng_at(7, RNG_TEST, (uint64_t)t, (uint64_t)c->rank);
        float pixels[BATCH * 16];
        int32_t labels[BATCH];
        for (int i = 0; i < BATCH * 16; i++)
            pixels[i] = rng_normal(&r);
        for (int i = 0; i < BATCH; i++)
            labels[i] = (int32_t)rng_below(&r, 3);
        be->op->upload(m->s, plain, pixels);
        be->op->copy(m->s, x, plain);
        be->op->upload(m->s, label, labels);
        Batch b = {.x = x, .label = label, .n = BATCH};
        method_step(&method, m, totals, &b, 0.05, NULL);
    }
    Trained result = {.n = m->params.n, .bytes = local_bytes(l)};
    result.w = malloc((size_t)result.n * sizeof(float));
    be->op->download(m->s, result.w, m->params);
    tensor_free(be, plain);
    tensor_free(be, totals);
    tensor_free(be, label);
    tensor_free(be, x);
    local_free(l);
    model_free(m);
    return result;
}

static void expect_same(Comm *c, Backend *be, LocalSpec one, LocalSpec other, double most,
                        const char *what)
{
    Trained a = train(c, be, one), b = train(c, be, other);
    double off = largest_difference(a.w, b.w, a.n);
    if (!(off <= most))
        fail_msg("%s: weights differ by %g", what, off);
    free(a.w);
    free(b.w);
}

static const LocalSpec plain = {.kind = LOCAL_PLAIN, .every = 1, .momentum = 0.9};

static LocalSpec spec_of(LocalKind kind, int64_t every)
{
    return (LocalSpec){
        .kind = kind, .every = every, .momentum = 0.9, .outer_rate = 1, .keep = 4096, .decay = 0.9};
}

static void equivalences(void **state)
{
    Comm *c = comm_open("mpi");
    Backend *be = backend_open("cpu", c->local_rank, c->local_size, 1);
    LocalSpec local = spec_of(LOCAL_SGD, 4), delayed = spec_of(LOCAL_DELAYED, 4),
              diloco = spec_of(LOCAL_DILOCO, 4), sparse = spec_of(LOCAL_SPARSE, 4);
    expect_same(c, be, plain, spec_of(LOCAL_SGD, 1), 1e-5, "H = 1 and plain");
    LocalSpec always = local;
    always.plain = STEPS;
    expect_same(c, be, plain, always, 1e-5, "plain from beginning to end");
    expect_same(c, be, local, delayed, 1e-6, "no delay and local SGD");
    expect_same(c, be, local, diloco, 1e-6, "DiLoCo without an outer optimiser and local SGD");
    expect_same(c, be, diloco, sparse, 1e-6, "all elements sent and DiLoCo");
    diloco.outer_rate = sparse.outer_rate = 0.7;
    diloco.outer_momentum = sparse.outer_momentum = 0.5;
    expect_same(c, be, diloco, sparse, 1e-6, "the same with momentum");
    backend_close(be);
    comm_close(c);
}

/* They do differ where they should; all ranks end with the same weights; bytes. */
static void differences(void **state)
{
    Comm *c = comm_open("mpi");
    Backend *be = backend_open("cpu", c->local_rank, c->local_size, 1);
    Trained p = train(c, be, plain);
    double whole = 2.0 * (c->size - 1) / c->size * 4 * p.n;
    expect_close(p.bytes, STEPS * whole, 0, 1e-12, "plain's bytes");
    for (int kind = LOCAL_SGD; kind < LOCAL_KINDS; kind++) {
        LocalSpec spec = spec_of(kind, 4);
        spec.delay = 3;
        spec.keep = 64;
        spec.two_bits = true;
        spec.outer_momentum = 0.5;
        Trained t = train(c, be, spec);
        double off = 0, apart = 0;
        for (int i = 0; i < t.n; i++) {
            double both[] = {t.w[i], -t.w[i]};
            comm_all_reduce_host(c, both, 2, COMM_MAX);
            apart = fmax(apart, both[0] + both[1]);
            off = fmax(off, fabs((double)t.w[i] - p.w[i]));
        }
        assert_true(apart == 0);
        assert_true(off > 1e-4);
        if (kind != LOCAL_SPARSE)
            expect_close(t.bytes, 3 * whole, 0, 1e-12, "an exchange in 4 updates");
        else /* one chunk: its largest, and 2 bytes for each element sent */
            expect_close(t.bytes, 3.0 * (c->size - 1) * (4 + 2 * (t.n * 64 / 4096)), 0, 1e-12,
                         "few elements");
        free(t.w);
    }
    free(p.w);
    backend_close(be);
    comm_close(c);
}

int main(int argc, char **argv)
{
    static const Case cases[] = {{.name = "equivalences_2", .run = equivalences, .ranks = 2},
                                 {.name = "equivalences_3", .run = equivalences, .ranks = 3},
                                 {.name = "differences_2", .run = differences, .ranks = 2},
                                 {.name = "differences_3", .run = differences, .ranks = 3}};
    return harness_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
