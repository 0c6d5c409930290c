/* cuda_loss.cu: softmax and cross entropy: loss = log(sum exp(z - max)) - (z[label] - max), so that
 * nothing overflows. A few thousand elements: one block does all, so that its totals have a fixed
 * order. */
#include "cuda_kernel.h"

typedef struct Row {
    float best_logit, others, loss;
    int best;
    bool finite;
} Row;

/* others: the sum of exp(z - max) without the largest logit's own 1. The loss is then log(1 +
 * others) and exact where the network is certain. */
DEVICE Row row_of(Act logits, int n, int K, int y, float smoothing)
{
    size_t at = at_pixel(logits, n, 0, 0);
    Row r = {get(logits, at), 0, NAN, 0, true};
    float all = 0; /* the sum of z - max */
    for (int k = 0; k < K; k++) {
        float z = get(logits, at + k);
        r.finite = r.finite && z == z;
        if (z > r.best_logit)
            r.best_logit = z, r.best = k;
    }
    for (int k = 0; k < K; k++) {
        float z = get(logits, at + k) - r.best_logit;
        r.others += k == r.best ? 0 : expf(z);
        all += z;
    }
    if (r.finite && y >= 0 && y < K) { /* a label out of range shows as NaN */
        float own = get(logits, at + y) - r.best_logit;
        r.loss = log1pf(r.others) - (smoothing > 0 ? own + smoothing * (all / K - own) : own);
    }
    return r;
}

KERNEL cross_entropy(Act dlogits, float *losses, double *totals, Act logits, const int32_t *label,
                     const float *weight, float scale, float smoothing, int N, int K)
{
    __shared__ double loss[BLOCK], correct[BLOCK];
    FIRST
    {
        double sum = 0, right = 0;
        for (int n = (int)threadIdx.x; n < N; n += BLOCK) {
            int y = label[n];
            Row r = row_of(logits, n, K, y, smoothing);
            /* 1 - p of the largest, exact when small */
            float w = weight ? weight[n] : 1, sure = r.others / (1 + r.others);
            sum += (double)w * r.loss;
            right += r.finite && r.best == y;
            if (losses)
                losses[n] = r.loss;
            for (int k = 0; dlogits.at && k < K; k++) {
                float p = expf(get(logits, at_pixel(logits, n, 0, 0) + k) - r.best_logit) /
                          (1 + r.others);
                float d = k != y ? p : k == r.best ? -sure : p - 1;
                d += smoothing * ((k == y ? 1.0f : 0.0f) - 1.0f / K);
                put(dlogits, at_pixel(dlogits, n, 0, 0) + k, scale * w * d);
            }
        }
        loss[threadIdx.x] = sum;
        correct[threadIdx.x] = right;
    }
    THEN
    {
        double *part = threadIdx.x == 0 ? loss : correct, sum = 0;
        for (int i = 0; threadIdx.x < 2 && i < BLOCK; i++)
            sum += part[i];
        if (threadIdx.x < 2)
            totals[threadIdx.x] += sum;
    }
}

void cuda_cross_entropy(Stream *s, Tensor dlogits, Tensor losses, Tensor totals, Tensor logits,
                        Tensor label, Tensor weight, float scale, float smoothing)
{
    ASSERT(label.dtype == I32 && label.n >= logits.n && totals.dtype == F64 && logits.h == 1 &&
           logits.w == 1);
    LAUNCH(s, 2, cross_entropy, 1, 1, BLOCK, act(dlogits),
           given(losses) ? (float *)cuda_at(losses) : NULL, (double *)cuda_at(totals), act(logits),
           (const int32_t *)cuda_at(label), given(weight) ? (const float *)cuda_at(weight) : NULL,
           scale, smoothing, logits.n, logits.c);
}
