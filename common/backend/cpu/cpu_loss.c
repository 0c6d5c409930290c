/* cpu_loss.c: softmax and cross entropy in one pass: loss = log(sum exp(z - max)) - (z[label] -
 * max), so that nothing overflows. Rows are computed by all threads; totals are added in order. */
#include "cpu_exp.h"
#include <math.h>

enum { BLOCK_ROWS = 1024, WIDE = 64 }; /* WIDE: a row that is worth vectors */

typedef struct RowLoss {
    double loss;
    bool correct;
} RowLoss;

/* One row of K logits; dlogits may be NULL. */
static RowLoss row_loss(float *dlogits, const float *z, int K, int y, double scale, float smoothing)
{
    int best = 0;
    bool finite = true;
    ASSERT(y >= 0 && y < K);
    for (int k = 0; k < K; k++) {
        finite = finite && z[k] == z[k];
        if (z[k] > z[best])
            best = k;
    }
    double sum = 0, all = 0;
    for (int k = 0; k < K; k++) {
        sum += exp((double)z[k] - z[best]);
        all += (double)z[k] - z[best];
    }
    double own = (double)z[y] - z[best],
           aim = smoothing > 0 ? own + smoothing * (all / K - own) : own;
    for (int k = 0; dlogits && k < K; k++) {
        double share = (k == y) * (1 - (double)smoothing) + (double)smoothing / K,
               p = exp((double)z[k] - z[best]) / sum;
        dlogits[k] = (float)(scale * (p - share));
    }
    return (RowLoss){finite ? log(sum) - aim : NAN, finite && best == y};
}

/* exp(z - most) of K logits into e, or nowhere (NULL); returns their sum, NaN if a logit is. */
static double exponentials(float *e, const float *z, float most, int K)
{
    float sum = 0;
    if (e) {
#pragma omp simd
        for (int k = 0; k < K; k++)
            e[k] = exp_of(z[k] - most);
#pragma omp simd reduction(+ : sum)
        for (int k = 0; k < K; k++)
            sum += e[k];
        return sum;
    }
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < K; k++)
        sum += exp_of(z[k] - most);
    return sum;
}

/* The same of many logits, a language model's, where the C library's exp would take a quarter of a
 * step: exponentials in float32, to 1e-7. (Those of ten classes cost nothing.) */
static RowLoss wide_row_loss(float *dlogits, const float *z, int K, int y, double scale,
                             float smoothing)
{
    ASSERT(y >= 0 && y < K);
    float most = largest(z, K);
    double all = 0, own = (double)z[y] - most;
    bool best = z[y] == most; /* of equal logits the first counts */
    for (int k = 0; best && k < y; k++)
        best = z[k] != most;
    for (int k = 0; smoothing > 0 && k < K; k++)
        all += (double)z[k] - most;
    double sum = exponentials(dlogits, z, most, K);
    bool finite = sum == sum;
    if (dlogits) {
        float times = (float)(scale / sum), share = (float)(scale * smoothing / K);
        for (int k = 0; k < K; k++)
            dlogits[k] = times * dlogits[k] - share;
        dlogits[y] -= (float)(scale * (1 - smoothing));
    }
    double aim = smoothing > 0 ? own + smoothing * (all / K - own) : own;
    return (RowLoss){finite ? log(sum) - aim : NAN, finite && best};
}

void cpu_cross_entropy(Stream *s, Tensor dlogits, Tensor losses, Tensor totals, Tensor logits,
                       Tensor label, Tensor weight, float scale, float smoothing)
{
    int each = logits.h * logits.w, rows = logits.n * each, K = logits.c;
    ASSERT(label.dtype == I32 && tensor_count(label) >= (size_t)rows && totals.dtype == F64);
    ASSERT(!logits.halo && !dlogits.halo);
    double *total = cpu_at(totals);
    const float *z = cpu_at(logits), *w = given(weight) ? cpu_at(weight) : NULL;
    float *dz = given(dlogits) ? cpu_at(dlogits) : NULL,
          *loss = given(losses) ? cpu_at(losses) : NULL;
    const int32_t *y = cpu_at(label);
    RowLoss (*one)(float *, const float *, int, int, double, float) = K < WIDE ? row_loss
                                                                               : wide_row_loss;
    for (int first = 0; first < rows; first += BLOCK_ROWS) {
        RowLoss block[BLOCK_ROWS];
        int end = first + BLOCK_ROWS < rows ? first + BLOCK_ROWS : rows;
#pragma omp parallel for num_threads(s->threads) schedule(static) if (end - first >= 256)
        for (int r = first; r < end; r++)
            block[r - first] = one(dz ? dz + (size_t)r * K : NULL, z + (size_t)r * K, K, y[r],
                                   w ? (double)scale * w[r / each] : scale, smoothing);
        for (int r = first; r < end; r++) {
            total[0] += (w ? w[r / each] : 1) * block[r - first].loss;
            total[1] += block[r - first].correct;
            if (loss)
                loss[r] = (float)block[r - first].loss;
        }
    }
}
