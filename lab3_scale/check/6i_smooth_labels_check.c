/* 6i_smooth_labels_check.c: the check of smooth_labels. */
#include "exercise.h"
#include "lab3.h"

static void judge_one(int N, int K, double smoothing, int shift)
{
    float d[32 + 1];
    int32_t label[4];
    for (int i = 0; i < N; i++)
        label[i] = (3 * i + shift) % K;
    for (int i = 0; i <= N * K; i++)
        d[i] = (float)(i % 7) / 8 - 0.25f;
    exercise_case("smoothing = %g, N = %d, K = %d", smoothing, N, K);
    smooth_labels(d, label, N, K, smoothing);
    WRONG_UNLESS(d[N * K] == (float)(N * K % 7) / 8 - 0.25f, "it writes outside of dlogits [N,K]");
    for (int i = 0; i < N; i++)
        for (int k = 0; k < K; k++)
            exercise_value(k == label[i] ? "the label's element" : "another class's element",
                           d[i * K + k]);
}

static void judge(void *unused)
{
    exercise_tolerance(1e-6, 1e-6);
    judge_one(1, 2, 0.4, 1);
    judge_one(2, 3, 0, 1);
    judge_one(3, 4, 0.2, 2);
    judge_one(2, 5, 1, 0);
}

const ExerciseCheck exercise_check = {
    __FILE__, "smooth_labels", 4,
    "the gradient with y = 1 - smoothing + smoothing / K and smoothing / K; to 2e-4", judge};
