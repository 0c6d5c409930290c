/* test_landscape.c: a plane through a network's weights: its loss equals that of forward passes,
 * whichever rank computes it, in any order, at once or in pieces. */
#include "check.h"
#include "landscape.h"
#include "net.h"
#include "rng.h"
#include <math.h>
#include <string.h>

enum { NX = 9, NY = 6, IMAGES = 40 };

/* A network, images, and a plane with random directions: the same on every rank. */
typedef struct Fixture {
    Backend *be;
    Model *m;
    Images images;
    EvalSet *subset;
    float *v[3];
    Landscape l;
} Fixture;

static void free_set(void *s) { eval_set_free(s); }
static void free_surface(void *s) { surface_free(s); }

static Fixture fixture_new(const char *model, int ny, ModelMode mode)
{
    static const float mean[4] = {0.5f, 0.5f, 0.5f}, istd[4] = {4, 4, 4};
    Fixture s = {.be = closing(backend_open("cpu", 0, 1, 1))};
    synthetic_draw(&s.images, 64, 3, 0);
    keep(s.images.pixels), keep(s.images.labels);
    s.m = net_model(s.be,
                    &(ModelSpec){.name = model,
                                 .h = s.images.h,
                                 .w = s.images.w,
                                 .c = s.images.c,
                                 .classes = 10},
                    16);
    model_init(s.m, 5);
    int32_t order[IMAGES];
    for (int i = 0; i < IMAGES; i++)
        order[i] = (i * 7) % 64;
    s.subset = eval_set_new(s.be, &s.images, mean, istd, order, IMAGES, 16, model_halo(s.m));
    int count = s.m->params.n;
    for (int k = 0; k < 3; k++) {
        s.v[k] = keep(alloc(count, sizeof(float)));
        Rng r = rng_at(9, RNG_TEST, k, 0);
        for (int i = 0; i < count; i++)
            s.v[k][i] = 0.1f * rng_normal(&r);
    }
    s.l = (Landscape){.m = s.m,
                      .subset = s.subset,
                      .mode = mode,
                      .surface = surface_new(NX, ny),
                      .plane = {count, s.v[0], s.v[1], ny > 1 ? s.v[2] : NULL, NX, ny, -1, 2, -0.5,
                                0.5}};
    at_end(s.subset, free_set, s.subset);
    at_end(s.l.surface, free_surface, s.l.surface);
    return s;
}

TEST(order_is_coarse_to_fine)
{
    static const int sizes[][2] = {{1, 1}, {2, 1}, {51, 51}, {25, 1}, {9, 6}, {3, 40}};
    for (int k = 0; k < 6; k++) {
        int nx = sizes[k][0], ny = sizes[k][1], points = nx * ny,
            *order = keep(alloc(points, sizeof *order));
        char *seen = keep(alloc(points, 1));
        landscape_order(order, nx, ny);
        for (int i = 0; i < points; i++) {
            assert_in_range(order[i], 0, points - 1);
            assert_false(seen[order[i]]);
            seen[order[i]] = 1;
        }
    }
    int order[51 * 51];
    landscape_order(order, 51, 51);
    /* every fourth row and column come first */
    for (int i = 0; i < 13 * 13; i++)
        assert_true(order[i] % 51 % 4 == 0 && order[i] / 51 % 4 == 0);
}

/* Against weights computed here, and a forward pass in the same mode; the compiler may round the
 * weights in another order. */
TEST(is_the_loss_there)
{
    static const ModelMode modes[] = {MODEL_EVAL, MODEL_FROZEN_STATS};
    for (int k = 0; k < (SANITIZED ? 1 : 2); k++) {
        Fixture s = fixture_new("resnet8", NY, modes[k]);
        Comm *c = comm_open("self");
        assert_true(landscape_run(&s.l, c));
        assert_int_equal(s.l.surface->known, NX * NY);
        float *w = keep(alloc(s.l.plane.count, sizeof *w));
        for (int point = 0; point < NX * NY; point += 17) {
            double a = -1 + 3.0 * (point % NX) / (NX - 1), b = -0.5 + 1.0 * (point / NX) / (NY - 1);
            for (int i = 0; i < s.l.plane.count; i++)
                w[i] = (float)(s.v[0][i] + a * s.v[1][i] + b * s.v[2][i]);
            s.be->op->upload(s.m->s, s.m->params, w);
            Metrics m = eval_set_metrics(s.m, s.subset, modes[k]);
            double loss = metrics_loss(m), accuracy = metrics_accuracy(m);
            assert_true(fabs(s.l.surface->loss[point] - loss) <= 1e-6 * loss);
            assert_true(fabs(s.l.surface->accuracy[point] - accuracy) <= 1.01 / IMAGES);
        }
        comm_close(c);
    }
}

TEST(is_the_same_on_every_number_of_ranks, .ranks = 3)
{
    Comm *c = comm_open("auto");
    Fixture s = fixture_new("mlp", NY, MODEL_EVAL), one = fixture_new("mlp", NY, MODEL_EVAL);
    assert_true(landscape_run(&s.l, c));
    if (c->rank == 0) {
        Comm *self = comm_split(c, 1, 0);
        assert_true(landscape_run(&one.l, self));
        assert_memory_equal(s.l.surface->loss, one.l.surface->loss, NX * NY * sizeof(double));
        assert_memory_equal(s.l.surface->accuracy, one.l.surface->accuracy,
                            NX * NY * sizeof(double));
        comm_close(self);
    } else
        comm_close(comm_split(c, 2, 0));
    comm_close(c);
}

static Sweep *log_open(const char *path)
{
    json_t *config = json_pack("{s:s}", "model", "mlp");
    Sweep *log = sweep_open(path, LANDSCAPE_COLUMNS, config);
    json_decref(config);
    return log;
}

/* Stops after a few points, as when a window is closed. */
static void stop_soon(void *context, BackgroundThread *b)
{
    Fixture *s = context;
    s->l.watch = b;
    Comm *c = comm_open("self");
    landscape_run(&s->l, c);
    comm_close(c);
}

TEST(resumes)
{
    char *path = path_in(scratch_dir(), "points.csv"), *csv[2];
    json_t *what = json_pack("{s:s}", "model", "mlp");
    for (int k = 0; k < 2; k++) {
        Fixture s = fixture_new("mlp", NY, MODEL_EVAL);
        if (k == 0) { /* in pieces */
            s.l.log = log_open(path);
            BackgroundThread *b = background_start(stop_soon, &s);
            while (background_lock(b), s.l.surface->known < 5)
                background_unlock(b);
            background_unlock(b);
            background_stop(b);
            assert_in_range(s.l.log->rows, 5, NX * NY);
            sweep_free(s.l.log);
            s.l.log = log_open(path);
            s.l.watch = NULL;
            s.l.surface = surface_new(NX, NY);
            at_end(s.l.surface, free_surface, s.l.surface);
        }
        Comm *c = comm_open("self");
        assert_true(landscape_run(&s.l, c));
        assert_int_equal(s.l.surface->known, NX * NY);
        csv[k] = path_in(scratch_dir(), "surface.csv");
        surface_write(s.l.surface, &s.l.plane, what, csv[k]);
        comm_close(c);
        if (s.l.log)
            sweep_free(s.l.log);
    }
    char *text = slurp(csv[0], NULL);
    int lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_string_equal(slurp(csv[1], NULL), text);
    assert_int_equal(lines, 2 + NX * NY); /* configuration, header, points */
    json_decref(what);
}

TEST(fills_for_display)
{
    Surface *s = surface_new(17, 1);
    double out[17];
    s->loss[0] = 1, s->loss[2] = 2, s->loss[16] = 3;
    surface_fill(out, s, s->loss);
    assert_true(out[0] == 1 && out[1] == 1 && out[2] == 2 && out[3] == 2 && isnan(out[4]) &&
                out[16] == 3);
    surface_free(s);
}

TEST(a_line_has_no_second_direction)
{
    Fixture s = fixture_new("linear", 1, MODEL_EVAL);
    Comm *c = comm_open("self");
    assert_true(landscape_run(&s.l, c));
    /* softmax and cross entropy over a linear model is convex along every line */
    for (int i = 1; i + 1 < NX; i++)
        assert_true(s.l.surface->loss[i - 1] + s.l.surface->loss[i + 1] >=
                    2 * s.l.surface->loss[i] - 1e-6);
    comm_close(c);
}
