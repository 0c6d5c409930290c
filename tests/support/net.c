/* net.c: see net.h. */
#include "net.h"
#include "check.h"
#include "rng.h"
#include <math.h>
#include <string.h>

static bool reads_text(const char *name) { return !strncmp(name, "gpt-", 4); }

ModelSpec small_spec(const char *name)
{
    if (reads_text(name))
        return (ModelSpec){.name = name, .h = 1, .w = 7, .c = 1, .classes = 5};
    return (ModelSpec){.name = name, .h = 9, .w = 8, .c = 3, .classes = 5};
}

const char *const model_kinds[KINDS] = {"linear", "mlp", "cnn", "resnet8", "wrn16-1", "gpt-12-2-3"};

/* The batch's tensors for N images. */
static void make_batch(Net *n, int N)
{
    const ModelSpec *s = &n->m->spec;
    n->N = N;
    n->x = hold(n->m->be, tensor_new(n->m->be, F32, N, s->h, s->w, s->c, model_halo(n->m)));
    n->label = hold(n->m->be, tensor_new(n->m->be, I32, N, 1, 1, model_positions(n->m), 0));
}

static void set_images(Net *n, const float *x, const int32_t *label)
{
    Tensor dense = tensor_new(n->m->be, F32, n->x.n, n->x.h, n->x.w, n->x.c, 0);
    n->op->upload(n->m->s, dense, x);
    n->op->copy(n->m->s, n->x, dense);
    n->op->upload(n->m->s, n->label, label);
    n->op->stream_sync(n->m->s);
    tensor_free(n->m->be, dense);
}

void net_draw(Net *n, uint32_t seed)
{
    size_t count = tensor_count(n->x), labels = tensor_count(n->label);
    float *x = alloc(count, sizeof *x);
    int32_t *label = alloc(labels, sizeof *label);
    bool text = reads_text(n->m->spec.name);
    Rng r = rng_at(2, RNG_TEST, seed, 0);
    for (size_t i = 0; i < count; i++)
        x[i] = text ? (float)rng_below(&r, n->m->spec.classes) : rng_normal(&r);
    for (size_t i = 0; i < labels; i++)
        label[i] = (int32_t)rng_below(&r, n->m->spec.classes);
    set_images(n, x, label);
    free(x), free(label);
}

Images images_blank(int count, int h, int w, int c)
{
    return (Images){.count = count,
                    .h = h,
                    .w = w,
                    .c = c,
                    .pixels = keep(alloc((size_t)count, (size_t)h * w * c)),
                    .labels = keep(alloc(count, 1))};
}

Images images_noise(int count, int h, int w, int c, int classes, uint64_t seed)
{
    size_t size = (size_t)h * (size_t)w * (size_t)c;
    Images all = images_blank(count, h, w, c);
    for (int i = 0; i < count; i++) {
        Rng r = rng_at(seed, RNG_TEST, 0, (uint64_t)i);
        all.labels[i] = (uint8_t)rng_below(&r, classes);
        for (size_t k = 0; k < size; k++)
            all.pixels[(size_t)i * size + k] = (uint8_t)rng_below(&r, 256);
    }
    return all;
}

static void free_model(void *m) { model_free(m); }

Model *net_model(Backend *be, const ModelSpec *spec, int batch)
{
    Model *m = model_new(be, spec, batch);
    at_end(m, free_model, m);
    return m;
}

Net net_new(Backend *be, const ModelSpec *spec, int batch, int N, uint32_t seed)
{
    Net n = {.m = net_model(be, spec, batch), .op = be->op};
    model_init(n.m, 1);
    make_batch(&n, N);
    n.totals = hold(be, tensor_new(be, F64, 2, 1, 1, 1, 0));
    net_draw(&n, seed);
    return n;
}

typedef struct HeldSgd {
    Model *m;
    Sgd *o;
} HeldSgd;

static void free_sgd(void *p)
{
    HeldSgd *h = p;
    sgd_free(h->m, h->o);
    free(h);
}

Sgd *net_sgd(Net *n, double momentum, double decay, bool nesterov)
{
    HeldSgd *h = alloc(1, sizeof *h);
    *h = (HeldSgd){n->m, sgd_new(n->m, momentum, decay, nesterov)};
    at_end(h->o, free_sgd, h);
    return h->o;
}

void net_free(Net *n)
{
    Backend *be = n->m->be;
    drop(be, n->x), drop(be, n->label), drop(be, n->totals);
    end_now(n->m);
}

void net_take(Net *to, const Net *from, int first, int count)
{
    size_t image = tensor_count(tensor_first(from->x, 1));
    float *x = fetch(from, from->x);
    int32_t *label = alloc(tensor_count(from->label), sizeof *label);
    from->op->download(from->m->s, label, from->label);
    drop(to->m->be, to->x), drop(to->m->be, to->label);
    make_batch(to, count);
    set_images(to, x + first * image, label + first * model_positions(to->m));
    free(label);
}

static double run(Net *n, ModelMode mode, bool gradient)
{
    double totals[2];
    n->op->zero(n->m->s, n->totals);
    model_forward(n->m, n->x, mode);
    model_loss(n->m, n->totals, n->label, NO_TENSOR, gradient);
    n->op->download(n->m->s, totals, n->totals);
    return totals[0] / (n->N * model_positions(n->m));
}

double net_loss(Net *n, ModelMode mode) { return run(n, mode, false); }

double net_gradient(Net *n)
{
    double loss = run(n, MODEL_FROZEN_STATS, true);
    model_zero_grads(n->m);
    model_backward(n->m);
    return loss;
}

void net_pieces(Net *n, Tensor x, Tensor label)
{
    model_zero_grads(n->m);
    model_forward(n->m, x, MODEL_TRAIN);
    model_loss(n->m, n->totals, label, NO_TENSOR, true);
    model_backward(n->m);
}

void expect_same_step(Net *a, Net *b)
{
    double ours[2], theirs[2];
    expect_bits(fetch(a, a->m->grads), fetch(b, b->m->grads), tensor_count(a->m->grads),
                "gradient");
    expect_bits(fetch(a, a->m->state), fetch(b, b->m->state), tensor_count(a->m->state),
                "running statistics");
    a->op->download(a->m->s, ours, a->totals), b->op->download(b->m->s, theirs, b->totals);
    assert_memory_equal(ours, theirs, sizeof ours);
}

float *fetch(const Net *n, Tensor vector)
{
    float *v = keep(alloc(tensor_count(vector), sizeof *v));
    n->op->download(n->m->s, v, vector);
    return v;
}

double *fetch_double(const Net *n, Tensor vector)
{
    float *v = fetch(n, vector);
    double *wide = keep(alloc(tensor_count(vector), sizeof *wide));
    for (size_t i = 0; i < tensor_count(vector); i++)
        wide[i] = v[i];
    end_now(v);
    return wide;
}

void store(const Net *n, Tensor vector, const float *v)
{
    n->op->upload(n->m->s, vector, v);
    n->op->stream_sync(n->m->s);
}

void expect_bits(const float *a, const float *b, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a))
            fail_msg("%s: element %zu is %.9g and %.9g", what, i, a[i], b[i]);
}

double net_apart(const Net *n, Tensor t, const double *expected)
{
    return relative_error(fetch_double(n, t), expected, tensor_count(t));
}

void expect_vector(const Net *n, Tensor t, const double *expected, double tolerance,
                   const char *what)
{
    expect_near(fetch(n, t), expected, tensor_count(t), tolerance, what);
}
