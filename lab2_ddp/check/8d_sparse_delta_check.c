/* 8d_sparse_delta_check.c: the check of sparse_delta: small chunks, and a large one by sums. */
#include "check.h"
#include "exercise.h"
#include "lab2.h"

enum { MOST = 6 };

static char *list(const float *v, int n)
{
    char *text = format_new("%g", v[0]);
    for (int i = 1; i < n; i++)
        text = format_new("%s, %g", text, v[i]);
    return text;
}

static void small(int k, double decay, bool two_bits, int n, const float *before,
                  const float *delta)
{
    int32_t at[MOST + 1];
    float value[MOST + 1], residual[MOST + 1], d[MOST];
    for (int i = 0; i <= MOST; i++) {
        at[i] = -7;
        value[i] = residual[i] = EXERCISE_UNSET;
    }
    for (int i = 0; i < n; i++) {
        residual[i] = before[i];
        d[i] = delta[i];
    }
    sparse_delta(at, value, residual, d, n, k, decay, two_bits);
    exercise_group(two_bits ? "two_bits" : decay == 1 ? "decay 1 without two_bits" : NULL);
    exercise_case("residual {%s}, delta {%s}, k = %d, decay %g, two_bits = %s", list(before, n),
                  list(delta, n), k, decay, two_bits ? "true" : "false");
    for (int i = 0; i <= k; i++)
        exercise_value(i < k ? "at" : "the number behind at", at[i]);
    exercise_values("value", value, k);
    exercise_value("the number behind value", value[k]);
    exercise_values("residual", residual, n);
    exercise_value("the number behind residual", residual[n]);
    exercise_values("delta", d, n);
}

static void large(bool two_bits)
{
    enum { K = 64 };
    static int32_t at[K];
    static float value[K], residual[SPARSE_CHUNK], delta[SPARSE_CHUNK];
    double sum[3] = {0};
    for (int i = 0; i < SPARSE_CHUNK; i++) {
        delta[i] = (float)(i * 2741 % SPARSE_CHUNK - SPARSE_CHUNK / 2) / 64;
        residual[i] = (float)(i * 1237 % SPARSE_CHUNK - SPARSE_CHUNK / 2) / 64;
    }
    sparse_delta(at, value, residual, delta, SPARSE_CHUNK, K, 0.5, two_bits);
    for (int i = 0; i < SPARSE_CHUNK; i++) {
        sum[0] += i < K ? at[i] : 0;
        sum[1] += i < K ? (i + 1) * value[i] : 0;
        sum[2] += (i + 1) * residual[i];
    }
    exercise_case("a chunk of %d elements, k = %d, decay 0.5, two_bits = %s", SPARSE_CHUNK, K,
                  two_bits ? "true" : "false");
    exercise_fact("the sum of at", sum[0]);
    exercise_fact("the sum of (i + 1) value[i]", sum[1]);
    exercise_fact("the sum of (i + 1) residual[i]", sum[2]);
}

static void judge(void *unused)
{
    static const float zero[MOST], a[] = {1, -5, 3, 2}, b[] = {2, 1, 1, 1}, c[] = {0, 0, 8, 0},
                                   ones[] = {-1, 1, 1, -1, 1}, d[] = {-0.5f, 4, -3, 2.5f},
                                   e[] = {4, 0, -1}, f[] = {1, -6, 2, 0.5f, -2, 5},
                                   g[] = {-4, 2, 8, -1, -5, -3};
    exercise_tolerance(1e-5, 1e-5);
    small(1, 1, false, 1, zero, a + 2);
    small(1, 1, false, 4, zero, a);
    small(2, 1, false, 4, zero, a);
    small(2, 1, false, 5, zero, ones);
    small(1, 1, false, 4, c, b);
    small(4, 1, true, 4, zero, d);
    small(2, 1, true, 3, zero, zero);
    small(3, 1, true, 3, zero, e);
    small(3, 0.5, false, 6, g, f);
    small(3, 0.5, true, 6, g, f);
    small(4, 0.75, true, 6, f, g);
    large(false);
    large(true);
}

const ExerciseCheck exercise_check = {__FILE__, "sparse_delta", 9,
                                      "the k largest of residual + delta, rounded; the rest waits",
                                      judge};
