/* test_pca.c: principal directions of snapshots: against an explicit D x D covariance, and
 * degenerate cases. */
#include "check.h"
#include "eigen.h"
#include "harness.h"
#include "pca.h"
#include "rng.h"
#include <math.h>

enum { N = 9, D = 20 };

typedef struct Shots {
    float data[N][D];
    const float *row[N];
} Shots;

/* A path through D dimensions whose spread differs from direction to direction. */
static void draw(Shots *s, uint32_t seed)
{
    Rng r = rng_at(seed, RNG_TEST, 0, 0);
    for (int j = 0; j < D; j++)
        s->data[0][j] = rng_normal(&r);
    for (int i = 1; i < N; i++)
        for (int j = 0; j < D; j++)
            s->data[i][j] = s->data[i - 1][j] + rng_normal(&r) / (1 + j);
    for (int i = 0; i < N; i++)
        s->row[i] = s->data[i];
}

/* values [D], vectors [D,D] of the covariance, computed directly. Returns the sum of the values. */
static double covariance(const Shots *s, double *values, double *vectors)
{
    double cov[D * D] = {0}, mean[D] = {0}, trace = 0;
    for (int j = 0; j < D; j++)
        for (int i = 0; i < N; i++)
            mean[j] += s->data[i][j] / (double)N;
    for (int j = 0; j < D; j++)
        for (int l = 0; l < D; l++)
            for (int i = 0; i < N; i++)
                cov[j * D + l] += (s->data[i][j] - mean[j]) * (s->data[i][l] - mean[l]);
    for (int j = 0; j < D; j++)
        trace += cov[j * D + j];
    eigen_symmetric(values, vectors, cov, D);
    return trace;
}

static double dot(const float *a, const float *b)
{
    double sum = 0;
    for (int j = 0; j < D; j++)
        sum += (double)a[j] * b[j];
    return sum;
}

TEST(agrees_with_the_covariance)
{
    Shots s;
    double values[D], vectors[D * D];
    draw(&s, 1);
    double trace = covariance(&s, values, vectors);
    Pca *p = pca_new(s.row, N, D, 3);
    assert_int_equal(p->k, 3);
    for (int c = 0; c < 3; c++) {
        const float *direction = p->directions + c * D;
        double product = 0;
        for (int j = 0; j < D; j++)
            product += direction[j] * vectors[(D - 1 - c) * D + j];
        expect_close(fabs(product), 1, 1e-6, 0, "a direction against the covariance's eigenvector");
        expect_close(p->explained[c], values[D - 1 - c] / trace, 1e-9, 1e-9, "explained variance");
        for (int e = 0; e <= c; e++)
            expect_close(dot(direction, p->directions + e * D), e == c, 1e-6, 0, "orthonormal");
    }
    pca_free(p);
}

/* Coordinates are projections of each snapshot minus the last; off is the length of the remainder;
 * the farthest is positive. */
TEST(coordinates)
{
    Shots s;
    draw(&s, 2);
    Pca *p = pca_new(s.row, N, D, 2);
    for (int i = 0; i < N; i++) {
        float beyond[D];
        double rest = 0;
        for (int j = 0; j < D; j++)
            beyond[j] = s.data[i][j] - s.data[N - 1][j];
        for (int c = 0; c < 2; c++)
            expect_close(p->coordinates[i * 2 + c], dot(beyond, p->directions + c * D), 1e-5, 1e-5,
                         "a coordinate");
        for (int j = 0; j < D; j++)
            rest += pow(beyond[j] - p->coordinates[i * 2] * p->directions[j] -
                            p->coordinates[i * 2 + 1] * p->directions[D + j],
                        2);
        expect_close(p->off[i], sqrt(rest), 1e-5, 1e-5, "the distance from the plane");
    }
    for (int c = 0; c < 2; c++) {
        double farthest = 0;
        for (int i = 0; i < N; i++)
            farthest = fabs(p->coordinates[i * 2 + c]) > fabs(farthest) ? p->coordinates[i * 2 + c]
                                                                        : farthest;
        assert_true(farthest > 0);
    }
    pca_free(p);
}

/* Vectors longer than a slice, and no multiple of it: a circle in a known plane is found again. */
TEST(large)
{
    enum { SHOTS = 12, LONG = 10007 };
    float *data = alloc((size_t)SHOTS * LONG, sizeof *data);
    const float *row[SHOTS];
    for (int i = 0; i < SHOTS; i++) {
        row[i] = data + (size_t)i * LONG;
        for (int j = 0; j < LONG; j++)
            data[(size_t)i * LONG + j] = (float)(0.25 + (j == 17) * 2 * cos(i * M_PI / 6) +
                                                 (j == 9999) * sin(i * M_PI / 6));
    }
    Pca *p = pca_new(row, SHOTS, LONG, 2);
    expect_close(fabs(p->directions[17]), 1, 1e-6, 0, "the wide axis");
    expect_close(fabs(p->directions[LONG + 9999]), 1, 1e-6, 0, "the narrow axis");
    expect_close(p->explained[0], 0.8, 1e-6, 0, "variance along the wide axis");
    for (int i = 0; i < SHOTS; i++)
        expect_close(p->off[i], 0, 1e-4, 0, "a circle lies in its plane");
    pca_free(p);
    free(data);
}

/* Two snapshots, or any number of them on a line, span one direction. */
TEST(lines)
{
    float a[3] = {1, 2, 3}, b[3] = {1, 5, 7}, c[3] = {1, 8, 11};
    const float *const two[] = {a, b}, *const three[] = {a, b, c};
    Pca *p = pca_new(two, 2, 3, 2);
    assert_int_equal(p->k, 1);
    expect_close(p->explained[0], 1, 1e-12, 0, "all of it");
    expect_close(p->coordinates[0], 5, 1e-6, 0, "the first's distance from the last");
    expect_close(p->directions[1], -0.6, 1e-6, 0, "towards the first");
    pca_free(p);
    p = pca_new(three, 3, 3, 2);
    assert_int_equal(p->k, 1);
    pca_free(p);
}

static void find_in_equal(void *value)
{
    float a[2] = {1, 2}, b[2] = {1, *(float *)value};
    pca_free(pca_new((const float *const[]){a, b}, 2, 2, 1));
}

TEST(refuses)
{
    float equal = 2, nan = NAN;
    expect_death(EXIT_USAGE, find_in_equal, &equal, "2 snapshots are equal", NULL);
    expect_death(EXIT_USAGE, find_in_equal, &nan, "not finite", NULL);
}
