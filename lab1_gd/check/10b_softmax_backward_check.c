/* 10b_softmax_backward_check.c: the check of softmax_backward. */
#include "arrays.h"
#include "lab1.h"

static void one(int n, float spread, const char *what)
{
    Array p = array_given(n, 1, spread), dp = array_given(n, 2, 3), ds = array_blank(n);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += exp((double)p.at[i]);
    for (int i = 0; i < n; i++)
        p.at[i] = (float)(exp((double)p.at[i]) / sum);
    const Array before[2] = {p, dp};
    exercise_group(n == 1 ? "n = 1" : NULL);
    exercise_case("n = %d, %s", n, what);
    softmax_backward(ds.at, p.at, dp.at, n);
    array_unchanged(&p, &before[0], "p");
    array_unchanged(&dp, &before[1], "dp");
    array_written(&ds, "ds");
}

static void judge(void *unused)
{
    exercise_tolerance(1e-6, 1e-5);
    one(1, 1, "a probability of 1");
    one(2, 1, "probabilities near each other");
    one(3, 1, "probabilities near each other");
    one(8, 1, "probabilities near each other");
    one(8, 6, "probabilities far apart");
    one(ARRAY_MOST, 3, "probabilities far apart");
}

const ExerciseCheck exercise_check = {__FILE__, "softmax_backward", 6,
                                      "the gradient of the scores, to 1e-5", judge};
