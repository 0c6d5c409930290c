/* 4b_synchronise.c: the check of synchronise: a network on one of three ranks, whose other two are
 * played by the communicator, against the same sums added up by the check. */
#include "check.h"
#include "exercise.h"
#include "lab3.h"
#include <math.h>
#include <stdlib.h>

enum { RANKS = 3, N = 4, SIDE = 8 };

static int asked; /* all-reduces */

/* What the other ranks add: a little more of the second moments than of the first. */
static void add_others(double *sums, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sums[i] *= i < count / 2 ? RANKS : 1.2 * RANKS;
}

static double *host(Stream *s, Tensor t) { return (double *)s->be->op->buffer_host(t.buf) + t.at; }

static void play_all_reduce(Comm *c, Tensor t, CommOp op, Stream *s, CommRequest **request)
{
    WRONG_UNLESS(t.dtype == F64, "it all-reduces another tensor than `sums`, which is F64");
    WRONG_UNLESS(op == COMM_SUM, "an all-reduce with %s: expected COMM_SUM",
                 op == COMM_MAX ? "COMM_MAX" : "COMM_MIN");
    add_others(host(s, t), tensor_count(t));
    asked++;
    if (request)
        *request = NULL;
}

static void add_up_here(void *unused, Tensor sums, Stream *s)
{
    add_others(host(s, sums), tensor_count(sums));
}

static int norms(const Model *m)
{
    int count = 0;
    for (int i = 0; i < m->nlayers; i++)
        count += m->layers[i].kind == LAYER_BATCHNORM;
    return count;
}

/* The gradient of a random batch, into new memory. */
static float *gradient(Model *m)
{
    Backend *be = m->be;
    Tensor x = tensor_new(be, F32, N, SIDE, SIDE, 1, model_halo(m)),
           label = tensor_new(be, I32, N, 1, 1, 1, 0), totals = tensor_new(be, F64, 2, 1, 1, 1, 0);
    float pixels[N * SIDE * SIDE], *grads = alloc(m->params.n, sizeof *grads);
    int32_t labels[N] = {0, 1, 2, 1};
    Rng r = rng_at(1, RNG_TEST, 0, 0);
    for (int i = 0; i < N * SIDE * SIDE; i++)
        pixels[i] = rng_normal(&r);
    Tensor dense = tensor_new(be, F32, N, SIDE, SIDE, 1, 0);
    be->op->upload(m->s, dense, pixels);
    be->op->copy(m->s, x, dense);
    be->op->upload(m->s, label, labels);
    model_gradient(m, totals, x, label);
    be->op->download(m->s, grads, m->grads);
    tensor_free(be, x), tensor_free(be, label), tensor_free(be, totals), tensor_free(be, dense);
    return grads;
}

static double apart(const float *a, const float *b, int n)
{
    double difference = 0, length = 0;
    for (int i = 0; i < n; i++) {
        difference += pow((double)a[i] - b[i], 2);
        length += pow(b[i], 2);
    }
    return sqrt(difference / length);
}

static void judge(void *unused)
{
    static const CommOps ops = {.name = "played", .all_reduce = play_all_reduce};
    static Comm comm = {.op = &ops, .size = RANKS, .local_size = RANKS};
    Backend *be = backend_open("cpu", 0, 1, 1);
    ModelSpec spec = {.name = "resnet8", .h = SIDE, .w = SIDE, .c = 1, .classes = 3};
    Model *theirs = model_new(be, &spec, N), *ours = model_new(be, &spec, N);
    model_init(theirs, 1);
    model_init(ours, 1);
    ours->stats_hook = add_up_here;
    ours->stats_ranks = RANKS;
    synchronise(theirs, &comm);
    WRONG_UNLESS(theirs->stats_hook, "m->stats_hook is not set");
    WRONG_UNLESS(theirs->stats_context, "m->stats_context is NULL: it is what your hook gets as "
                                        "its context");
    WRONG_UNLESS(asked == 0, "it makes an all-reduce at once: only the hook does, when m calls it");
    WRONG_UNLESS(theirs->stats_ranks == RANKS,
                 "m->stats_ranks is %d, expected %d: the sums are over that many times the images",
                 theirs->stats_ranks, RANKS);
    float *found = gradient(theirs), *expected = gradient(ours);
    int calls = 2 * norms(theirs);
    WRONG_UNLESS(asked > 0, "your hook makes no all-reduce");
    WRONG_UNLESS(asked == calls,
                 "%d all-reduces in an update with %d batch norms, expected %d: one "
                 "in each forward and one in each backward",
                 asked, calls / 2, calls);
    double off = apart(found, expected, theirs->params.n);
    WRONG_UNLESS(off < 1e-6,
                 "the gradient is %.2g off: is anything done to the sums but adding "
                 "them up? m itself divides them by stats_ranks times its images",
                 off);
    free(found), free(expected);
    model_free(theirs), model_free(ours);
    backend_close(be);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "synchronise", 5,
                          "the hook adds up the sums of all ranks; stats_ranks is their number",
                          judge);
}
