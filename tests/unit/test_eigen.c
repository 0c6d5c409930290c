/* test_eigen.c: eigenvalues of small symmetric matrices: A v = λ v, orthonormal vectors, and
 * matrices with known eigenvalues. */
#include "check.h"
#include "eigen.h"
#include "harness.h"
#include "rng.h"
#include <math.h>

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The second difference of n points: eigenvalues 2 - 2 cos(k π / (n + 1)). */
TEST(known)
{
    for (int n = 1; n <= 40; n += 13) {
        double *a = alloc((size_t)n * n, sizeof *a), *values = alloc(n, sizeof *values);
        for (int i = 0; i < n; i++) {
            a[i * n + i] = 2;
            if (i)
                a[i * n + i - 1] = -1;
            for (int j = i + 1; j < n; j++)
                a[i * n + j] = NAN; /* the upper triangle must not be read */
        }
        eigen_symmetric(values, NULL, a, n);
        for (int k = 1; k <= n; k++)
            expect_close(values[k - 1], 2 - 2 * cos(k * M_PI / (n + 1)), 1e-13, 1e-12,
                         "an eigenvalue of the second difference");
        free(a), free(values);
    }
}

TEST(vectors)
{
    enum { N = 23 };
    double a[N * N], values[N], v[N * N];
    Rng r = rng_at(1, RNG_TEST, 0, 0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            a[i * N + j] = a[j * N + i] = rng_normal(&r);
    eigen_symmetric(values, v, a, N);
    for (int k = 0; k < N; k++) {
        double largest = 0;
        for (int i = 0; i < N; i++) {
            expect_close(dot(a + i * N, v + k * N, N), values[k] * v[k * N + i], 1e-12, 0,
                         "A v against λ v");
            expect_close(dot(v + i * N, v + k * N, N), i == k, 1e-12, 0, "orthonormal");
            largest = fabs(v[k * N + i]) > fabs(largest) ? v[k * N + i] : largest;
        }
        assert_true(largest > 0);
        assert_true(k == 0 || values[k - 1] <= values[k]);
    }
}

static void decompose_nan(void *unused)
{
    double a[4] = {1, 0, NAN, 1}, values[2];
    eigen_symmetric(values, NULL, a, 2);
}

TEST(refuses_nan)
{
    expect_death(EXIT_USAGE, decompose_nan, NULL, "eigenvalues", "(1,0)", "nan", NULL);
}
