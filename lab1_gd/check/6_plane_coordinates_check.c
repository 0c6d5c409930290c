/* 6_plane_coordinates_check.c: the check of plane_coordinates. */
#include "exercise.h"
#include "lab1.h"
#include <math.h>
#include <string.h>

/* v is a x + b y, and has the length `off` in the last two elements, where x and y are 0; in every
 * second case all elements are the other way round. */
enum { N = 5, CASES = 9 };
static const struct {
    const char *what;
    double x[N - 2], y[N - 2], a, b, off;
} asked[CASES] = {
    {"at right angles, length 1", {1, 0, 0}, {0, 1, 0}, 2, -1, 3},
    {"at right angles", {4, 0, 3}, {0, 2, 0}, 0.5, -2, 2},
    {"length 1, not at right angles", {1, 0, 0}, {0.6, 0.8, 0}, -1.5, 0.5, 3},
    {"not at right angles", {3, 1, 0}, {1, 2, 2}, 2, 3, 4},
    {"at an obtuse angle, of very different length", {0.5, 0.25, 0}, {-100, 60, 20}, 40, 0.5, 1},
    {"not at right angles, v orthogonal to both", {3, 1, 0}, {1, 2, 2}, 0, 0, 6},
    {"of large numbers, v within their plane",
     {499048, 273517, 775853},
     {939748, -773729, -993346},
     5,
     5,
     0},
    {"almost parallel, where sums in float lose all digits", {5003, 1, 0}, {5001, 2, 0}, 1, 2, 1},
    {"tiny", {3e-6, 1e-6, 0}, {1e-6, 2e-6, 2e-6}, 2, 3, 4e-6},
};

static void judge(void *unused)
{
    bool other = false; /* than v is made of */
    for (int k = 0; k < CASES; k++) {
        float x[N] = {0}, y[N] = {0}, v[N], kept[3][N];
        double size = asked[k].off, a = EXERCISE_UNSET, b = EXERCISE_UNSET;
        for (int i = 0; i < N; i++) {
            int at = k % 2 ? N - 1 - i : i;
            if (i < N - 2) {
                x[at] = (float)asked[k].x[i];
                y[at] = (float)asked[k].y[i];
            }
            double off = i == N - 1 ? -0.8 * asked[k].off : i == N - 2 ? 0.6 * asked[k].off : 0;
            v[at] = (float)(asked[k].a * x[at] + asked[k].b * y[at] + off);
            size += fabs(asked[k].a * x[at]) + fabs(asked[k].b * y[at]);
        }
        memcpy(kept[0], x, sizeof x);
        memcpy(kept[1], y, sizeof y);
        memcpy(kept[2], v, sizeof v);
        exercise_case("x and y %s; v = %g x + %g y, and %g off the plane", asked[k].what,
                      asked[k].a, asked[k].b, asked[k].off);
        double off = plane_coordinates(&a, &b, v, x, y, N);
        double near = 1e-4 * (fabs(asked[k].a) + fabs(asked[k].b)) + 1e-7;
        exercise_tolerance(near, 0);
        exercise_value("a", a);
        exercise_value("b", b);
        exercise_tolerance(1e-5 * size, 0);
        exercise_value("the distance", off);
        for (int i = 0; i < 3; i++)
            WRONG_UNLESS(!memcmp(kept[i],
                                 i == 0   ? x
                                 : i == 1 ? y
                                          : v,
                                 sizeof x),
                         "it changed the array %c: only read it", "xyv"[i]);
        other |= fabs(a - asked[k].a) > 2 * near || fabs(b - asked[k].b) > 2 * near ||
                 fabs(off - asked[k].off) > 2e-5 * size;
    }
    exercise_compare();
    WRONG_UNLESS(!other, "a, b or the distance is not what v is made of");
}

const ExerciseCheck exercise_check = {__FILE__, "plane_coordinates", 10,
                                      "the nearest point of a plane, and its distance", judge};
