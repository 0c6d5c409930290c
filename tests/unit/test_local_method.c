/* test_local_method.c: the methods of lab 2's part 8 with the reference's exercises: which of them
 * are the same in special cases, on one rank and on several; and what they send.
 */
#include "net.h"
#include "parts/8_local/local_method.h"
#include "quantiles.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 4, STEPS = 12 };

static const ModelSpec spec_of_net = {
    .name = "mlp", .h = 4, .w = 4, .c = 1, .classes = 3, .hidden = {7}};

typedef struct Trained {
    int n;
    float *w;
    double bytes;
} Trained;

/* The weights after STEPS updates; each rank has different batches. */
static Trained train(Comm *c, Backend *be, LocalSpec spec)
{
    Net n = net_new(be, &spec_of_net, BATCH, BATCH, 1);
    model_init(n.m, 5);
    spec.steps = STEPS;
    Local *l = local_new(n.m, c, spec);
    Method method = local_method(l);
    for (int t = 0; t < STEPS; t++) {
        net_draw(&n, (uint32_t)(t * c->size + c->rank));
        Batch b = {.x = n.x, .label = n.label, .n = BATCH};
        method_step(&method, n.m, n.totals, &b, 0.05, NULL);
    }
    Trained result = {n.m->params.n, fetch(&n, n.m->params), local_bytes(l)};
    local_free(l);
    return result;
}

static void expect_same(Comm *c, Backend *be, LocalSpec one, LocalSpec other, double most,
                        const char *what)
{
    Trained a = train(c, be, one), b = train(c, be, other);
    double off = largest_difference(a.w, b.w, a.n);
    if (!(off <= most))
        fail_msg("%s: weights differ by %g", what, off);
}

static const LocalSpec plain = {.kind = LOCAL_PLAIN, .every = 1, .momentum = 0.9};

static LocalSpec spec_of(LocalKind kind, int64_t every)
{
    return (LocalSpec){
        .kind = kind, .every = every, .momentum = 0.9, .outer_rate = 1, .keep = 4096, .decay = 0.9};
}

static void equivalences(void)
{
    Comm *c = comm_open("mpi");
    Backend *be = closing(backend_open("cpu", c->local_rank, c->local_size, 1));
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
    comm_close(c);
}
TEST(equivalences_2, .ranks = 2) { equivalences(); }
TEST(equivalences_3, .ranks = 3) { equivalences(); }

/* They do differ where they should; all ranks end with the same weights; bytes. */
static void differences(void)
{
    Comm *c = comm_open("mpi");
    Backend *be = closing(backend_open("cpu", c->local_rank, c->local_size, 1));
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
    }
    comm_close(c);
}
TEST(differences_2, .ranks = 2) { differences(); }
TEST(differences_3, .ranks = 3) { differences(); }
