/* test_speedrun.c: lab 3's part 9: the recipe's numbers are airbench94_muon's; test images seen
 * several times, against views made by hand; a training's clock, curve and seed.
 */
#include "check.h"
#include "net.h"
#include "parts/9_speedrun/runner.h"
#include "timer.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- the recipe ---- */

static Recipe full_recipe(void)
{
    Recipe r = recipe_default();
    r.images = 50000;
    r.batch = 2000;
    r.epochs = 8;
    return r;
}

/* airbench94_muon: 200 updates; 0.053 and 0.67 for a loss summed over 2000 images, 0.24 for Muon;
 * in a line to 0, the whitening bias's within 3 of the 8 epochs. */
BACKEND_TEST(rates)
{
    Recipe r = full_recipe();
    double rate[RECIPE_GROUPS];
    assert_int_equal(recipe_updates(&r), 200);
    recipe_rates(rate, &r, 0);
    const double first[RECIPE_GROUPS] = {0, 0.24, 106, 106, 1340};
    for (int k = 0; k < RECIPE_GROUPS; k++)
        expect_close(rate[k], first[k], 1e-9, 1e-9, "the first update's rate");
    recipe_rates(rate, &r, 50);
    const double later[RECIPE_GROUPS] = {0, 0.18, 106. / 3, 79.5, 1005};
    for (int k = 0; k < RECIPE_GROUPS; k++)
        expect_close(rate[k], later[k], 1e-9, 1e-9, "update 50's rate");
    recipe_rates(rate, &r, 75);
    assert_true(rate[2] == 0 && rate[3] > 0);

    r.with[WITH_MUON] = r.with[WITH_FAST_BIASES] = false;
    recipe_rates(rate, &r, 0);
    expect_close(rate[1], 2000 * r.sgd_rate, 1e-9, 1e-9, "filters without Muon");
    expect_close(rate[3], 2000 * r.sgd_rate, 1e-9, 1e-9, "biases that are not fast");
}

/* One update without a gradient from weights of 1: what SGD moves loses 2e-6 * 2000 of itself,
 * for any rate (and Nesterov's momentum of that once more); Muon's matrices get their length;
 * the first filters stay. */
static void decay_case(Device *d, bool muon, bool fast)
{
    Net n = net_new(d->be, &(ModelSpec){.name = "airbench-4", .h = 25, .w = 25, .c = 1, 5}, 2, 2,
                    1);
    Recipe r = full_recipe();
    double rate[RECIPE_GROUPS];
    r.with[WITH_MUON] = muon;
    r.with[WITH_FAST_BIASES] = fast;
    float *ones = keep(alloc((size_t)n.m->params.n, sizeof *ones));
    for (int i = 0; i < n.m->params.n; i++)
        ones[i] = 1;
    store(&n, n.m->params, ones);
    model_zero_grads(n.m);
    Groups *g = recipe_groups(&r, n.m);
    recipe_rates(rate, &r, 0);
    groups_step(n.m, g, rate);
    float *w = fetch(&n, n.m->params);
    for (int i = 0; i < n.m->nviews; i++) {
        const View *v = &n.m->views[i];
        bool fixed = !strcmp(v->name, "whiten.weight"), filters = v->dims > 2 && !fixed;
        double expected = fixed           ? 1
                        : filters && muon ? sqrt((double)v->shape[0] / v->count)
                                          : 1 - (1 + r.momentum) * 2e-6 * 2000;
        for (int k = 0; k < v->count; k++)
            expect_close(w[v->at + (size_t)k], expected, 1e-5, 0, v->name);
    }
    groups_free(n.m, g);
}

DEVICE_TEST(decay)
{
    decay_case(d, true, true);
    decay_case(d, false, true);
    decay_case(d, true, false);
}

/* ---- views ---- */

enum { COUNT = 60, H = 9, W = 7, C = 2, K = 5 };
static const float mean[4] = {0.4f, 0.5f}, istd[4] = {4, 3};

static int inside(int x, int size) { return x < 0 ? -x : x >= size ? 2 * (size - 1) - x : x; }

/* logits [COUNT,K] of all images moved by `by` pixels in both directions, then mirrored. */
static double *logits_of(Device *d, Net *n, const Images *all, int by, bool mirrored)
{
    double *x = zeros(COUNT * H * W * C), *to = x;
    for (int i = 0; i < COUNT; i++)
        for (int h = 0; h < H; h++)
            for (int w = 0; w < W; w++)
                for (int c = 0; c < C; c++) {
                    int from = inside((mirrored ? W - 1 - w : w) + by, W);
                    int at = ((i * H + inside(h + by, H)) * W + from) * C + c;
                    *to++ = (all->pixels[at] / 255.0 - mean[c]) * istd[c];
                }
    Tensor images = put(d, x, (Shape){COUNT, H, W, C}, model_halo(n->m));
    model_forward(n->m, images, MODEL_EVAL);
    n->op->stream_sync(n->m->s);
    double *z = get(d, n->m->logits);
    return z;
}

static int best_of(const double *z)
{
    int best = 0;
    for (int k = 1; k < K; k++)
        best = z[k] > z[best] ? k : best;
    return best;
}

/* The largest probability. */
static double certainty(const double *z)
{
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum += exp(z[k] - z[best_of(z)]);
    return 1 / sum;
}

/* Each image's class as airbench decides it, for the `unsure` share of them. */
static void decide(uint8_t *class, double *const z[6], int level, double unsure)
{
    for (int i = 0; i < COUNT; i++) {
        int surer = 0;
        double sum[K];
        for (int j = 0; j < COUNT; j++)
            surer += certainty(z[0] + i * K) > certainty(z[0] + j * K);
        bool again = level > 0 && surer < lround(unsure * COUNT);
        for (int k = 0; k < K; k++) {
            int at = i * K + k;
            double mirror = (z[0][at] + z[1][at]) / 2,
                   moved = ((z[2][at] + z[3][at]) / 2 + (z[4][at] + z[5][at]) / 2) / 2;
            sum[k] = !again ? z[0][at] : level == 1 ? mirror : (mirror + moved) / 2;
        }
        class[i] = (uint8_t)best_of(sum);
    }
}

DEVICE_TEST(views)
{
    Images all = images_noise(COUNT, H, W, C, K, 1);
    ModelSpec spec = {.name = "linear", .h = H, .w = W, .c = C, .classes = K};
    Net whole = net_new(d->be, &spec, COUNT, COUNT, 1), small = net_new(d->be, &spec, 16, 16, 1);
    double *z[6];
    for (int i = 0; i < 6; i++)
        z[i] = logits_of(d, &whole, &all, i < 2 ? 0 : i < 4 ? -1 : 1, i % 2);
    for (int level = 0; level <= 2; level++)
        for (int quarters = 1; quarters <= 4; quarters += 3) {
            decide(all.labels, z, level, quarters / 4.0);
            Views *v = views_new(small.m, &all, COUNT, mean, istd);
            assert_true(views_accuracy(v, small.m, level, quarters / 4.0) == 1);
            assert_true(level == 0 || views_accuracy(v, small.m, 0, 0) < 1);
            assert_true(level == 0 || views_accuracy(v, small.m, level, 0.1) < 1);
            views_free(v);
        }
}

/* ---- a training ---- */

typedef struct Asked {
    int times, stop_at; /* 0: never */
    useconds_t sleep;
    int points;     /* of the curve, when last asked */
    double seconds; /* spent here */
} Asked;

static bool ask(void *context, const Outcome *so_far)
{
    Asked *a = context;
    double began = timer_now();
    usleep(a->sleep);
    a->points = so_far->points;
    a->seconds += timer_now() - began;
    return ++a->times != a->stop_at;
}

enum { TRAIN = 64, TEST = 20 };

typedef struct Small {
    Device *d;
    Dataset data;
    Lab lab;
    Recipe recipe;
    Plain plain;
} Small;

static void small_open(Small *s)
{
    *s = (Small){.d = device_open(), .recipe = recipe_default()};
    s->data = (Dataset){.classes = 10,
                        .train = images_noise(TRAIN, 28, 28, 1, 10, 1),
                        .test = images_noise(TEST, 28, 28, 1, 10, 2),
                        .mean = {0.5f},
                        .istd = {4}};
    s->lab = (Lab){.be = s->d->be, .data = &s->data};
    snprintf(s->recipe.model, sizeof s->recipe.model, "airbench-4");
    s->recipe.images = TRAIN;
    s->recipe.test = TEST;
    s->recipe.batch = TRAIN / 4;
    s->recipe.epochs = 2;
    s->plain = (Plain){.model = "linear", TRAIN, TEST, TRAIN / 8, .rate = 0.01, .momentum = 0.9};
}

BACKEND_TEST(trains)
{
    Small s;
    small_open(&s);
    Runner *r = runner_new(&s.lab, &s.recipe, &s.plain, false);
    Outcome first, again;
    Asked a = {0}, b = {0};
    assert_true(runner_run(r, &first, 1, 0, (GoesOn){ask, &a}));
    assert_true(runner_run(r, &again, 1, 0, (GoesOn){ask, &b}));
    assert_true(first.updates == 8 && first.points == 2 && first.finite && a.times == 8);
    assert_int_equal(a.points, 1); /* the first epoch's, and not yet the last */
    assert_true(first.curve[0] == again.curve[0] && first.accuracy == again.accuracy);
    assert_true(first.seconds[0] < first.total && first.seconds[1] == first.total);
    Asked stopping = {.stop_at = 3};
    assert_false(runner_run(r, &first, 1, 0, (GoesOn){ask, &stopping}));
    assert_int_equal(stopping.times, 3);
    runner_free(r);
}

/* While somebody reads the figure, the clock stands: it cannot show more than what passed outside
 * the pauses. */
BACKEND_TEST(pauses)
{
    Small s;
    small_open(&s);
    Runner *r = runner_new(&s.lab, &s.recipe, &s.plain, false);
    Outcome brisk, paused;
    Asked never = {0}, often = {.sleep = 100000};
    runner_run(r, &brisk, 1, 0, (GoesOn){ask, &never});
    double began = timer_now();
    runner_run(r, &paused, 1, 0, (GoesOn){ask, &often});
    double outside = timer_now() - began - often.seconds;
    if (!(paused.total <= outside))
        fail_msg("%g s, of %g s outside the pauses, of %g s", paused.total, outside, often.seconds);
    assert_true(paused.total > 0 && paused.accuracy == brisk.accuracy);
    runner_free(r);
}

/* A plain training ends when its time does; on the thread's own clock, too. */
BACKEND_TEST(plain_ends_in_time)
{
    Small s;
    small_open(&s);
    bool own_clock = !strcmp(s.d->op->name, "cpu");
    Runner *r = runner_new(&s.lab, NULL, &s.plain, own_clock);
    Outcome o;
    Asked a = {.sleep = 1000};
    runner_warm_up(r);
    assert_true(runner_run(r, &o, 1, 0.3, (GoesOn){ask, &a}));
    if (!(o.total > 0.15 && (!own_clock || o.total < 0.6)))
        fail_msg("%g s, expected about 0.3", o.total);
    assert_true(o.updates > (own_clock ? 8 : 0) && o.points > 0 && o.accuracy == o.once);
    runner_free(r);
}
