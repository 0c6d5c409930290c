/* test_checkpoint.c: a resumed training equals an uninterrupted one. Bad files and paths:
 * test_hostile_checkpoint.c. */
#include "check.h"
#include "checkpoint.h"
#include "digest.h"
#include "net.h"
#include "python.h"
#include "safetensors.h"
#include <string.h>

typedef struct Training {
    Net net;
    Model *m; /* of the net */
    Sgd *o;
} Training;

static Training training_new(Device *d, const char *name, uint64_t seed)
{
    ModelSpec spec = {.name = name, .h = 8, .w = 8, .c = 1, .classes = 5};
    Training t = {.net = net_new(d->be, &spec, 4, 4, 1)};
    t.m = t.net.m;
    model_init(t.m, seed);
    t.o = net_sgd(&t.net, 0.9, 5e-4, false);
    return t;
}

/* Updates number from … to - 1; the batch of each is drawn from its number. */
static void train(Training *t, int from, int to)
{
    for (int step = from; step < to; step++) {
        net_draw(&t->net, (uint32_t)step);
        model_gradient(t->m, t->net.totals, t->net.x, t->net.label);
        sgd_step(t->m, t->o, 0.05);
    }
}

static bool same_tensor(const Training *a, Tensor x, const Training *b, Tensor y)
{
    float *p = fetch(&a->net, x), *q = fetch(&b->net, y);
    return tensor_count(x) == tensor_count(y) && !memcmp(p, q, sizeof(float) * tensor_count(x));
}

static bool same_training(const Training *a, const Training *b)
{
    return same_tensor(a, a->m->params, b, b->m->params) &&
           same_tensor(a, a->m->state, b, b->m->state) &&
           same_tensor(a, a->o->velocity, b, b->o->velocity) && a->o->steps == b->o->steps;
}

static void expect_same_file(const char *a, const char *b)
{
    size_t m, n;
    char *p = slurp(a, &m), *q = slurp(b, &n);
    assert_int_equal(m, n);
    assert_memory_equal(p, q, m);
}

static const Progress middle = {.epoch = 2,
                                .position = 12345678901,
                                .step = 3,
                                .seed = UINT64_MAX,
                                .world_size = 4,
                                .batch = 32};

DEVICE_TEST(resume)
{
    const char *folder = scratch_dir();
    char *half = path_in(folder, "half"), *straight = path_in(folder, "straight"),
         *resumed = path_in(folder, "resumed");
    Training a = training_new(d, "resnet8", 7), b = training_new(d, "resnet8", 8);
    train(&a, 0, 3);
    checkpoint_save(half, a.m, a.o->state, &middle);
    train(&b, 0, 1); /* so that nothing of b is as it began */
    Progress p = {0};
    checkpoint_load(half, b.m, b.o->state, &p);
    b.o->steps = p.step;
    assert_true(same_training(&a, &b));
    assert_memory_equal(&p, &middle, sizeof p);
    checkpoint_save(resumed, b.m, b.o->state, &p);
    expect_same_file(half, resumed);
    train(&a, 3, 6);
    train(&b, 3, 6);
    assert_true(same_training(&a, &b));
    checkpoint_save(straight, a.m, a.o->state, &middle);
    checkpoint_save(resumed, b.m, b.o->state, &middle);
    expect_same_file(straight, resumed);
}

/* Every kind of model's names and shapes: with and without state, with and without the
 * optimiser. */
DEVICE_TEST(models)
{
    const char *const names[] = {"linear", "mlp", "cnn", "resnet8", "wrn16-1"};
    char *path = path_in(scratch_dir(), "x");
    for (int i = 0; i < 5; i++) {
        Training a = training_new(d, names[i], 1), b = training_new(d, names[i], 2);
        train(&a, 0, 1);
        checkpoint_save(path, a.m, a.o->state, &middle);
        checkpoint_load(path, b.m, NULL, NULL); /* the weights alone */
        assert_true(same_tensor(&a, a.m->params, &b, b.m->params));
        if (a.m->nstate)
            assert_true(same_tensor(&a, a.m->state, &b, b.m->state));
        assert_false(same_tensor(&a, a.o->velocity, &b, b.o->velocity));
        Progress p;
        checkpoint_save(path, a.m, NULL, &middle);
        checkpoint_load(path, b.m, NULL, &p);
        assert_int_equal(p.position, middle.position);
    }
}

/* A file says which network it holds. */
DEVICE_TEST(which_model)
{
    static const ModelSpec specs[] = {{.name = "linear"},
                                      {.name = "mlp"},
                                      {.name = "mlp", .hidden = {7, 5, 3}},
                                      {.name = "resnet14", .no_skip = true},
                                      {.name = "wrn16-1", .no_batchnorm = true}};
    char *path = path_in(scratch_dir(), "x");
    for (int i = 0; i < 5; i++) {
        ModelSpec spec = specs[i], found;
        spec.h = spec.w = 12, spec.c = 3, spec.classes = 7;
        Model *m = net_model(d->be, &spec, 2);
        checkpoint_save(path, m, NULL, &middle);
        checkpoint_model(path, &found);
        assert_string_equal(found.name, spec.name);
        assert_true(found.h == 12 && found.w == 12 && found.c == 3 && found.classes == 7);
        assert_true(found.no_skip == spec.no_skip && found.no_batchnorm == spec.no_batchnorm);
        Model *again = net_model(d->be, &found, 2);
        checkpoint_load(path, again, NULL, NULL); /* also an mlp's sizes fit */
        free((char *)found.name);
    }
}

DEVICE_TEST(contents)
{
    Training a = training_new(d, "resnet8", 7);
    char *path = path_in(scratch_dir(), "x");
    checkpoint_save(path, a.m, a.o->state, &middle);
    SafeTensors t;
    assert_null(safetensors_read(path, &t));
    assert_int_equal(t.count, 2 * a.m->nviews + a.m->nstate);
    const char *const pairs[][2] = {{"format", "pt"},    {"model", "resnet8 8x8x1 classes=5"},
                                    {"epoch", "2"},      {"position", "12345678901"},
                                    {"step", "3"},       {"seed", "18446744073709551615"},
                                    {"world_size", "4"}, {"batch", "32"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_string_equal(safetensors_value(&t, pairs[i][0]), pairs[i][1]);
    const SafeTensor *w = safetensors_find(&t, "conv1.weight"),
                     *v = safetensors_find(&t, "optimizer.conv1.weight");
    assert_true(w && v && w->dims == 4 && v->dims == 4 && w->shape[0] == 16 && w->shape[1] == 1 &&
                w->shape[3] == 3);
    assert_non_null(safetensors_find(&t, "bn1.running_var"));
    assert_null(safetensors_find(&t, "optimizer.bn1.running_var"));
    safetensors_free(&t);
}

/* A tensor filled with first, first + step, …: exact floats. */
static Tensor ramp(const Training *t, Tensor flat, float first, float step)
{
    float *host = keep(alloc(tensor_count(flat), sizeof *host));
    for (size_t i = 0; i < tensor_count(flat); i++)
        host[i] = first + step * (float)i;
    store(&t->net, flat, host);
    return flat;
}

static Tensor ramp_new(const Training *t, int n, float first, float step)
{
    return ramp(t, hold(t->m->be, tensor_new(t->m->be, F32, n, 1, 1, 1, 0)), first, step);
}

/* Weights and velocities make the bytes that they made before there were other vectors. */
DEVICE_TEST(same_bytes_as_ever)
{
    Training a = training_new(d, "resnet8", 7);
    char *path = path_in(scratch_dir(), "x"), digest[17];
    ramp(&a, a.m->params, 0, 1.0f / 4096);
    ramp(&a, a.m->state, 1, 1.0f / 1024);
    ramp(&a, a.o->velocity, 0, -1.0f / 8192);
    checkpoint_save(path, a.m, a.o->state, &middle);
    size_t size;
    char *bytes = slurp(path, &size);
    sha256_hex(digest, 17, bytes, size);
    assert_string_equal(digest, "d086dcac8cbc1ffd");
}

/* Every element of v's part of one rank is that of the ramp. */
static void expect_ramp(const Training *t, Tensor v, int rank, int n, float first, float step)
{
    float *host = fetch(&t->net, v);
    for (int i = 0; i < n; i++)
        assert_true(host[rank * n + i] == first + step * (float)i);
}

/* A second moment, a vector without views, the residuals of three ranks: saved, then loaded on as
 * many ranks and on others. Each rank's ramp begins 1000 later, so their mean is rank 1's. */
DEVICE_TEST(named_vectors)
{
    Training a = training_new(d, "cnn", 7), b = training_new(d, "cnn", 8);
    Model *m = a.m;
    char *path = path_in(scratch_dir(), "x");
    int n = m->params.n;
    Tensor second = ramp_new(&a, n, 1, 0.5f), scales = ramp_new(&a, 5, 9, 1),
           residual = ramp_new(&a, 3 * n, 0, 0), own = ramp_new(&a, 3 * 4, 0, 1);
    for (int rank = 0; rank < 3; rank++)
        ramp(&a, tensor_slice(residual, (size_t)(rank * n), n), 1000.0f * (float)rank, 0.25f);
    const NamedVector saved[] = {a.o->state[0],
                                 {"second_moment", second, m->views, m->nviews, 0},
                                 {"scales", scales, NULL, 0, 0},
                                 {"residual", residual, m->views, m->nviews, 3},
                                 {"own", own, NULL, 0, 3},
                                 {0}};
    train(&a, 0, 1);
    checkpoint_save(path, m, saved, &middle);
    for (int ranks = 1; ranks <= 4; ranks++) {
        Tensor second2 = ramp_new(&b, n, 0, 0), scales2 = ramp_new(&b, 5, 0, 0),
               residual2 = ramp_new(&b, ranks * n, 0, 0), own2 = ramp_new(&b, ranks * 4, 0, 0);
        const NamedVector loaded[] = {{"own", own2, NULL, 0, ranks},
                                      {"residual", residual2, b.m->views, b.m->nviews, ranks},
                                      {"second_moment", second2, b.m->views, b.m->nviews, 0},
                                      {"scales", scales2, NULL, 0, 0},
                                      b.o->state[0],
                                      {0}};
        checkpoint_load(path, b.m, loaded, NULL);
        assert_true(same_tensor(&a, second, &b, second2) && same_tensor(&a, scales, &b, scales2));
        assert_true(same_tensor(&a, a.o->velocity, &b, b.o->velocity));
        for (int rank = 0; rank < ranks; rank++) {
            int like = ranks == 3 ? rank : 1;
            expect_ramp(&b, residual2, rank, n, 1000.0f * (float)like, 0.25f);
            expect_ramp(&b, own2, rank, 4, 4.0f * (float)like, 1);
        }
    }
    checkpoint_load(path, b.m, NULL, NULL); /* the weights alone */
    SafeTensors t;
    assert_null(safetensors_read(path, &t));
    assert_int_equal(t.count, 6 * m->nviews + m->nstate + 4);
    assert_non_null(safetensors_find(&t, "second_moment.fc.bias"));
    assert_non_null(safetensors_find(&t, "residual.rank2.fc.bias"));
    assert_int_equal(safetensors_find(&t, "own.rank0")->shape[0], 4);
    safetensors_free(&t);
}

DEVICE_TEST(python)
{
    const char *folder = scratch_dir();
    char *ours = path_in(folder, "ours"), *theirs = path_in(folder, "theirs");
    Training a = training_new(d, "resnet8", 7);
    train(&a, 0, 2);
    checkpoint_save(ours, a.m, a.o->state, &middle);
    float *before = fetch(&a.net, a.m->params);
    python_run("tests/torch/checkpoint_weights.py %s %s", ours, theirs);
    checkpoint_load(theirs, a.m, NULL, NULL);
    float *after = fetch(&a.net, a.m->params);
    for (int i = 0; i < a.m->params.n; i++)
        assert_true(after[i] == before[i] + 1);
}
