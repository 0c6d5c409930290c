/* 5_filter_normalize_check.c: the check of filter_normalize. */
#include "exercise.h"
#include "lab1.h"
#include <math.h>
#include <string.h>

enum { MOST = 12, CASES = 6 };
static const struct {
    int filters, size;
    float d[MOST], w[MOST];
} asked[CASES] = {
    {1, 1, {-2}, {3}},
    {1, 2, {3, 4}, {5, -12}},
    {3, 2, {3, 4, -6e-9F, 8e-9F, 5, 12}, {-8, 6, 30, 40, 3, -4}},
    {2, 3, {1, -2, 2, 4, 4, 7}, {2, 3, 6, 0, -3, 0}},
    {4, 3, {1, 2, 2, 0, 0, 0, 3, 0, 4, 2, 1, 2}, {2, 4, 4, 6, 2, 3, 0, 0, 0, 1, 4, 8}},
    {2, 2, {3, 4, 6, 8}, {3e20F, 4e20F, 8, 15}},
};

static double length(const float *v, int n) { return n ? hypot(length(v + 1, n - 1), *v) : 0; }

static void judge(void *unused)
{
    bool wrong_length = false;
    exercise_tolerance(1e-12, 1e-5);
    for (int k = 0; k < CASES; k++) {
        int size = asked[k].size, all = asked[k].filters * size;
        float room[1 + MOST + 1], *d = room + 1, w[MOST];
        memcpy(d, asked[k].d, all * sizeof *d);
        memcpy(w, asked[k].w, sizeof w);
        d[-1] = d[all] = 7;
        filter_normalize(d, w, asked[k].filters, size);
        WRONG_UNLESS(d[-1] == 7, "it wrote before the start of d, at d[-1]");
        WRONG_UNLESS(d[all] == 7, "it wrote past the end of d, which has %d filters of %d: %d",
                     asked[k].filters, size, all);
        WRONG_UNLESS(!memcmp(w, asked[k].w, sizeof w), "it changed the weights w: scale d");
        exercise_group(asked[k].filters == 1 ? "1 filter" : NULL);
        for (int at = 0; at < all; at += size) {
            double was = length(asked[k].d + at, size), right = length(w + at, size);
            exercise_case("filter %d of %d, d_f of length %g, from %g on; w_f of length %g",
                          at / size, asked[k].filters, was, asked[k].d[at], right);
            exercise_values("d", d + at, size);
            wrong_length |= fabs(length(d + at, size) - (was ? right : 0)) > 1e-5 * right;
        }
    }
    exercise_compare();
    WRONG_UNLESS(!wrong_length, "a filter of d is not as long as the same filter of w");
}

const ExerciseCheck exercise_check = {
    __FILE__, "filter_normalize", 10,
    "each filter of d as long as the same filter of w, to 1e-5, relative", judge};
