/* test_optim.c: SGD over a model's flat vectors against a naive float64 loop, and against
 * torch.optim.SGD. */
#include "audit.h"
#include "device.h"
#include "digest.h"
#include "optim.h"
#include "python.h"
#include "rng.h"
#include "safetensors.h"
#include <math.h>
#include <string.h>

enum { STEPS = 4 };
static const double rates[STEPS] = {0.1, 0.05, 0.3, 0.02};

typedef struct Settings {
    double momentum, decay;
    bool nesterov;
} Settings;
static const Settings settings[] = {
    {0, 0, false}, {0.9, 0, false}, {0.9, 5e-4, false}, {0.9, 5e-4, true}, {0, 0.1, false}};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* A small model with drawn weights, and drawn gradients for every step. */
typedef struct Fixture {
    Device *d;
    Model *m;
    int n;
    float *first, *grads[STEPS]; /* [n] */
} Fixture;

static Fixture fixture_new(void)
{
    Fixture f = {.d = device_open()};
    ModelSpec spec = {.name = "mlp", .h = 3, .w = 3, .c = 1, .classes = 5, .hidden = {7}};
    f.m = model_new(f.d->be, &spec, 2);
    f.n = f.m->params.n;
    f.first = malloc(sizeof(float) * (size_t)f.n);
    Rng r = rng_at(1, RNG_TEST, 0, 0);
    for (int i = 0; i < f.n; i++)
        f.first[i] = rng_normal(&r);
    for (int t = 0; t < STEPS; t++) {
        f.grads[t] = malloc(sizeof(float) * (size_t)f.n);
        for (int i = 0; i < f.n; i++)
            f.grads[t][i] = rng_normal(&r);
    }
    return f;
}

static void fixture_free(Fixture *f)
{
    for (int t = 0; t < STEPS; t++)
        free(f->grads[t]);
    free(f->first);
    model_free(f->m);
    device_close(f->d);
}

/* STEPS updates; params and velocity after them, [n] each. */
static void train(Fixture *f, const Settings *s, float *params, float *velocity)
{
    const BackendOps *op = f->m->be->op;
    Sgd *o = sgd_new(f->m, s->momentum, s->decay, s->nesterov);
    assert_int_equal(o->velocity.n, f->n);
    op->upload(f->m->s, f->m->params, f->first);
    for (int t = 0; t < STEPS; t++) {
        op->upload(f->m->s, f->m->grads, f->grads[t]);
        assert_int_equal(o->steps, t);
        sgd_step(f->m, o, rates[t]);
    }
    assert_int_equal(o->steps, STEPS);
    op->download(f->m->s, params, f->m->params);
    op->download(f->m->s, velocity, o->velocity);
    sgd_free(f->m, o);
}

/* PyTorch's documentation of SGD, literally, in float64. */
static void naive(const Fixture *f, const Settings *s, double *w, double *v)
{
    for (int i = 0; i < f->n; i++) {
        w[i] = f->first[i];
        v[i] = 0;
        for (int t = 0; t < STEPS; t++) {
            double g = f->grads[t][i];
            if (s->decay != 0)
                g = g + s->decay * w[i];
            v[i] = t > 0 ? s->momentum * v[i] + g : g;
            if (s->momentum != 0)
                g = s->nesterov ? g + s->momentum * v[i] : v[i];
            w[i] = w[i] - rates[t] * g;
        }
    }
}

static void against_naive(void **state)
{
    Fixture f = fixture_new();
    float *params = malloc(sizeof(float) * (size_t)f.n),
          *velocity = malloc(sizeof(float) * (size_t)f.n);
    double *w = malloc(sizeof(double) * (size_t)f.n), *v = malloc(sizeof(double) * (size_t)f.n);
    for (int i = 0; i < SETTINGS; i++) {
        train(&f, &settings[i], params, velocity);
        naive(&f, &settings[i], w, v);
        double a = expect_near(params, w, (size_t)f.n, 1e-6, "params");
        double b = expect_near(velocity, v, (size_t)f.n, 1e-6, "velocity");
        printf("    momentum %g, decay %g, nesterov %d: params %.1e, velocity %.1e\n",
               settings[i].momentum, settings[i].decay, settings[i].nesterov, a, b);
    }
    free(params);
    free(velocity);
    free(w);
    free(v);
    fixture_free(&f);
}

static void save_fixture(const Fixture *f, const char *path)
{
    SafeTensor tensors[STEPS + 1] = {{"params", 1, {f->n}, f->first}};
    char names[STEPS][24];
    for (int t = 0; t < STEPS; t++) {
        snprintf(names[t], sizeof names[t], "grads.%d", t);
        tensors[t + 1] = (SafeTensor){names[t], 1, {f->n}, f->grads[t]};
    }
    SafeTensors all = {.tensors = tensors, .count = STEPS + 1};
    assert_null(safetensors_write(path, &all));
}

/* ||ours - torch's|| / ||torch's|| of one of the tensors that torch wrote. */
static double compare(const SafeTensors *torch, const char *name, const float *ours, int n)
{
    const SafeTensor *t = safetensors_find(torch, name);
    assert_non_null(t);
    assert_int_equal(t->shape[0], n);
    double *expected = malloc(sizeof(double) * (size_t)n);
    for (int i = 0; i < n; i++)
        expected[i] = t->data[i];
    double ratio = expect_near(ours, expected, (size_t)n, 1e-6, name);
    free(expected);
    return ratio;
}

/* The values of `rates` and `settings` again, in the call of the script. */
static void against_torch(void **state)
{
    Fixture f = fixture_new();
    float *params = malloc(sizeof(float) * (size_t)f.n),
          *velocity = malloc(sizeof(float) * (size_t)f.n);
    const char *folder = scratch_dir();
    char in[4200], out[4200];
    snprintf(in, sizeof in, "%s/in", folder);
    save_fixture(&f, in);
    python_run("tests/torch/sgd.py %s %s/out 0.1,0.05,0.3,0.02 0,0,0 0.9,0,0 0.9,5e-4,0 0.9,5e-4,1 "
               "0,0.1,0",
               in, folder);
    for (int i = 0; i < SETTINGS; i++) {
        const Settings *s = &settings[i];
        snprintf(out, sizeof out, "%s/out.%d", folder, i);
        SafeTensors torch;
        assert_null(safetensors_read(out, &torch));
        train(&f, s, params, velocity);
        double ratio = compare(&torch, "params", params, f.n);
        if (s->momentum != 0) /* without it torch keeps no velocity */
            compare(&torch, "velocity", velocity, f.n);
        printf("    momentum %g, decay %g, nesterov %d: %.1e\n", s->momentum, s->decay, s->nesterov,
               ratio);
        safetensors_free(&torch);
    }
    free(params);
    free(velocity);
    fixture_free(&f);
}

/* The facts in the audit: LABS_AUDIT. */
static void audit(void **state)
{
    const char *folder = scratch_dir();
    setenv("LABS_AUDIT", folder, 1);
    audit_begin();
    Fixture f = fixture_new();
    float *params = malloc(sizeof(float) * (size_t)f.n),
          *velocity = malloc(sizeof(float) * (size_t)f.n);
    train(&f, &settings[1], params, velocity);
    char first[17], last[17];
    sha256_hex(first, sizeof first, f.first, sizeof(float) * (size_t)f.n);
    sha256_hex(last, sizeof last, params, sizeof(float) * (size_t)f.n);
    AuditRank noted = audit_read(folder, 0);
    assert_int_equal(noted.updates, STEPS);
    for (int u = 0; u < STEPS; u++) {
        assert_true(noted.update[u].rate == rates[u]);
        assert_string_equal(noted.update[u].before, u ? noted.update[u - 1].after : first);
    }
    assert_string_equal(noted.update[STEPS - 1].after, last);
    audit_read_free(&noted);
    free(params);
    free(velocity);
    fixture_free(&f);
}

static const Case cases[] = {{"naive", .run = against_naive},
                             {"torch", .run = against_torch},
                             {"audit", .run = audit}};
int main(int argc, char **argv)
{
    return device_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
