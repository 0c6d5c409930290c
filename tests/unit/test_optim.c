/* test_optim.c: SGD over a model's flat vectors against the float64 reference, and against
 * torch.optim.SGD. */
#include "audit.h"
#include "check.h"
#include "digest.h"
#include "net.h"
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
    double clip; /* 5: of these gradients' lengths, about 11, it shortens all; 100: none */
} Settings;
static const Settings settings[] = {{0, 0, false, 0},     {0.9, 0, false, 0}, {0.9, 5e-4, false, 0},
                                    {0.9, 5e-4, true, 0}, {0, 0.1, false, 0}, {0.9, 5e-4, false, 5},
                                    {0.9, 0, false, 100}};
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
    f.m = net_model(f.d->be, &spec, 2);
    f.n = f.m->params.n;
    f.first = keep(alloc(f.n, sizeof(float)));
    Rng r = rng_at(1, RNG_TEST, 0, 0);
    for (int i = 0; i < f.n; i++)
        f.first[i] = rng_normal(&r);
    for (int t = 0; t < STEPS; t++) {
        f.grads[t] = keep(alloc(f.n, sizeof(float)));
        for (int i = 0; i < f.n; i++)
            f.grads[t][i] = rng_normal(&r);
    }
    return f;
}

/* STEPS updates; params and velocity after them, [n] each. */
static void train(Fixture *f, const Settings *s, float *params, float *velocity)
{
    const BackendOps *op = f->m->be->op;
    Sgd *o = sgd_new(f->m, s->momentum, s->decay, s->nesterov);
    assert_int_equal(o->velocity.n, f->n);
    o->clip = s->clip;
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

static void reference(const Fixture *f, const Settings *s, double *w, double *v)
{
    double *g = zeros(f->n);
    for (int i = 0; i < f->n; i++)
        w[i] = f->first[i], v[i] = 0;
    for (int t = 0; t < STEPS; t++) {
        double square = 0;
        for (int i = 0; i < f->n; i++)
            square += pow(f->grads[t][i], 2);
        double length = sqrt(square), shorter = s->clip && length > s->clip ? s->clip / length : 1;
        for (int i = 0; i < f->n; i++)
            g[i] = shorter * f->grads[t][i];
        ref_sgd(w, v, g, rates[t], s->momentum, s->decay, s->nesterov, f->n);
    }
}

BACKEND_TEST(naive)
{
    Fixture f = fixture_new();
    float *params = keep(alloc(f.n, sizeof(float))), *velocity = keep(alloc(f.n, sizeof(float)));
    double *w = zeros(f.n), *v = zeros(f.n);
    for (int i = 0; i < SETTINGS; i++) {
        train(&f, &settings[i], params, velocity);
        reference(&f, &settings[i], w, v);
        double a = expect_near(params, w, (size_t)f.n, 1e-6, "params");
        double b = expect_near(velocity, v, (size_t)f.n, 1e-6, "velocity");
        printf("    momentum %g, decay %g, nesterov %d, clip %g: params %.1e, velocity %.1e\n",
               settings[i].momentum, settings[i].decay, settings[i].nesterov, settings[i].clip, a,
               b);
    }
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
    double *expected = zeros(n);
    for (int i = 0; i < n; i++)
        expected[i] = t->data[i];
    return expect_near(ours, expected, (size_t)n, 1e-6, name);
}

/* The values of `rates` and `settings` again, in the call of the script. */
BACKEND_TEST(torch)
{
    Fixture f = fixture_new();
    float *params = keep(alloc(f.n, sizeof(float))), *velocity = keep(alloc(f.n, sizeof(float)));
    const char *folder = scratch_dir();
    char *in = path_in(folder, "in"), out[4200];
    save_fixture(&f, in);
    python_run("tests/torch/sgd.py %s %s/out 0.1,0.05,0.3,0.02 0,0,0,0 0.9,0,0,0 0.9,5e-4,0,0 "
               "0.9,5e-4,1,0 0,0.1,0,0 0.9,5e-4,0,5 0.9,0,0,100",
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
        printf("    momentum %g, decay %g, nesterov %d, clip %g: %.1e\n", s->momentum, s->decay,
               s->nesterov, s->clip, ratio);
        safetensors_free(&torch);
    }
}

/* The facts in the audit: LABS_AUDIT. */
BACKEND_TEST(audit)
{
    const char *folder = scratch_dir();
    setenv("LABS_AUDIT", folder, 1);
    audit_begin();
    Fixture f = fixture_new();
    float *params = keep(alloc(f.n, sizeof(float))), *velocity = keep(alloc(f.n, sizeof(float)));
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
}
