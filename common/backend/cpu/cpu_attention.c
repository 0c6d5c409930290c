/* cpu_attention.c: causal self-attention, a head of a sample at a time, by matrix products over a
 * block of queries and all keys up to the block's last one:
 *     forward    P = softmax(Q K^T / sqrt d),  Y = P V
 *     backward   dV += P^T dY,  dP = dY V^T,  dS = P (dP - dY . Y),  dQ += dS K,  dK += dS^T Q
 * where P is computed again from the saved logarithms. Keys after a query have p = 0. P and dS are
 * stored by keys, p[j][i] for key j and query i: K and V are then copied as they are, only the
 * block of Q or dY is transposed (with a matrix unit P and dS, too), and the softmax works on
 * vectors of queries. With --precision bf16 the products' factors are rounded, P and dS among them
 * (cpu_product.h).
 */
#include "cpu_exp.h"
#include "cpu_product.h"
#include <math.h>

enum { QUERIES = 32 }; /* of a block; its p takes 128 bytes for each key */

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

/* c [m,n] (+)= a [m,k] b [k,n]; c's rows are ldc floats apart. */
static void product(const Head *h, float *c, int ldc, Matrix a, Matrix b, int m, int n, int k,
                    bool add)
{
    cpu_product(h->s, c, ldc, a, b, 0, m, n, k, add, cpu_rounds(h->s, h->d));
}

/* p = `with` for keys after their query, of queries first … first + rows - 1. */
static void mask(float *p, float with, int first, int rows)
{
    for (int j = 1; j < rows; j++)
        for (int i = 0; i < j; i++)
            p[(size_t)(first + j) * QUERIES + i] = with;
}

/* p [keys,rows] = K Q^T, -infinity for keys after their query. */
static void scores(float *p, const Head *h, int first, int rows)
{
    product(h, p, QUERIES, rows_of(h->k, h->ld),
            transposed(rows_of(h->q + (size_t)first * h->ld, h->ld)), first + rows, rows, h->d,
            false);
    mask(p, -INFINITY, first, rows);
}

/* p = exp(scale p - log), and its sums over the keys. */
static void exponentials(float *p, float *sum, float scale, const float *log, int first, int rows)
{
    for (int j = 0; j < first + rows; j++)
#pragma omp simd
        for (int i = 0; i < rows; i++) {
            float *at = p + (size_t)j * QUERIES + i, x = scale * *at - log[i];
            *at = exp_of(x > 0 ? 0 : x); /* a fused x may be: log is rounded, the product is not */
            sum[i] += *at;
        }
    mask(p, 0, first, rows); /* exp(-87) until here, too little to change a sum */
}

static void forward_block(float *y, const Head *h, int first, int rows)
{
    float p[MAX_CONTEXT * QUERIES], most[QUERIES], sum[QUERIES] = {0};
    int keys = first + rows;
    scores(p, h, first, rows);
    memcpy(most, p, sizeof most);
    for (int j = 1; j < keys; j++)
        for (int i = 0; i < rows; i++) {
            float score = p[(size_t)j * QUERIES + i];
            most[i] = score > most[i] ? score : most[i];
        }
    for (int i = 0; i < rows; i++)
        most[i] *= h->scale;
    exponentials(p, sum, h->scale, most, first, rows);
    for (int i = 0; i < rows; i++) {
        h->saved[2 * (first + i)] = most[i] + logf(sum[i]);
        sum[i] = 1 / sum[i];
    }
    for (int j = 0; j < keys; j++)
        for (int i = 0; i < rows; i++)
            p[(size_t)j * QUERIES + i] *= sum[i];
    product(h, y + (size_t)first * h->C, h->C, transposed(rows_of(p, QUERIES)),
            rows_of(h->v, h->ld), rows, h->d, keys, false);
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

/* p and dp [keys,rows] -> dS, in dp's place; y and dy: of the block's first query. */
static void score_gradients(float *dp, const float *p, const Head *h, const float *dy,
                            const float *y, int rows, int keys)
{
    float mean[QUERIES];
    for (int i = 0; i < rows; i++, dy += h->C, y += h->C) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int c = 0; c < h->d; c++)
            sum += dy[c] * y[c];
        mean[i] = sum;
    }
    for (int j = 0; j < keys; j++, p += QUERIES, dp += QUERIES)
        for (int i = 0; i < rows; i++)
            dp[i] = p[i] * (dp[i] - mean[i]) * h->scale;
}

/* dq: the gradients of q; those of k and v are C and 2 C floats further on. */
static void backward_block(float *dq, const Head *h, const float *dy, const float *y, int first,
                           int rows)
{
    float p[MAX_CONTEXT * QUERIES], dp[MAX_CONTEXT * QUERIES], log[QUERIES], sum[QUERIES] = {0};
    int keys = first + rows, C = h->C, ld = h->ld, d = h->d;
    size_t at = (size_t)first * C, q_at = (size_t)first * ld;
    Matrix grad = rows_of(dy + at, C);
    for (int i = 0; i < rows; i++)
        log[i] = h->saved[2 * (first + i)];
    scores(p, h, first, rows);
    exponentials(p, sum, h->scale, log, first, rows);
    product(h, dq + 2 * C, ld, rows_of(p, QUERIES), grad, keys, d, rows, true);
    product(h, dp, QUERIES, rows_of(h->v, ld), transposed(grad), keys, rows, d, false);
    score_gradients(dp, p, h, dy + at, y + at, rows, keys);
    product(h, dq + q_at, ld, transposed(rows_of(dp, QUERIES)), rows_of(h->k, ld), rows, d, keys,
            true);
    product(h, dq + C, ld, rows_of(dp, QUERIES), rows_of(h->q + q_at, ld), keys, d, rows, true);
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
