/* test_roughness.c: surfaces of known roughness: bowls, a saddle, a sum of cosines, and gaps. */
#include "harness.h"
#include "roughness.h"
#include <math.h>

enum { N = 41 };

/* z [N,N] over [-1, 1]². */
static void fill(double *z, double (*f)(double x, double y))
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            z[j * N + i] = f(2.0 * i / (N - 1) - 1, 2.0 * j / (N - 1) - 1);
}

static Roughness of(double (*f)(double x, double y))
{
    double z[N * N];
    fill(z, f);
    return roughness(z, N, N, 2.0 / (N - 1), 2.0 / (N - 1));
}

static double bowl(double x, double y) { return 3 + x * x + 5 * y * y; }
static double oblique(double x, double y)
{
    return 1e4 + 50 * (x + y) * (x + y) + (x - y) * (x - y);
}
static double plane(double x, double y) { return 2 + x - 0.3 * y; }
static double saddle(double x, double y) { return 1 + x * x - 0.5 * y * y; }
static double valley(double x, double y) { return 1 + x * x - 0.05 * y * y; }
static double waves(double x, double y) { return 5 + cos(3 * M_PI * x) + cos(2 * M_PI * y); }

TEST(bowls_are_smooth)
{
    double (*const smooth[])(double, double) = {bowl, oblique, plane};
    for (int i = 0; i < 3; i++) {
        Roughness r = of(smooth[i]);
        assert_int_equal(r.points, (N - 2) * (N - 2));
        assert_true(r.negative == 0 && r.ratio == 0);
        assert_int_equal(r.minima, i < 2);
    }
}

TEST(saddles)
{
    Roughness r = of(saddle);
    assert_true(r.negative == 1 && r.minima == 0);
    expect_close(r.ratio, 0.5, 1e-6, 0, "|λmin/λmax|");
    r = of(valley); /* curves down a twentieth as much as up: not clearly */
    assert_true(r.negative == 0);
    expect_close(r.ratio, 0.05, 1e-6, 0, "|λmin/λmax|");
}

/* The second difference of cos(kx) is -cos(kx) (2 - 2 cos(kh)) / h²: the formula gives the
 * count. */
TEST(cosines)
{
    double h = 2.0 / (N - 1), kx = (2 - 2 * cos(3 * M_PI * h)) / (h * h),
           ky = (2 - 2 * cos(2 * M_PI * h)) / (h * h), ratio = 0;
    int negative = 0;
    for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < N - 1; i++) {
            double a = -kx * cos(3 * M_PI * (i * h - 1)), b = -ky * cos(2 * M_PI * (j * h - 1)),
                   low = fmin(a, b), high = fmax(a, b);
            double down = low < -1e-6 ? -low / fmax(-low, fabs(high)) : 0;
            negative += down > 0.1;
            ratio += down;
        }
    Roughness r = of(waves);
    expect_close(r.negative, negative / (double)((N - 2) * (N - 2)), 2e-3, 0,
                 "fraction of negative curvature");
    expect_close(r.ratio, ratio / ((N - 2) * (N - 2)), 1e-3, 0, "mean ratio");
    assert_true(r.negative > 0.6 && r.negative < 0.8);
    assert_int_equal(r.minima, 4); /* x = ±1/3 (±1 is the edge), y = ±1/2 */
}

TEST(scale_does_not_matter)
{
    double z[N * N];
    fill(z, waves);
    Roughness a = roughness(z, N, N, 0.05, 0.05);
    for (int i = 0; i < N * N; i++)
        z[i] *= 1e-4;
    Roughness b = roughness(z, N, N, 0.7, 0.7);
    assert_int_equal(a.minima, b.minima);
    expect_close(a.negative, b.negative, 1e-12, 0, "share");
    expect_close(a.ratio, b.ratio, 1e-9, 0, "ratio");
}

TEST(gaps)
{
    double z[N * N], h = 2.0 / (N - 1);
    fill(z, saddle);
    z[10 * N + 10] = NAN;
    z[30 * N + 20] = INFINITY;
    Roughness r = roughness(z, N, N, h, h);
    assert_int_equal(r.points, (N - 2) * (N - 2) - 18);
    assert_true(r.negative == 1);
    assert_int_equal(roughness(z, 2, 2, h, h).points, 0);
    assert_true(roughness(z, 2, 2, h, h).negative == 0);
}
