/* test_hessian.c: extreme eigenvalues by Lanczos and float32 gradient differences, against Hessians
 * built column by column in float64, against a known one, and against PyTorch's double backward.
 *
 * Float32 differences are accurate here to 1e-5 to 4e-4 of the largest eigenvalue. A ReLU that did
 * not keep its signs would add tens of per cent.
 */
#include "check.h"
#include "eigen.h"
#include "hessian.h"
#include "python.h"
#include "reference_net.h"
#include "safetensors.h"
#include <math.h>
#include <string.h>

enum { COUNT = 20, BATCH = 8, H = 8, W = 8, C = 1, PIXELS = H * W * C, CLASSES = 4 };
static const float mean[] = {0.5f}, istd[] = {3};

/* A network, and images of noise: three batches, the last one short. */
typedef struct Fixture {
    Backend *be;
    Model *m;
    Images images;
    EvalSet *subset;
} Fixture;

static void free_set(void *s) { eval_set_free(s); }

static Fixture fixture_new(Comm *c, ModelSpec spec)
{
    Fixture f = {.be = device_backend(c ? c->local_rank : 0, c ? c->local_size : 1, c ? 1 : 2)};
    spec.h = H, spec.w = W, spec.c = C, spec.classes = CLASSES;
    f.m = net_model(f.be, &spec, BATCH);
    model_init(f.m, 1);
    f.images = images_noise(COUNT, H, W, C, CLASSES, 1);
    int32_t order[COUNT];
    for (int i = 0; i < COUNT; i++)
        order[i] = i * 7 % COUNT;
    f.subset = eval_set_new(f.be, &f.images, mean, istd, order, COUNT, BATCH, model_halo(f.m));
    at_end(f.subset, free_set, f.subset);
    return f;
}

static HessianData data_of(const Fixture *f, Comm *c)
{
    return (HessianData){c, f->subset, MODEL_FROZEN_STATS};
}

/* Add fraction x (H v) of one batch to out [D], by float64 gradients close enough for an error far
 * below 1e-6. */
static void add_product(double *out, RefNet *r, double fraction, const double *w, const double *v,
                        int D)
{
    double h = 1e-6;
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < D; i++)
            r->params[i] = w[i] + side * h * v[i];
        refnet_gradient(r);
        for (int i = 0; i < D; i++)
            out[i] += side * fraction * r->grads[i] / (2 * h);
    }
}

/* One reference network per batch of the subset. Returns their number. */
static int references(const Fixture *f, RefNet **refs, Net *nets)
{
    float *w = keep(alloc(f->m->params.n, sizeof *w));
    f->be->op->download(f->m->s, w, f->m->params);
    for (int i = 0; i < f->subset->batches; i++) {
        const Batch *b = &f->subset->batch[i];
        nets[i] = net_new(f->be, &f->m->spec, BATCH, b->n, 1);
        f->be->op->copy(f->m->s, nets[i].x, b->x);
        f->be->op->copy(f->m->s, nets[i].label, b->label);
        f->be->op->stream_sync(f->m->s);
        store(&nets[i], nets[i].m->params, w);
        refs[i] = refnet_new(&nets[i]);
    }
    return f->subset->batches;
}

static void reference_product(const Fixture *f, double *out, const double *v)
{
    RefNet *refs[COUNT];
    Net nets[COUNT];
    int batches = references(f, refs, nets), D = f->m->params.n;
    double *w = keep(alloc(D, sizeof *w));
    memcpy(w, refs[0]->params, D * sizeof *w);
    memset(out, 0, D * sizeof *out);
    for (int b = 0; b < batches; b++)
        add_product(out, refs[b], refs[b]->N / (double)COUNT, w, v, D);
}

/* values [D], vectors [D,D] of the whole Hessian. */
static void reference_hessian(const Fixture *f, double *values, double *vectors)
{
    RefNet *refs[COUNT];
    Net nets[COUNT];
    int batches = references(f, refs, nets), D = f->m->params.n;
    double *w = keep(alloc(D, sizeof *w)), *v = keep(alloc(D, sizeof *v)),
           *hessian = keep(alloc((size_t)D * D, sizeof *hessian));
    memcpy(w, refs[0]->params, D * sizeof *w);
    for (int b = 0; b < batches; b++)
        for (int i = 0; i < D; i++) {
            v[i] = 1;
            add_product(hessian + (size_t)i * D, refs[b], refs[b]->N / (double)COUNT, w, v, D);
            v[i] = 0;
        }
    eigen_symmetric(values, vectors, hessian, D);
}

static double angle_cosine(const float *a, const double *b, int D)
{
    double product = 0;
    for (int i = 0; i < D; i++)
        product += a[i] * b[i];
    return fabs(product);
}

/* The extreme eigenvalues and the top direction at f's weights, against the whole Hessian. */
static void compare(const Fixture *f, const char *what)
{
    int D = f->m->params.n;
    HessianData data = data_of(f, NULL);
    double *values = keep(alloc(D, sizeof *values)),
           *vectors = keep(alloc((size_t)D * D, sizeof *vectors));
    float *before = keep(alloc(D, sizeof *before)), *after = keep(alloc(D, sizeof *after));
    f->be->op->download(f->m->s, before, f->m->params);
    reference_hessian(f, values, vectors);
    HessianEdges e = hessian_edges(f->m, &data, 60, 1e-4, 3, NULL, NULL);
    f->be->op->download(f->m->s, after, f->m->params);
    expect_bits(before, after, D, "params");
    double scale = fmax(fabs(values[0]), values[D - 1]);
    printf("    %s, D = %d: top %.6g (%.6g), bottom %.6g (%.6g); %d steps, errors %.1e %.1e, noise "
           "%.1e; directions %.6f %.6f\n",
           what, D, e.top, values[D - 1], e.bottom, values[0], e.steps, e.top_error, e.bottom_error,
           e.noise, angle_cosine(e.top_vector, vectors + (size_t)(D - 1) * D, D),
           angle_cosine(e.bottom_vector, vectors, D));
    expect_close(e.top, values[D - 1], 5e-4 * scale, 0, "the largest eigenvalue");
    expect_close(e.bottom, values[0], 5e-4 * scale, 0, "the smallest eigenvalue");
    expect_close(angle_cosine(e.top_vector, vectors + (size_t)(D - 1) * D, D), 1, 1e-3, 0,
                 "the sharpest direction");
    assert_true(e.converged && e.noise < 1e-3 * scale);
    hessian_edges_free(&e);
}

BACKEND_TEST(small_networks)
{
    Fixture f = fixture_new(NULL, (ModelSpec){.name = "linear"});
    compare(&f, "linear");
    f = fixture_new(NULL, (ModelSpec){.name = "mlp", .hidden = {7, 5}});
    compare(&f, "mlp");
}

/* With a last layer of zeros the first layer alone does not change the loss, both together do: a
 * saddle. */
BACKEND_TEST(saddle)
{
    Fixture f = fixture_new(NULL, (ModelSpec){.name = "mlp", .hidden = {6}});
    f.be->op->zero(f.m->s, model_view(f.m->params, model_find(f.m, "fc2.weight")));
    compare(&f, "saddle");
    HessianData data = data_of(&f, NULL);
    HessianEdges e = hessian_edges(f.m, &data, 60, 1e-4, 4, NULL, NULL);
    assert_true(e.bottom < -0.02 * e.top);
    hessian_edges_free(&e);
}

/* Softmax regression with all weights 0 gives every class 1/K: H = (I - 1/K) / K  x  mean of
 * (x,1)(x,1)ᵀ. */
BACKEND_TEST(softmax_at_zero)
{
    Fixture f = fixture_new(NULL, (ModelSpec){.name = "linear"});
    f.be->op->zero(f.m->s, f.m->params);
    enum { M = PIXELS + 1 };
    double moments[M * M] = {0}, values[M], x[M];
    for (int n = 0; n < COUNT; n++) {
        for (int i = 0; i < PIXELS; i++)
            x[i] = (f.images.pixels[n * PIXELS + i] / 255.0 - mean[0]) * istd[0];
        x[PIXELS] = 1;
        for (int i = 0; i < M * M; i++)
            moments[i] += x[i / M] * x[i % M] / COUNT;
    }
    eigen_symmetric(values, NULL, moments, M);
    HessianData data = data_of(&f, NULL);
    HessianEdges e = hessian_edges(f.m, &data, 60, 1e-5, 5, NULL, NULL);
    expect_close(e.top, values[M - 1] / CLASSES, 0, 1e-4, "the largest eigenvalue");
    expect_close(e.bottom, 0, 1e-3 * e.top, 0,
                 "the smallest eigenvalue: all classes moved together change nothing");
    hessian_edges_free(&e);
}

/* H v of networks too large for a whole Hessian, with batch statistics; v is a steep direction, the
 * hardest case. */
static void product_of(ModelSpec spec)
{
    const char *name = spec.name;
    Fixture f = fixture_new(NULL, spec);
    int D = f.m->params.n;
    double *v = keep(alloc(D, sizeof *v)), *expected = keep(alloc(D, sizeof *expected)),
           *found = keep(alloc(D, sizeof *found)), difference = 0, length = 0;
    HessianData data = data_of(&f, NULL);
    HessianEdges e = hessian_edges(f.m, &data, 3, 0, 6, NULL, NULL);
    for (int i = 0; i < D; i++)
        v[i] = 2.5 * e.top_vector[i];
    reference_product(&f, expected, v);
    hessian_product(f.m, &data, found, v);
    for (int i = 0; i < D; i++) {
        difference += pow(found[i] - expected[i], 2);
        length += pow(expected[i], 2);
    }
    printf("    %s: |Hv - reference| / |reference| = %.1e, |Hv| = %.3g, top %.3g, noise %.1e\n",
           name, sqrt(difference / length), sqrt(length), e.top, e.noise);
    if (!(sqrt(difference / length) <= 0.02))
        fail_msg("%s: relative error of H v %g, expected at most 0.02", name,
                 sqrt(difference / length));
    hessian_edges_free(&e);
}

BACKEND_TEST(products)
{
    product_of((ModelSpec){.name = "mlp"});
    product_of((ModelSpec){.name = "resnet8"});
    product_of((ModelSpec){.name = "resnet8", .no_skip = true});
    product_of((ModelSpec){.name = "resnet8", .no_batchnorm = true});
}

static void ranks_agree(void)
{
    static const char *const names[] = {"mlp", "resnet8"};
    Comm *c = comm_open("auto");
    for (int i = 0; i < 2; i++) {
        Fixture f = fixture_new(c, (ModelSpec){.name = names[i]});
        HessianData alone = data_of(&f, NULL), together = data_of(&f, c);
        HessianEdges a = hessian_edges(f.m, &alone, 4, 0, 7, NULL, NULL),
                     b = hessian_edges(f.m, &together, 4, 0, 7, NULL, NULL);
        printf("    %s, %d ranks: top %.7g and %.7g, bottom %.7g and %.7g\n", names[i], c->size,
               a.top, b.top, a.bottom, b.bottom);
        expect_close(b.top, a.top, 0, 2e-3, "top");
        expect_close(b.bottom, a.bottom, 2e-3 * a.top, 0, "bottom");
        double all[2] = {b.top, -b.top}; /* the same bits on every rank */
        comm_all_reduce_host(c, all, 2, COMM_MAX);
        assert_true(all[0] == b.top && all[1] == -b.top);
        hessian_edges_free(&a);
        hessian_edges_free(&b);
    }
    comm_close(c);
}
BACKEND_TEST(ranks_agree_2, .ranks = 2) { ranks_agree(); }
BACKEND_TEST(ranks_agree_3, .ranks = 3) { ranks_agree(); }

static bool twice(void *context, const HessianEdges *so_far)
{
    ++*(int *)context;
    return so_far->steps < 2;
}

BACKEND_TEST(stops_when_told)
{
    Fixture f = fixture_new(NULL, (ModelSpec){.name = "mlp", .hidden = {7}});
    HessianData data = data_of(&f, NULL);
    int asked = 0;
    HessianEdges e = hessian_edges(f.m, &data, 60, 1e-4, 8, twice, &asked);
    assert_int_equal(asked, 2);
    assert_int_equal(e.steps, 2);
    assert_true(!e.converged && e.top_error > 0 && isfinite(e.top_error));
    hessian_edges_free(&e);
}

static void by_running_statistics(void *name)
{
    Fixture f = fixture_new(NULL, (ModelSpec){.name = name});
    HessianData data = data_of(&f, NULL);
    data.mode = MODEL_EVAL;
    HessianEdges e = hessian_edges(f.m, &data, 2, 0, 1, NULL, NULL);
    hessian_edges_free(&e);
}

static void of_max_pooling(void *unused)
{
    Fixture f = fixture_new(NULL, (ModelSpec){.name = "cnn"});
    HessianData data = data_of(&f, NULL);
    hessian_edges(f.m, &data, 2, 0, 1, NULL, NULL);
}

static void of_diverged_weights(void *unused)
{
    Fixture f = fixture_new(NULL, (ModelSpec){.name = "linear"});
    float *w = alloc(f.m->params.n, sizeof *w);
    w[3] = NAN;
    f.be->op->upload(f.m->s, f.m->params, w);
    HessianData data = data_of(&f, NULL);
    hessian_edges(f.m, &data, 2, 0, 1, NULL, NULL);
}

BACKEND_TEST(refuses)
{
    expect_death(EXIT_USAGE, by_running_statistics, "resnet8", "resnet8", "running statistics",
                 NULL);
    expect_death(EXIT_USAGE, of_max_pooling, NULL, "cnn", "max pooling", NULL);
    expect_death(EXIT_USAGE, of_diverged_weights, NULL, "linear", "not finite", NULL);
    by_running_statistics("linear"); /* no batch norm: there is only one mode. Last: no fork
                                      * after OpenMP's threads */
}

static void save(const Fixture *f, const char *path)
{
    const Model *m = f->m;
    SafeTensor tensors[16];
    float x[COUNT * PIXELS], label[COUNT], *w = keep(alloc(m->params.n, sizeof *w));
    f->be->op->download(m->s, w, m->params);
    for (int i = 0; i < m->nviews; i++) {
        tensors[i] = (SafeTensor){.name = (char *)m->views[i].name,
                                  .dims = m->views[i].dims,
                                  .data = w + m->views[i].at};
        for (int d = 0; d < m->views[i].dims; d++)
            tensors[i].shape[d] = m->views[i].shape[d];
    }
    for (int i = 0; i < COUNT * PIXELS; i++)
        x[i] = (f->images.pixels[i] / 255.0f - mean[0]) * istd[0];
    for (int i = 0; i < COUNT; i++)
        label[i] = f->images.labels[i];
    tensors[m->nviews] = (SafeTensor){"x", 4, {COUNT, H, W, C}, x};
    tensors[m->nviews + 1] = (SafeTensor){"label", 1, {COUNT}, label};
    assert_null(
        safetensors_write(path, &(SafeTensors){.tensors = tensors, .count = m->nviews + 2}));
}

BACKEND_TEST(against_torch)
{
    const char *folder = scratch_dir(), *in = path_in(folder, "in"), *out = path_in(folder, "out");
    Fixture f = fixture_new(NULL, (ModelSpec){.name = "mlp", .hidden = {12, 6}});
    save(&f, in);
    python_run("tests/torch/hessian.py %s %s", in, out);
    SafeTensors torch;
    assert_null(safetensors_read(out, &torch));
    const SafeTensor *t = safetensors_find(&torch, "eigenvalues");
    double bottom = t->data[0], top = t->data[t->shape[0] - 1];
    HessianData data = data_of(&f, NULL);
    HessianEdges e = hessian_edges(f.m, &data, 80, 1e-4, 9, NULL, NULL);
    printf("    mlp: top %.6g, torch %.6g; bottom %.6g, torch %.6g\n", e.top, top, e.bottom,
           bottom);
    expect_close(e.top, top, 2e-3 * top, 0, "the largest eigenvalue");
    expect_close(e.bottom, bottom, 2e-3 * top, 0, "the smallest eigenvalue");
    hessian_edges_free(&e);
    safetensors_free(&torch);
}
