/* arrays.h: for the checks of part 10: arrays that are given, and such that are to be written. */
#ifndef ARRAYS_H
#define ARRAYS_H
#include "exercise.h"
#include <math.h>

enum { ARRAY_MOST = 40 };
typedef struct Array {
    int n;
    float at[ARRAY_MOST + 1]; /* one more, to see that nothing is written behind the n */
} Array;
static const float ARRAY_BEHIND = -8888.5f;

/* n numbers in (-scale, scale) that look random, others for each `which`. */
static inline Array array_given(int n, int which, float scale)
{
    Array a = {.n = n};
    for (int i = 0; i < n; i++)
        a.at[i] = scale * (float)sin(12.9898 * (i + 1) + 78.233 * which);
    a.at[n] = ARRAY_BEHIND;
    return a;
}

static inline Array array_blank(int n)
{
    Array a = {.n = n};
    for (int i = 0; i < n; i++)
        a.at[i] = (float)EXERCISE_UNSET;
    a.at[n] = ARRAY_BEHIND;
    return a;
}

static inline void array_written(const Array *a, const char *name)
{
    WRONG_UNLESS(a->at[a->n] == ARRAY_BEHIND, "it writes behind the %d numbers of %s", a->n, name);
    exercise_values(name, a->at, a->n);
}

static inline void array_unchanged(const Array *a, const Array *before, const char *name)
{
    for (int i = 0; i <= a->n; i++)
        WRONG_UNLESS(a->at[i] == before->at[i], "it changes %s, which is given", name);
}
#endif
