/* 4c_exposed_seconds_check.c: the check of exposed_seconds. */
#include "check.h"
#include "exercise.h"
#include "lab2.h"
#include <math.h>

static const char *list(const double *x, int n)
{
    char *text = format_new("%g", x[0]);
    for (int i = 1; i < n; i++)
        text = format_new("%s, %g", text, x[i]);
    return text;
}

static void judge(void *unused)
{
    static const struct {
        const char *group;
        double seconds[4], bytes[4];
        int layers;
        double least;
        int P;
    } asked[] = {
        {"one layer", {5}, {3}, 1, 0, 2},
        {"one layer", {5}, {3}, 1, 1e9, 2},
        {"least = 0", {1, 1, 1}, {9, 9, 9}, 3, 0, 2},
        {"least = 0", {10, 10, 10}, {1, 1, 2}, 3, 0, 2},
        {"least = 0", {1, 9, 1}, {3, 7, 2}, 3, 0, 2},
        {"one bucket", {1, 2, 3}, {4, 5, 6}, 3, INFINITY, 2},
        {"buckets of several layers", {10, 10, 10}, {9, 2, 7}, 3, 8, 2},
        {"buckets of several layers", {10, 10, 10, 10}, {4, 4, 4, 3}, 4, 8, 2},
        {"buckets of several layers", {10, 10, 10, 10}, {4, 4, 4, 4}, 4, 8, 2},
        {"buckets of several layers", {1, 1, 1, 3}, {7, 2, 9, 1}, 4, 8, 2},
        {"P > 2", {1, 2, 3}, {4, 5, 6}, 3, 0, 3},
        {"P > 2", {1, 2, 3}, {4, 5, 6}, 3, 8, 8},
        {"P = 1", {1, 2, 3}, {4, 5, 6}, 3, 0, 1},
    };
    for (int k = 0; k < (int)(sizeof asked / sizeof *asked); k++) {
        int n = asked[k].layers;
        exercise_group(asked[k].group);
        exercise_case("%s s, %s bytes, least = %g, P = %d (latency 1 s, 1 byte/s)",
                      list(asked[k].seconds, n), list(asked[k].bytes, n), asked[k].least,
                      asked[k].P);
        exercise_value("the wait", exposed_seconds(asked[k].seconds, asked[k].bytes, n,
                                                   asked[k].least, asked[k].P, (Link){1, 1}));
    }
}

const ExerciseCheck exercise_check = {__FILE__, "exposed_seconds", 6,
                                      "seconds that an update waits for the network, to 1e-9",
                                      judge};
