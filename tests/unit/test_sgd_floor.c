/* test_sgd_floor.c: lab 1's theory of the noise floor (parts/1_linear/sgd_floor.h) against its
 * limits for small rates, and against every possible draw from four points. Measurements against
 * it: e2e/lab1_programs.sh.
 */
#include "harness.h"
#include "parts/1_linear/sgd_floor.h"
#include <math.h>
#include <string.h>

static double hessian_c(const SgdNoise *s) /* tr(H C) */
{
    return 2 * s->all.a * s->c[0] + 2 * 2 * s->all.c * s->c[1] + 2 * s->c[2];
}

static double skew(const SgdNoise *s) /* kᵀH⁻¹k, k = mean 4 r x² (x, 1) */
{
    double k[2] = {4 * s->skew[3], 4 * s->skew[2]}, h[3] = {2 * s->all.a, 2 * s->all.c, 2};
    return (h[2] * k[0] * k[0] - 2 * h[1] * k[0] * k[1] + h[0] * k[1] * k[1]) /
           (h[0] * h[2] - h[1] * h[1]);
}

TEST(limits)
{
    enum { N = 60 };
    Points p = points_new(N, 1.5, 0.5, 1, 5);
    SgdNoise s = sgd_noise_of(&p);
    double rate = 1e-7; /* the next order in the rate is about rate × 10 relative */
    for (int b = 1; b <= N; b *= 2) {
        double small = sgd_floor_small(&s, rate, b);
        expect_close(sgd_floor(&s, SGD_WITH, rate, b), small, 0, 1e-4, "with replacement");
        expect_close(sgd_floor(&s, SGD_WITHOUT, rate, b), small * (N - b) / (N - 1), 0, 1e-4,
                     "without");
    }
    static const int whole[] = {1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30};
    /* the next order is about rate × 10 × N/B, relative */
    for (int i = 0; i < 11; i++) {
        double n = N / whole[i], bridge = hessian_c(&s) * (n * n - 1) / (12 * (N - 1));
        double offset = skew(&s) * (n - 1) * (n - 1) / (8 * (N - 1) * (N - 1));
        expect_close(sgd_floor(&s, SGD_SHUFFLED, rate, whole[i]), rate * rate * (bridge + offset),
                     0, 1e-4, "shuffled");
    }
    Points quiet = points_new(N, 1.5, 0.5, 0, 5); /* all on the line: no floor, and the same
                                                   * limit */
    SgdNoise none = sgd_noise_of(&quiet);
    double most = sgd_rate_limit(&s, SGD_WITH, 1);
    expect_close(sgd_rate_limit(&none, SGD_WITH, 1), most, 0, 1e-9,
                 "the limit does not depend on the noise");
    assert_true(sgd_floor(&none, SGD_WITH, 0.9 * most, 1) == 0 &&
                sgd_floor(&none, SGD_SHUFFLED, 0.01, 1) == 0);
    points_free(&quiet);
    for (int how = 0; how < SGD_SAMPLINGS; how++)
        assert_true(how == SGD_WITH || sgd_floor(&s, how, 0.1, N) == 0);
    points_free(&p);
}

/* ---- all draws from four points: each gives one update δ <- A δ - η g ---- */
enum { FOUR = 4 };

typedef struct Affine {
    double a[2][2], g[2];
} Affine;
typedef struct Moments {
    double mean[2], s[2][2];
} Moments; /* E δ, E δδᵀ */

static Affine update_on(const Points *p, double w, double b, double rate, int size,
                        const int *examples)
{
    Affine u = {{{1, 0}, {0, 1}}, {0, 0}};
    for (int i = 0; i < size; i++) {
        double x[2] = {p->x[examples[i]], 1}, error = w * x[0] + b - p->y[examples[i]];
        for (int j = 0; j < 2; j++) {
            u.g[j] -= rate * 2 * error * x[j] / size;
            for (int k = 0; k < 2; k++)
                u.a[j][k] -= rate * 2 * x[j] * x[k] / size;
        }
    }
    return u;
}

static Moments moved(const Affine *u, Moments m)
{
    Moments out = {0};
    for (int j = 0; j < 2; j++) {
        out.mean[j] = u->a[j][0] * m.mean[0] + u->a[j][1] * m.mean[1] + u->g[j];
        for (int k = 0; k < 2; k++) {
            out.s[j][k] = u->g[j] * u->g[k];
            for (int c = 0; c < 2; c++) {
                out.s[j][k] += u->a[j][c] * m.mean[c] * u->g[k] + u->g[j] * u->a[k][c] * m.mean[c];
                for (int d = 0; d < 2; d++)
                    out.s[j][k] += u->a[j][c] * m.s[c][d] * u->a[k][d];
            }
        }
    }
    return out;
}

static double excess(const SgdNoise *s, const Moments *m)
{
    return s->all.a * m->s[0][0] + 2 * s->all.c * m->s[0][1] + m->s[1][1];
}

static void average(Moments *sum, const Moments *m, int count)
{
    for (int j = 0; j < 2; j++) {
        sum->mean[j] += m->mean[j] / count;
        for (int k = 0; k < 2; k++)
            sum->s[j][k] += m->s[j][k] / count;
    }
}

/* The mean excess over the last of `epochs` epochs of `length` updates, when all `count` sequences
 * of examples (rows of FOUR, of which length × size are used) are equally likely. */
static double enumerate(const Points *p, const SgdNoise *s, double rate, int size, int length,
                        int count, int (*rows)[FOUR], int epochs)
{
    Moments now = {0};
    double w, b, mean = 0;
    parabola_minimum(&s->all, &w, &b);
    for (int e = 0; e < epochs; e++) {
        Moments next = {0};
        mean = 0;
        for (int r = 0; r < count; r++) {
            Moments m = now;
            for (int k = 0; k < length; k++) {
                Affine u = update_on(p, w, b, rate, size, rows[r] + k * size);
                m = moved(&u, m);
                mean += excess(s, &m) / (count * length);
            }
            average(&next, &m, count);
        }
        now = next;
    }
    return mean;
}

/* 16 draws of two with replacement, 12 without: the theory is exact. */
TEST(every_draw)
{
    Points p = points_new(FOUR, 1.5, 0.5, 1, 8);
    SgdNoise s = sgd_noise_of(&p);
    int with[16][FOUR], without[12][FOUR], count = 0, others = 0;
    for (int i = 0; i < FOUR; i++)
        for (int j = 0; j < FOUR; j++) {
            memcpy(with[count++], (int[FOUR]){i, j}, sizeof with[0]);
            if (i != j)
                memcpy(without[others++], (int[FOUR]){i, j}, sizeof with[0]);
        }
    static const double rates[] = {0.02, 0.1, 0.2};
    for (int i = 0; i < 3; i++) {
        expect_close(sgd_floor(&s, SGD_WITH, rates[i], 2),
                     enumerate(&p, &s, rates[i], 2, 1, 16, with, 20000), 0, 1e-9,
                     "with replacement");
        expect_close(sgd_floor(&s, SGD_WITHOUT, rates[i], 2),
                     enumerate(&p, &s, rates[i], 2, 1, 12, without, 20000), 0, 1e-9, "without");
    }
    double limit = sgd_rate_limit(&s, SGD_WITH, 2), low, high;
    parabola_curvature(&s.all, &low, &high);
    assert_true(limit < 2 / high);
    assert_true(isfinite(enumerate(&p, &s, 0.98 * limit, 2, 1, 16, with, 200000)) &&
                isnan(sgd_floor(&s, SGD_WITH, 1.02 * limit, 2)));
    /* or NaN by now */
    assert_false(enumerate(&p, &s, 1.02 * limit, 2, 1, 16, with, 20000) < 1e6);
    expect_close(sgd_rate_limit(&s, SGD_WITHOUT, FOUR), 2 / high, 0, 1e-9,
                 "all: the limit of descent");
    points_free(&p);
}

/* All 24 orders of an epoch. The theory leaves out the memory of the multiplicative noise: its
 * relative error is proportional to the rate, here at most about 5.5 times the rate. */
TEST(every_order)
{
    int orders[24][FOUR], count = 0;
    for (int code = 0; code < 256; code++) {
        int o[FOUR] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6};
        if ((1 << o[0] | 1 << o[1] | 1 << o[2] | 1 << o[3]) == 15)
            memcpy(orders[count++], o, sizeof o);
    }
    assert_int_equal(count, 24);
    for (int seed = 1; seed <= 3; seed++) {
        Points p = points_new(FOUR, 1.5, 0.5, 1, seed);
        SgdNoise s = sgd_noise_of(&p);
        for (int i = 0; i < 2; i++) {
            double rate = i ? 0.01 : 0.003;
            double exact = enumerate(&p, &s, rate, 1, FOUR, 24, orders, 8000);
            expect_close(sgd_floor(&s, SGD_SHUFFLED, rate, 1), exact, 0, 10 * rate, "shuffled");
        }
        points_free(&p);
    }
}

/* The valley's direction is the eigenvector of the smaller eigenvalue. */
TEST(valley)
{
    for (int seed = 0; seed < 20; seed++) {
        Points p = points_new(3 + seed, 1, 0, 1, seed);
        Parabola l = parabola_of(&p, 0, p.n);
        double low, high, u, v;
        parabola_curvature(&l, &low, &high);
        parabola_valley(&l, &u, &v);
        expect_close(hypot(u, v), 1, 0, 1e-12, "unit length");
        expect_close(2 * l.a * u + 2 * l.c * v, low * u, 1e-9, 0, "H u = λ u, along w");
        expect_close(2 * l.c * u + 2 * v, low * v, 1e-9, 0, "H u = λ u, along b");
        assert_true(u >= 0);
        points_free(&p);
    }
}
