/* test_evidence.c: what the grader concludes from the ranks' weights, gradients and images
 * (assessment/grader/evidence_*.c). */
#include "../../assessment/grader/inspection.h"
#include "harness.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- verdicts ---- */

static Evidence good(void)
{
    return (Evidence){.np = 2,
                      .updates = 10,
                      .begun = {10, 10},
                      .world = {2, 2},
                      .starts = true,
                      .ends = true,
                      .drawn = 10,
                      .explained = {.moves = 10,
                                    .typical = 1,
                                    .share = {0.5, 0.5},
                                    .size = {0.5, 0.5},
                                    .farthest = 1,
                                    .family = "SGD's"},
                      .used = {.trained = 640, .least = 1, .found = 1, .counting = 1}};
}

TEST(one_fault_is_enough)
{
    Evidence e = good();
    assert_true(judge_equal(&e).passed && judge_gradients(&e).passed && judge_images(&e).passed);

    e = good(), e.explained.unexplained = 0.06;
    assert_true(judge_gradients(&e).pending);
    e = good(), e.explained.farthest = 100;
    assert_true(judge_gradients(&e).pending);
    e = good(), e.explained.uneven = 1;
    assert_true(judge_gradients(&e).pending);
    e = good(), e.explained.alike = 1;
    assert_false(judge_gradients(&e).passed || judge_gradients(&e).pending);
    e = good(), e.explained.size[1] = 0.01;
    assert_false(judge_gradients(&e).passed || judge_gradients(&e).pending);
    e = good(), e.explained.share[1] = 0.1;
    assert_false(judge_gradients(&e).passed || judge_gradients(&e).pending);
    e = good(), strcpy(e.number_fault, "not a number");
    assert_false(judge_gradients(&e).passed || judge_gradients(&e).pending);
    e = good(), e.looked_at = e.recognised = 64, e.doubled = 40;
    assert_false(judge_images(&e).passed || judge_images(&e).pending);
}

/* Comparisons with NaN are false: no limit may let it pass. */
TEST(not_a_number_passes_nowhere)
{
    Evidence e = good();
    double *numbers[] = {&e.distance,         &e.explained.unexplained, &e.explained.typical,
                         &e.explained.alike,  &e.explained.size[0],     &e.explained.share[0],
                         &e.explained.uneven, &e.explained.farthest,    &e.explained.erratic};
    for (int i = 0; i < 9; i++) {
        double kept = *numbers[i];
        *numbers[i] = NAN;
        assert_false(judge_gradients(&e).passed);
        *numbers[i] = kept;
    }
    assert_true(judge_gradients(&e).passed);
}

/* ---- explanations ---- */

enum { N = 600, MOVES = 30 };
static const View layers[] = {{.at = 0, .count = 400}, {.at = 400, .count = 200}};

static uint64_t seed;
static float uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (float)(seed >> 40) / (1 << 24) - 0.5f;
}

/* Rank r's factor in update t. */
typedef float (*Factor)(int t, int r);
static float half(int t, int r) { return 0.5f; }
static float four_to_one(int t, int r) { return r ? 0.2f : 0.8f; }
static float alone(int t, int r) { return r ? 0 : 1; }
static float in_turns(int t, int r) { return t % 2 == r ? 1 : 0; }

/* What is found of a training with momentum; length: of rank 1's gradient; same: it is rank 0's;
 * late: the gradients of the update before. The weights that are scored: of all but `after` moves;
 * jump: before which move the weights are replaced, -1: never; far: the last moves' length. */
typedef struct Training {
    Factor factor;
    float length;
    bool same, late;
    int after, jump;
    float far, pull; /* pull: a part of the way to weights from elsewhere, in each update */
} Training;

static Explanation explain(Training k)
{
    float w[N], next[N], velocity[N] = {0}, g[2][N], last[N] = {0}, file[N];
    seed = 5;
    Explainer *e = explainer_new(2, N, layers, 2);
    for (int i = 0; i < N; i++)
        w[i] = uniform();
    for (int t = 0; t < MOVES; t++) {
        for (int i = 0; i < N; i++) {
            float slope = 0.3f * sinf((float)i); /* which all images have */
            g[0][i] = slope + uniform();
            g[1][i] = k.same ? g[0][i] : k.length * (slope + uniform());
            float mean = k.factor(t, 0) * g[0][i] + k.factor(t, 1) * g[1][i];
            velocity[i] = 0.9f * velocity[i] + (k.late ? last[i] : mean);
            last[i] = mean;
            next[i] = w[i] - (t >= MOVES - k.after ? k.far : 0.1f) * velocity[i];
            next[i] += k.pull * (sinf(0.7f * (float)i) - w[i]);
            if (t == k.jump)
                next[i] += 3 * uniform();
        }
        Update u = {.np = 2, .index = t, .params = N, .w = w};
        u.work[0].g = g[0], u.work[1].g = g[1];
        if (t == MOVES - k.after)
            memcpy(file, w, sizeof file);
        explainer_move(e, &u, next);
        memcpy(w, next, sizeof w);
    }
    Explanation x = explainer_end(e, k.after ? file : NULL);
    explainer_free(e);
    return x;
}

/* A training that ends with a rate so small that rounding is a large part of each move, also in a
 * layer of ten weights: coefficients fitted to the rounding must not make more of it. */
TEST(rounding_does_not_grow)
{
    enum { SMALL = 10, ALL = N + SMALL, LONG = 90, RANKS = 3 };
    static const View with_small[] = {{.at = 0, .count = N}, {.at = N, .count = SMALL}};
    double most = 0;
    for (int trial = 0; trial < 40; trial++) {
        float w[ALL], next[ALL], velocity[ALL] = {0}, g[RANKS][ALL];
        seed = (uint64_t)trial;
        Explainer *e = explainer_new(RANKS, ALL, with_small, 2);
        for (int i = 0; i < ALL; i++)
            w[i] = uniform();
        for (int t = 0; t < LONG; t++) {
            double rate = t < 40 ? 0.1 : 3e-6;
            for (int i = 0; i < ALL; i++) {
                velocity[i] *= 0.9f;
                for (int r = 0; r < RANKS; r++)
                    velocity[i] += g[r][i] = 0.1f * sinf((float)i) + uniform();
                next[i] = w[i] - (float)rate * velocity[i];
            }
            Update u = {.np = RANKS, .index = t, .params = ALL, .w = w};
            for (int r = 0; r < RANKS; r++)
                u.work[r].g = g[r];
            explainer_move(e, &u, next);
            memcpy(w, next, sizeof w);
        }
        most = fmax(most, explainer_end(e, NULL).unexplained);
        explainer_free(e);
    }
    assert_true(most < 1e-4);
}

static bool is_shared(const Explanation *x)
{
    Evidence e = good();
    e.explained = *x;
    return judge_gradients(&e).passed;
}

TEST(explains_a_mean)
{
    Explanation x = explain((Training){half, .length = 1, .jump = -1});
    assert_true(x.unexplained < 1e-4 && x.typical > 0.9999);
    assert_true(fabs(x.share[0] - 0.5) < 1e-3 && x.uneven < 1e-2 && x.alike == 0);
    assert_true(is_shared(&x));
    x = explain((Training){half, .length = 3, .jump = -1}); /* fewer images: a longer gradient */
    assert_true(fabs(x.share[0] - 0.5) < 1e-3 && is_shared(&x));
    x = explain((Training){half, .length = 1, .late = true, .jump = -1});
    assert_true(fabs(x.share[0] - 0.5) < 1e-2 && is_shared(&x));
}

TEST(tells_parts)
{
    Explanation x = explain((Training){four_to_one, .length = 1, .jump = -1});
    assert_true(fabs(x.share[1] - 0.2) < 1e-3 && !is_shared(&x));
    x = explain((Training){alone, .length = 1, .jump = -1});
    assert_true(x.share[1] < 1e-3 && !is_shared(&x));
    x = explain((Training){half, .length = 0, .jump = -1});
    assert_true(x.share[1] < 0.05 && x.size[1] == 0 && !is_shared(&x));
    x = explain((Training){half, .same = true, .jump = -1});
    assert_true(x.alike > 0.99 && !is_shared(&x));
    x = explain((Training){in_turns, .length = 1, .jump = -1});
    assert_true(fabs(x.share[0] - 0.5) < 0.1 && x.uneven > 0.9 && !is_shared(&x));
}

/* Weights from elsewhere, and a way so long after them that theirs is nothing beside it. */
TEST(far_away_hides_no_jump)
{
    Explanation x = explain((Training){half, .length = 1, .jump = 10, .after = 10, .far = 1e6f});
    assert_true(x.unexplained > 0.1 && x.farthest > 1e3 && !is_shared(&x));
    x = explain((Training){half, .length = 1, .jump = -1, .after = 10, .far = 0.1f});
    assert_true(is_shared(&x)); /* saved before the end */
}

/* Whose every step is in the moves before. */
TEST(tells_a_pull)
{
    Explanation x = explain((Training){half, .length = 1, .jump = -1, .pull = 0.03f});
    assert_true(x.typical > 0.99 && x.unexplained > 0.05 && !is_shared(&x));
}

/* ---- optimisers ---- */

/* One rank's training on a bowl, whose every gradient comes from step(); w becomes w(t+1). */
typedef void (*Step)(int t, const float *g, float *w);
static float m1[N], m2[N], slow[N];

static void lion(int t, const float *g, float *w)
{
    for (int i = 0; i < N; i++) {
        float c = 0.9f * m1[i] + 0.1f * g[i];
        w[i] -= 0.01f * (float)((c > 0) - (c < 0));
        m1[i] = 0.99f * m1[i] + 0.01f * g[i];
    }
}
static void nadam(int t, const float *g, float *w)
{
    for (int i = 0; i < N; i++) {
        m1[i] = 0.9f * m1[i] + 0.1f * g[i];
        m2[i] = 0.999f * m2[i] + 0.001f * g[i] * g[i];
        double size = sqrt(m2[i] / (1 - pow(0.999, t + 1))) + 1e-8;
        w[i] -= (float)(0.01 * (0.9 * m1[i] + 0.1 * g[i]) / size);
    }
}
static void rmsprop(int t, const float *g, float *w)
{
    for (int i = 0; i < N; i++) {
        m2[i] = 0.99f * m2[i] + 0.01f * g[i] * g[i];
        m1[i] = 0.9f * m1[i] + g[i] / (sqrtf(m2[i]) + 1e-8f);
        w[i] -= 0.001f * m1[i];
    }
}
static void centralised(int t, const float *g, float *w)
{
    for (int row = 0; row < N; row += 40) {
        float mean = 0;
        for (int i = row; i < row + 40; i++)
            mean += g[i] / 40;
        for (int i = row; i < row + 40; i++)
            w[i] -= 0.1f * (m1[i] = 0.9f * m1[i] + g[i] - mean);
    }
}
static void lookahead(int t, const float *g, float *w)
{
    if (t == 0)
        memcpy(slow, w, sizeof slow);
    for (int i = 0; i < N; i++) {
        w[i] -= 0.1f * (m1[i] = 0.9f * m1[i] + g[i]);
        if (t % 5 == 4)
            slow[i] = w[i] = 0.5f * (w[i] + slow[i]);
    }
}
static void sam(int t, const float *g, float *w)
{
    double size = 0;
    for (int i = 0; i < N; i++)
        size += g[i] * g[i];
    for (int i = 0; i < N && t % 2 == 0; i++) {
        slow[i] = w[i];
        w[i] += (float)(0.05 / sqrt(size)) * g[i];
    }
    for (int i = 0; i < N && t % 2; i++)
        w[i] = slow[i] - 0.1f * (m1[i] = 0.9f * m1[i] + g[i]);
}
static void no_optimiser(int t, const float *g, float *w)
{
    for (int i = 0; i < N; i++)
        w[i] -= 0.1f * g[i] * (sinf((float)i) > 0);
}

static Explanation explain_step(Step step)
{
    View matrices[] = {{.at = 0, .count = 400, .dims = 2, .shape = {10, 40}},
                       {.at = 400, .count = 200, .dims = 2, .shape = {5, 40}}};
    float w[N], next[N], g[N];
    seed = 7;
    Explainer *e = explainer_new(1, N, matrices, 2);
    for (int i = 0; i < N; i++)
        w[i] = uniform(), m1[i] = m2[i] = 0;
    for (int t = 0; t < 4 * MOVES; t++) {
        for (int i = 0; i < N; i++)
            g[i] = 0.3f * w[i] + 0.2f * sinf((float)i) + uniform();
        memcpy(next, w, sizeof next);
        step(t, g, next);
        Update u = {.np = 1, .index = t, .params = N, .w = w};
        u.work[0].g = g;
        explainer_move(e, &u, next);
        memcpy(w, next, sizeof w);
    }
    Explanation x = explainer_end(e, NULL);
    explainer_free(e);
    return x;
}

TEST(knows_optimisers)
{
    Step known[] = {lion, nadam, rmsprop, centralised, lookahead, sam};
    for (int k = 0; k < 6; k++) {
        Explanation x = explain_step(known[k]);
        if (x.typical < 0.999 || x.unexplained > 0.005 || x.erratic > 0.3)
            fail_msg("optimiser %d: %g explained, %g not, %g erratic", k, x.typical, x.unexplained,
                     x.erratic);
    }
    assert_true(explain_step(no_optimiser).unexplained > 0.05);
}

/* ---- the draw ---- */

/* Of 800 updates 40 lead to weights from elsewhere, with moves as long as the others; or one does,
 * which momentum carries on. Are they among those that are computed again? */
static bool is_drawn(bool carried)
{
    enum { T = 800 };
    float w[N] = {0}, next[N], first[N] = {0}, move[N] = {0};
    Sample *s = sample_new(N, 1 << 22);
    for (int t = 0; t < T; t++) {
        bool foreign = carried ? t == 300 : t % (T / 40) == 7;
        double own = 0, before = 0;
        for (int i = 0; i < N; i++) {
            float part = foreign ? (carried ? 2 : 1) * sinf((float)i)
                                 : (carried ? 0.1f : 1.5f) * uniform();
            before += 0.81 * move[i] * move[i], own += part * part;
            move[i] = (carried ? 0.9f * move[i] : 0) + part;
            next[i] = w[i] + move[i];
        }
        Update *u = calloc(1, sizeof *u);
        *u = (Update){.np = 1, .index = foreign, .params = N, .w = malloc(sizeof w)};
        memcpy(u->w, w, sizeof w);
        Made made = {.part = {[BY_OWN] = sqrt(own), [BY_MOVE] = carried ? sqrt(before) : 0}};
        sample_add(s, u, next, made);
        update_free(u);
        memcpy(w, next, sizeof w);
    }
    Update *chosen[SAMPLE_MOST];
    int needed, count = sample_choose(s, first, w, chosen, &needed), foreign = 0;
    for (int i = 0; i < count; i++)
        foreign += chosen[i]->index;
    sample_free(s);
    return foreign > 0;
}

TEST(draws_what_leads_on)
{
    int missed[2] = {0}; /* one in some thousand is (evidence_sample.c) */
    for (int trial = 0; trial < 20; trial++)
        for (int carried = 0; carried < 2; carried++)
            missed[carried] += !is_drawn(carried);
    assert_true(missed[0] <= 2 && missed[1] <= 2);
}

/* ---- updates ---- */

static Pass *pass_of(int rank, int params)
{
    Pass *p = calloc(1, sizeof *p);
    p->head = (EvidenceHead){.rank = rank, .params = params, .n = 1};
    p->w = calloc((size_t)params, sizeof *p->w);
    p->g = calloc((size_t)params, sizeof *p->g);
    return p;
}

TEST(other_networks_are_begun)
{
    char *fault = NULL;
    Lineup *l = lineup_new(2);
    assert_null(lineup_add(l, pass_of(0, 3), &fault));
    assert_null(fault);
    assert_null(lineup_add(l, pass_of(1, 4), &fault));
    assert_non_null(strstr(fault, "rank 1 trained a network of 3 parameters, and one of 4"));
    assert_int_equal(lineup_count(l, 0), 1);
    assert_int_equal(lineup_count(l, 1), 1);
    free(fault);
    lineup_free(l);
}

/* ---- images ---- */

/* Two ranks share the images in halves, or each takes all of them in a different order; a new
 * epoch, by their words, each `claimed` updates, and by_rank more on rank 1. */
static double shared_images(bool halves, int claimed, int by_rank)
{
    enum { IMAGES = 64, B = 4 };
    Usage *all = usage_new(2, &(Dataset){.train.count = IMAGES});
    for (int t = 0; t < 4 * IMAGES / B; t++) {
        Augment picks[2][B];
        Pass p[2];
        Update u = {.np = 2, .index = t};
        for (int r = 0; r < 2; r++) {
            for (int i = 0; i < B; i++)
                picks[r][i].image = halves ? (2 * B * t + r * B + i) % IMAGES
                                           : (B * t + i) * (r ? 37 : 1) % IMAGES;
            p[r] = (Pass){.head = {.rank = r, .n = B, .epoch = t / claimed + r * by_rank},
                          .picks = picks[r]};
            u.work[r].pass[0] = &p[r];
            u.work[r].passes = 1;
        }
        usage_add(all, &u);
    }
    double shared = usage_end(all).shared;
    usage_free(all);
    return shared;
}

TEST(epochs_are_no_words)
{
    assert_true(shared_images(true, 8, 0) == 0);
    assert_true(shared_images(false, 8, 0) > 0.1);
    assert_true(shared_images(false, 8, 1000) > 0.1); /* each rank counts on its own */
    assert_true(shared_images(false, 1, 0) > 0.05);   /* each update is an epoch */
}

/* A batch of one image: number `image`, moved, mirrored and brighter. */
static Pass batch_of(const Dataset *d, int image, int move, bool mirrored, float light, float *x)
{
    static int32_t label;
    label = d->train.labels[image];
    for (int row = 0; row < 32; row++)
        for (int col = 0; col < 32; col++)
            for (int c = 0; c < 3; c++) {
                int y = row + move, from = mirrored ? 31 - col : col;
                float v = y >= 0 && y < 32
                            ? d->train.pixels[((image * 32 + y) * 32 + from) * 3 + c] / 255.0f
                            : d->mean[c];
                x[(row * 32 + col) * 3 + c] = (light * v - d->mean[c]) * d->istd[c];
            }
    return (Pass){.head = {.n = 1, .h = 32, .w = 32, .c = 3}, .labels = &label, .x = x};
}

TEST(knows_images)
{
    enum { COUNT = 50 };
    static float x[32 * 32 * 3];
    Dataset d = {.mean = {0.5f, 0.5f, 0.5f}, .istd = {4, 4, 4}, .classes = 10};
    synthetic_draw(&d.train, COUNT, 3, 0);
    Pass p = batch_of(&d, 17, 3, true, 1.2f, x);
    assert_int_equal(known_image(&d, &p, 0), 17);
    assert_true(is_image(&d, 17, &p, 0));
    assert_false(is_image(&d, 18, &p, 0));
    p.labels[0] = (p.labels[0] + 1) % 10;
    assert_int_equal(known_image(&d, &p, 0), -1);
    p = batch_of(&d, 17, 0, false, 1, x);
    for (int i = 0; i < 2 * 32 * 3; i++) /* two rows, between the points that are compared first */
        x[i] = i & 1 ? 5 : -5;
    assert_int_equal(known_image(&d, &p, 0), -1);
    free(d.train.pixels), free(d.train.labels);
}
