/* 10c_layernorm_backward_check.c: the check of layernorm_backward. */
#include "arrays.h"
#include "lab1.h"

static void one(int n, float scale, float level)
{
    Array x = array_given(n, 1, scale), dy = array_given(n, 2, 1), gamma = array_given(n, 3, 1),
          dgamma = array_given(n, 4, 1), dbeta = array_given(n, 5, 1), dx = array_blank(n);
    double mean = 0, variance = 0;
    for (int i = 0; i < n; i++) {
        x.at[i] += level;
        gamma.at[i] += 1.5f;
        mean += x.at[i] / (double)n;
    }
    for (int i = 0; i < n; i++)
        variance += (x.at[i] - mean) * (x.at[i] - mean) / n;
    const Array before[3] = {x, dy, gamma};
    exercise_case("n = %d, mean %.3g, istd %.3g", n, mean, 1 / sqrt(variance + 1e-5));
    layernorm_backward(dx.at, dgamma.at, dbeta.at, dy.at, x.at, gamma.at, (float)mean,
                       (float)(1 / sqrt(variance + 1e-5)), n);
    array_unchanged(&x, &before[0], "x");
    array_unchanged(&dy, &before[1], "dy");
    array_unchanged(&gamma, &before[2], "gamma");
    array_written(&dx, "dx");
    array_written(&dgamma, "dgamma");
    array_written(&dbeta, "dbeta");
}

static void judge(void *unused)
{
    exercise_tolerance(1e-6, 1e-4);
    one(3, 3, 0);
    one(4, 1, 0.5f);
    one(8, 2, -1);
    one(ARRAY_MOST, 0.5f, 2);
}

const ExerciseCheck exercise_check = {__FILE__, "layernorm_backward", 6,
                                      "dx, and dgamma and dbeta added to, to 1e-4", judge};
