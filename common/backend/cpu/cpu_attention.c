/* cpu_attention.c: causal self-attention, a head of a sample at a time, by matrix products over a
 * block of queries and all keys up to the block's last one:
 *     forward    P = softmax(Q K^T / sqrt d),  Y = P V
 *     backward   dV += P^T dY,  dP = dY V^T,  dS = P (dP - dY . Y),  dQ += dS K,  dK += dS^T Q
 * where P is computed again from the saved logarithms. Keys behind a query have p = 0. With
 * --precision bf16 the products' factors are rounded, P and dS among them (cpu_product.h).
 */
#include "cpu_exp.h"
#include "cpu_product.h"
#include <math.h>

enum { QUERIES = 32 }; /* of a block: its products and their gradients stay in the L2 cache */

/* One head of one sample; rows of q, k and v are `ld` floats apart, of y `C`. */
typedef struct Head {
    const Stream *s;
    const float *q, *k, *v;
    float *saved; /* [T,2] */
    int ld, C, d, T;
    float scale;
} Head;

static Head head_of(const Stream *s, Tensor qkv, Tensor saved, int heads, int n, int h)
{
    int T = qkv.w, C = qkv.c / 3, d = C / heads;
    const float *q = (float *)cpu_at(qkv) + (size_t)n * T * qkv.c + h * d;
    float *own = (float *)cpu_at(saved) + ((size_t)n * heads + h) * T * 2;
    return (Head){s, q, q + C, q + 2 * C, own, qkv.c, C, d, T, 1 / sqrtf((float)d)};
}

static float *head_at(Tensor t, int heads, int n, int h) /* of y or dy */
{
    return (float *)cpu_at(t) + (size_t)n * t.w * t.c + h * (t.c / heads);
}

static void check(Tensor y, Tensor saved, Tensor qkv, int heads)
{
    ASSERT(y.h == 1 && qkv.n == y.n && qkv.w == y.w && qkv.c == 3 * y.c && y.c % heads == 0);
    ASSERT(y.w <= MAX_CONTEXT && y.c / heads <= MAX_HEAD && !y.halo && !qkv.halo);
    ASSERT(saved.n == y.n && saved.h == heads && saved.w == y.w && saved.c == 2);
}

/* c [m,n] = scale a b^T; and c += a b, or a^T b. Rows of each are ld floats apart. */
static void times_transposed(const Head *h, float *c, int ldc, const float *a, int lda,
                             const float *b, int ldb, int m, int n, int k, float scale)
{
    cpu_product(h->s, c, ldc, (Matrix){a, lda, 1}, (Matrix){b, 1, ldb}, 0, m, n, k, false,
                cpu_rounds(h->s, h->d));
    for (int i = 0; scale != 1 && i < m; i++)
        for (int j = 0; j < n; j++)
            c[(size_t)i * ldc + j] *= scale;
}
static void add_product(const Head *h, float *c, int ldc, const float *a, int lda, bool transposed,
                        const float *b, int ldb, int m, int n, int k)
{
    cpu_product(h->s, c, ldc, transposed ? (Matrix){a, 1, lda} : (Matrix){a, lda, 1},
                (Matrix){b, ldb, 1}, 0, m, n, k, true, cpu_rounds(h->s, h->d));
}

/* p [rows,keys]: the scores of queries first … first + rows - 1. */
static void scores(float *p, const Head *h, int first, int rows)
{
    times_transposed(h, p, first + rows, h->q + (size_t)first * h->ld, h->ld, h->k, h->ld, rows,
                     first + rows, h->d, h->scale);
}

/* A row of scores becomes exp(score - log), 0 from key `seen` on. */
static void exponentials(float *p, float log, int seen, int keys)
{
#pragma omp simd
    for (int j = 0; j < seen; j++)
        p[j] = exp_of(p[j] - log);
    memset(p + seen, 0, sizeof *p * (size_t)(keys - seen));
}

/* A row of scores becomes probabilities; returns the log of their denominator. */
static float softmax(float *p, int seen, int keys)
{
    float most = largest(p, seen);
    exponentials(p, most, seen, keys);
    float sum = p[0];
#pragma omp simd reduction(+ : sum)
    for (int j = 1; j < seen; j++)
        sum += p[j];
    float share = 1 / sum;
    for (int j = 0; j < seen; j++)
        p[j] *= share;
    return most + logf(sum);
}

static void forward_block(float *y, const Head *h, int first, int rows)
{
    float p[QUERIES * MAX_CONTEXT];
    int keys = first + rows;
    scores(p, h, first, rows);
    for (int i = 0; i < rows; i++)
        h->saved[2 * (first + i)] = softmax(p + (size_t)i * keys, first + i + 1, keys);
    for (int i = first; i < keys; i++)
        memset(y + (size_t)i * h->C, 0, sizeof *y * h->d);
    add_product(h, y + (size_t)first * h->C, h->C, p, keys, false, h->v, h->ld, rows, h->d, keys);
}

void cpu_attention_forward(Stream *s, Tensor y, Tensor saved, Tensor qkv, int heads)
{
    check(y, saved, qkv, heads);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int i = 0; i < y.n * heads; i++) {
        Head h = head_of(s, qkv, saved, heads, i / heads, i % heads);
        for (int first = 0; first < h.T; first += QUERIES)
            forward_block(head_at(y, heads, i / heads, i % heads), &h, first,
                          h.T - first < QUERIES ? h.T - first : QUERIES);
    }
}

/* p and dp [rows,keys] -> dS, in dp's place; y and dy: of the block's first query. */
static void score_gradients(float *dp, const float *p, const Head *h, const float *dy,
                            const float *y, int rows, int keys)
{
    for (int i = 0; i < rows; i++, p += keys, dp += keys, dy += h->C, y += h->C) {
        float mean = 0;
#pragma omp simd reduction(+ : mean)
        for (int c = 0; c < h->d; c++)
            mean += dy[c] * y[c];
        for (int j = 0; j < keys; j++)
            dp[j] = p[j] * (dp[j] - mean) * h->scale;
    }
}

/* dq: the gradients of q; those of k and v lie C and 2 C behind. */
static void backward_block(float *dq, const Head *h, const float *dy, const float *y, int first,
                           int rows)
{
    float p[QUERIES * MAX_CONTEXT], dp[QUERIES * MAX_CONTEXT];
    int keys = first + rows, C = h->C, ld = h->ld, d = h->d;
    size_t at = (size_t)first * C, q_at = (size_t)first * ld;
    scores(p, h, first, rows);
    for (int i = 0; i < rows; i++)
        exponentials(p + (size_t)i * keys, h->saved[2 * (first + i)], first + i + 1, keys);
    add_product(h, dq + 2 * C, ld, p, keys, true, dy + at, C, keys, d, rows);
    times_transposed(h, dp, keys, dy + at, C, h->v, ld, rows, keys, d, 1);
    score_gradients(dp, p, h, dy + at, y + at, rows, keys);
    add_product(h, dq + q_at, ld, dp, keys, false, h->k, ld, rows, d, keys);
    add_product(h, dq + C, ld, dp, keys, true, h->q + q_at, ld, keys, d, rows);
}

void cpu_attention_backward(Stream *s, Tensor dqkv, Tensor saved, Tensor dy, Tensor y, Tensor qkv,
                            int heads, bool add)
{
    check(y, saved, qkv, heads);
    ASSERT(same_shape(dy, y) && same_shape(dqkv, qkv) && !dy.halo && !dqkv.halo);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int i = 0; i < y.n * heads; i++) {
        int n = i / heads, k = i % heads;
        Head h = head_of(s, qkv, saved, heads, n, k);
        float *dq = (float *)cpu_at(dqkv) + (size_t)n * h.T * qkv.c + k * h.d;
        for (int t = 0; t < 3 * h.T && !add; t++)
            memset(dq + (size_t)(t / 3) * h.ld + t % 3 * h.C, 0, sizeof *dq * h.d);
        for (int first = 0; first < h.T; first += QUERIES)
            backward_block(dq, &h, head_at(dy, heads, n, k), head_at(y, heads, n, k), first,
                           h.T - first < QUERIES ? h.T - first : QUERIES);
    }
}
