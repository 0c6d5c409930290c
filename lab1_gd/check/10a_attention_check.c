/* 10a_attention_check.c: the check of attention. */
#include "arrays.h"
#include "lab1.h"

static void one(int T, int d, float scale, const char *scores)
{
    Array q = array_given(T * d, 1, scale), k = array_given(T * d, 2, 1),
          v = array_given(T * d, 3, 1), y = array_blank(T * d), p = array_blank(T * T);
    const Array before[3] = {q, k, v};
    exercise_group(fabsf(scale) > 1 ? "scores in the thousands" : T == 1 ? "T = 1" : NULL);
    exercise_case("T = %d, d = %d%s", T, d, scores);
    attention(y.at, p.at, q.at, k.at, v.at, T, d);
    array_unchanged(&q, &before[0], "q");
    array_unchanged(&k, &before[1], "k");
    array_unchanged(&v, &before[2], "v");
    array_written(&p, "p");
    array_written(&y, "y");
}

static void judge(void *unused)
{
    exercise_tolerance(1e-6, 1e-4);
    one(1, 1, 1, "");
    one(1, 3, 1, "");
    one(2, 1, 1, "");
    one(2, 4, 1, "");
    one(3, 2, 1, "");
    one(5, 3, 1, "");
    one(4, 2, 4000, ", scores in the thousands");
    one(4, 2, -4000, ", scores in the thousands");
}

const ExerciseCheck exercise_check = {
    __FILE__, "attention", 8, "each position's mixture of the values up to its own, to 1e-4",
    judge};
