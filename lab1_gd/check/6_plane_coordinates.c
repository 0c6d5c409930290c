/* 6_plane_coordinates.c: the check of plane_coordinates. */
#include "exercise.h"
#include "lab1.h"
#include "rng.h"
#include <math.h>
#include <stddef.h>

enum { N = 60 };

/* x and y of any length and angle; v with known coordinates, and a known part orthogonal to both in
 * the last elements, where x and y are 0. */
static void check_plane(double angle, double size_x, double size_y, double a, double b, double off)
{
    float x[N], y[N], v[N];
    Rng r = rng_at(5, RNG_TEST, 0, 0);
    for (int i = 0; i < N; i++) {
        double u = rng_normal(&r), w = rng_normal(&r);
        bool inside = i < N - 4;
        x[i] = (float)(inside ? size_x * u : 0);
        y[i] = (float)(inside ? size_y * (cos(angle) * u + sin(angle) * w) : 0);
        v[i] = (float)(inside ? a * x[i] + b * y[i] : off / 2);
    }
    double found_a = NAN, found_b = NAN, found = plane_coordinates(&found_a, &found_b, v, x, y, N);
    double scale = fabs(a) + fabs(b) + 1e-3,
           large = off + 8 * (fabs(a) * size_x + fabs(b) * size_y);
    const char *plane = angle == M_PI / 2 ? "about orthogonal" : "oblique";
    WRONG_UNLESS(fabs(found_a - a) <= 1e-4 * scale && fabs(found_b - b) <= 1e-4 * scale,
                 "v = %g x + %g y + an orthogonal part: found (%.6g, %.6g); x and y are %s, their "
                 "lengths are as %g to %g",
                 a, b, found_a, found_b, plane, size_x, size_y);
    WRONG_UNLESS(fabs(found - off) <= 1e-5 * large,
                 "v = %g x + %g y, and %g off the plane: found a distance of %.6g", a, b, off,
                 found);
}

static void judge(void *unused)
{
    check_plane(M_PI / 2, 1, 1, 2, -1, 0);
    check_plane(M_PI / 2, 3, 0.5, 0.25, 4, 2);
    check_plane(0.4, 1, 1, -1.5, 0.5, 3);
    check_plane(2.5, 0.02, 7, 10, 0.1, 0.5);
    check_plane(1, 2, 2, 0, 0, 6);
}

int main(int argc, char **argv)
{
    return exercise_check(
        argc, argv, "plane_coordinates", 10,
        "the nearest point of a plane and the distance, for x and y of any length and angle",
        judge);
}
