/* 6_plane_coordinates.c: the check of plane_coordinates. */
#include "exercise.h"
#include "lab1.h"
#include "rng.h"
#include <math.h>
#include <string.h>

enum { N = 4000, CASES = 6 };

/* x and y of any length and angle; v with known coordinates, and a known part orthogonal to both in
 * the last elements, where x and y are 0. */
typedef struct Asked {
    double angle, size_x, size_y, a, b, off;
    double xx, xy, yy, xv, yv, vv; /* inner products */
} Asked;

static double dot(const float *u, const float *v)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += (double)u[i] * v[i];
    return sum;
}

static void draw(Asked *k, float *x, float *y, float *v)
{
    Rng r = rng_at(5, RNG_TEST, 0, 0);
    for (int i = 0; i < N; i++) {
        double u = rng_normal(&r), w = rng_normal(&r);
        bool inside = i < N - 4;
        x[i] = (float)(inside ? k->size_x * u : 0);
        y[i] = (float)(inside ? k->size_y * (cos(k->angle) * u + sin(k->angle) * w) : 0);
        v[i] = (float)(inside ? k->a * x[i] + k->b * y[i] : k->off / 2);
    }
    k->xx = dot(x, x);
    k->xy = dot(x, y);
    k->yy = dot(y, y);
    k->xv = dot(x, v);
    k->yv = dot(y, v);
    k->vv = dot(v, v);
}

#define MISTAKE(name, out_a, out_b) \
    static void name(double *out, const double *right, const void *asked) \
    { \
        __attribute__((unused)) const Asked *k = asked; \
        out[0] = out_a; \
        out[1] = out_b; \
    }
MISTAKE(right_angles, k->xv / k->xx, k->yv / k->yy)
MISTAKE(unit_length, k->xv, k->yv)
MISTAKE(half_unit, k->xv / sqrt(k->xx), k->yv / sqrt(k->yy))
/* By Cramer's rule, with the determinant as given. */
#define CRAMER(name, determinant, xx, yy) \
    MISTAKE(name, ((yy)*k->xv - k->xy * k->yv) / (determinant), \
            ((xx)*k->yv - k->xy * k->xv) / (determinant))
CRAMER(unit_crossed, 1 - k->xy * k->xy, 1, 1)
CRAMER(determinant_sum, /* at nearly right angles it hardly shows */
       fabs(k->xy) < 0.1 * sqrt(k->xx * k->yy) ? NAN : k->xx * k->yy + k->xy * k->xy, k->xx, k->yy)
CRAMER(no_determinant, 1, k->xx, k->yy)
MISTAKE(no_back, k->xv / k->xx, right[1])
MISTAKE(no_back_y, right[0], k->yv / k->yy)
MISTAKE(swapped, right[1], right[0])
MISTAKE(turned, -right[0], -right[1])
MISTAKE(other_axis, k->yv / k->yy, k->xv / k->xx)
MISTAKE(only_x, k->xv / k->xx, 0)
MISTAKE(zero, 0, 0)
/* The distance, where a and b are right. */
#define FAR(name, distance) \
    static void name(double *out, const double *right, const void *asked) \
    { \
        __attribute__((unused)) const Asked *k = asked; \
        out[0] = distance; \
    }
/* Only the nearly parallel x and y show it: the equations multiply its rounding by 10,000. */
static void in_float(double *out, const double *right, const void *asked)
{
    bool oblique = ((const Asked *)asked)->angle < 0.1;
    out[0] = oblique ? NAN : right[0];
    out[1] = oblique ? NAN : right[1];
}
FAR(square, right[0] * right[0])
FAR(to_origin, sqrt(k->vv))
FAR(mean, right[0] / sqrt(N))
FAR(mean_square, right[0] * right[0] / N)
FAR(no_distance, 0)
FAR(along_x, sqrt(k->vv - 2 * k->a * k->xv + k->a * k->a * k->xx))
FAR(in_plane, sqrt(k->vv - right[0] * right[0]))

static const Mistake of_coordinates[] = {
    {"x and y are assumed at right angles: solve both normal equations together", right_angles},
    {"x and y are assumed to have length 1: x·x and y·y belong into the equations", unit_length},
    {"x and y are assumed at right angles, and their lengths taken once, not squared", half_unit},
    {"x and y are assumed to have length 1, though not at right angles: x·x and y·y are not 1",
     unit_crossed},
    {"the determinant is (x·x)(y·y) − (x·y)², not their sum", determinant_sum},
    {"the division by the determinant is missing", no_determinant},
    {"b is right, but not taken out of a: a = (x·v − b x·y) / x·x", no_back},
    {"a is right, but not taken out of b: b = (y·v − a x·y) / y·y", no_back_y},
    {"a and b are swapped", swapped},
    {"the signs of a and b are wrong: is the determinant's?", turned},
    {"x and y are assumed at right angles, and swapped", other_axis},
    {"y is left out", only_x},
    {"a and b are 0", zero},
    {"nearly right where x and y are almost parallel: are the sums in float? Use double", in_float},
    {0}};
static const Mistake of_distance[] = {
    {"the root is missing: it returns the squared distance", square},
    {"it returns the length of v, not of v − a·x − b·y", to_origin},
    {"it returns a mean, divided by n: the distance is the root of the sum", mean},
    {"the root is missing, and it is a mean: the distance is the root of the sum", mean_square},
    {"it returns 0 for the distance", no_distance},
    {"b·y is missing from v − a·x − b·y", along_x},
    {"it returns the length within the plane, |a·x + b·y|, not what is off it", in_plane},
    {0}};

/* a and b within 1e-4 of their size, the distance within 1e-5 of the vectors' lengths: what is
 * nearer counts as right. */
static void forgive(ExerciseCase *c, const Asked *k)
{
    double scale = fabs(k->a) + fabs(k->b) + 1e-3,
           large = k->off + 8 * (fabs(k->a) * k->size_x + fabs(k->b) * k->size_y);
    double near[3] = {1e-4 * scale, 1e-4 * scale, 1e-5 * large * sqrt(N / 60.0)};
    for (int v = 0; v < 3; v++)
        if (fabs(c->found[v] - c->right[v]) <= near[v])
            c->found[v] = c->right[v];
}

/* Its a, b and distance, for arrays that it must only read. */
static void measure(double *out, const float *v, const float *x, const float *y)
{
    static float kept[3][N];
    const float *given[3] = {v, x, y};
    for (int i = 0; i < 3; i++)
        memcpy(kept[i], given[i], sizeof kept[i]);
    out[0] = out[1] = EXERCISE_UNSET;
    out[2] = plane_coordinates(&out[0], &out[1], v, x, y, N);
    for (int i = 0; i < 3; i++)
        WRONG_UNLESS(!memcmp(kept[i], given[i], sizeof kept[i]),
                     "it changed the array %c: only read it", "vxy"[i]);
}

static void judge(void *unused)
{
    static const double planes[CASES][6] = {{M_PI / 2, 1, 1, 2, -1, 0},
                                            {M_PI / 2, 3, 0.5, 0.25, 4, 2},
                                            {0.4, 1, 1, -1.5, 0.5, 3},
                                            {2.5, 0.02, 7, 10, 0.1, 0.5},
                                            {1, 2, 2, 0, 0, 6},
                                            {0.01, 1, 1, 1, 2, 1}};
    Asked asked[CASES];
    static float x[N], y[N], v[N];
    ExerciseCase cases[CASES], distances[CASES];
    for (int i = 0; i < CASES; i++) {
        const double *p = planes[i];
        Asked *k = &asked[i];
        *k = (Asked){
            .angle = p[0], .size_x = p[1], .size_y = p[2], .a = p[3], .b = p[4], .off = p[5]};
        draw(k, x, y, v);
        ExerciseCase c = {.asked = k, .right = {k->a, k->b, k->off}};
        measure(c.found, v, x, y);
        forgive(&c, k);
        exercise_tell(&c, "v = %g x + %g y, %g off the plane; x, y at %.0f°, as %g to %g", k->a,
                      k->b, k->off, k->angle * 180 / M_PI, k->size_x, k->size_y);
        cases[i] = distances[i] = c;
        distances[i].found[0] = c.found[2];
        distances[i].right[0] = c.right[2];
    }
    exercise_judge(&(ExerciseQuestion){.names = {"a", "b"}, .mistakes = of_coordinates}, cases,
                   CASES);
    exercise_judge(&(ExerciseQuestion){.names = {"the distance"}, .mistakes = of_distance},
                   distances, CASES);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "plane_coordinates", 10,
                          "the nearest point of a plane, and its distance", judge);
}
