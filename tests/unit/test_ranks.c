/* test_ranks.c: data parallelism's promise: P ranks of batch B, gradients averaged, take the steps
 * of one rank of batch P * B.
 *
 * Every rank trains both: `ours`, on its B images with an all-reduce, and `whole`, on all P * B
 * by itself. After 8 steps of SGD with momentum the parameters must be the same up to rounding.
 * Not in all bits: the P * B samples' gradients are summed in another order (first within a rank),
 * which changes each sum by about 1e-7 of its size; the steps pass that on, and the parameters end
 * some 1e-7 of their length apart. The tolerance is 5e-6. A missing average or partial statistics
 * are off by more than 1000 times that, and one case shows it.
 *
 * But a ReLU whose input is within that rounding of 0 clips in one run and passes in the other. Its
 * gradient jumps by 1e-3, and from then on the two runs drift apart like any two. In a
 * run of a million such inputs it happens now and then (of the deepest network here in every other
 * run). So a comparison that fails is repeated on other images, eight times at most: a bug in the
 * code fails on all of them.
 *
 * Batch norm breaks the promise: a rank normalises by its own B images, not by all P * B. When
 * the ranks add their statistics' sums (m->stats_hook), it holds again; without, it does not, and
 * that is tested too.
 */
#include "check.h"
#include "comm.h"
#include "net.h"
#include <math.h>
#include <string.h>

enum { B = 5, STEPS = 8, DRAWS = 8 };
static const double TOLERANCE = 5e-6;

typedef struct Setting {
    const char *name;
    bool no_batchnorm, synchronise, nesterov;
    double average; /* what the sum of gradients is multiplied by; 0: 1/P, as it should be */
} Setting;

static void add_sums(void *context, Tensor sums, Stream *s)
{
    comm_all_reduce(context, sums, COMM_SUM, s);
}

/* One update: this batch's gradient, averaged over the ranks of `c` (NULL: by ourselves). */
static void step(Net *n, Sgd *o, Comm *c, double average)
{
    net_pieces(n, n->x, n->label);
    if (c) {
        comm_all_reduce(c, n->m->grads, COMM_SUM, n->m->s);
        n->op->scale(n->m->s, n->m->grads, (float)average);
    }
    sgd_step(n->m, o, 0.02);
}

/* ||a - b|| / ||b|| of two vectors on the device. */
static double apart(const Net *a, Tensor ta, const Net *b, Tensor tb)
{
    return net_apart(a, ta, fetch_double(b, tb));
}

/* Every rank holds the same bits: each one's are the largest of all. */
static void expect_same_everywhere(Comm *c, const Net *n)
{
    int count = n->m->params.n;
    Tensor largest = hold(n->m->be, tensor_new(n->m->be, F32, count, 1, 1, 1, 0));
    n->op->copy(n->m->s, largest, n->m->params);
    comm_all_reduce(c, largest, COMM_MAX, n->m->s);
    float *mine = fetch(n, n->m->params), *all = fetch(n, largest);
    assert_memory_equal(mine, all, count * sizeof(float));
}

typedef struct Outcome {
    double params, state;
} Outcome;

/* Train both ways on the draw-th images; how far apart are parameters and running statistics? */
static Outcome train(Comm *c, const Setting *t, int draw)
{
    Backend *be = device_backend(c->local_rank, c->local_size, 1);
    ModelSpec spec = small_spec(t->name);
    if (spec.h > 1) /* images */
        spec.h = 5, spec.w = 4;
    spec.no_batchnorm = t->no_batchnorm;
    Net whole = net_new(be, &spec, c->size * B, c->size * B, 1), ours = net_new(be, &spec, B, B, 1);
    model_init(ours.m, 1 + c->rank);                 /* a rank above 0 starts elsewhere … */
    comm_broadcast(c, ours.m->params, 0, ours.m->s); /* … until rank 0's broadcast */
    if (t->synchronise)
        ours.m->stats_hook = add_sums, ours.m->stats_context = c, ours.m->stats_ranks = c->size;
    Sgd *o = net_sgd(&ours, 0.9, 5e-4, t->nesterov),
        *alone = net_sgd(&whole, 0.9, 5e-4, t->nesterov);
    for (int i = 0; i < STEPS; i++) {
        net_draw(&whole, 100 * draw + i);
        net_take(&ours, &whole, c->rank * B, B);
        step(&whole, alone, NULL, 1);
        step(&ours, o, c, t->average > 0 ? t->average : 1.0 / c->size);
    }
    expect_same_everywhere(c, &ours);
    double off[2] = {apart(&ours, ours.m->params, &whole, whole.m->params), 0};
    if (ours.m->nstate)
        off[1] = apart(&ours, ours.m->state, &whole, whole.m->state);
    comm_all_reduce_host(c, off, 2, COMM_MAX); /* each rank has its own `whole` */
    if (c->rank == 0)
        printf("    %s%s%s, %d ranks, images %d: parameters %.1e apart, running statistics %.1e\n",
               t->name, t->no_batchnorm ? " without batch norm" : "",
               t->synchronise ? " synchronised" : "", c->size, draw, off[0], off[1]);
    return (Outcome){off[0], off[1]};
}

/* For each setting: do P ranks agree with one? */
static void expect_agreement(const Setting *table, int count)
{
    Comm *c = comm_open("auto");
    for (int i = 0; i < count; i++) {
        Outcome off;
        int draw = 1;
        do
            off = train(c, &table[i], draw);
        while (!(off.params <= TOLERANCE && off.state <= TOLERANCE) && ++draw <= DRAWS);
        if (draw > DRAWS)
            fail_msg("%s: P ranks and one are %g apart, running statistics %g, expected <= %g",
                     table[i].name, off.params, off.state, TOLERANCE);
    }
    comm_close(c);
}

/* They must not. */
static void expect_disagreement(const Setting *table, int count)
{
    Comm *c = comm_open("auto");
    for (int i = 0; i < count; i++) {
        Outcome off = train(c, &table[i], 1);
        if (!(off.params > 1000 * TOLERANCE))
            fail_msg("%s: only %g apart", table[i].name, off.params);
    }
    comm_close(c);
}

static void equal_to_one(void)
{
    static const Setting table[] = {{.name = "linear"},
                                    {.name = "mlp", .nesterov = true},
                                    {.name = "cnn", .no_batchnorm = true},
                                    {.name = "resnet8", .no_batchnorm = true},
                                    {.name = "gpt-12-2-3"}};
    expect_agreement(table, 5);
}
BACKEND_TEST(equal_to_one_2, .ranks = 2) { equal_to_one(); }
BACKEND_TEST(equal_to_one_3, .ranks = 3) { equal_to_one(); }
BACKEND_TEST(equal_to_one_4, .ranks = 4) { equal_to_one(); }

static void synchronised(void)
{
    static const Setting table[] = {{.name = "cnn", .synchronise = true},
                                    {.name = "resnet8", .synchronise = true}};
    expect_agreement(table, 2);
}
BACKEND_TEST(synchronised_2, .ranks = 2) { synchronised(); }
BACKEND_TEST(synchronised_3, .ranks = 3) { synchronised(); }
BACKEND_TEST(synchronised_4, .ranks = 4) { synchronised(); }

/* The lesson: plain batch norm on P > 1 ranks is another computation. And the tolerance has teeth:
 * gradients summed, not averaged, make steps P times as long. */
BACKEND_TEST(not_equal, .ranks = 2)
{
    static const Setting table[] = {{.name = "cnn"},
                                    {.name = "resnet8"},
                                    {.name = "mlp", .average = 1},
                                    {.name = "resnet8", .no_batchnorm = true, .average = 1}};
    expect_disagreement(table, 4);
}
