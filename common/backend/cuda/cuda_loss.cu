/* cuda_loss.cu: softmax and cross entropy: loss = log(sum exp(z - max)) - (z[label] - max), so that
 * nothing overflows. Of images there are a few thousand: one block does all, so that its totals
 * have a fixed order. Of text there are many more: blocks sum a part each, one adds them up. */
#include "cuda_kernel.h"

typedef struct Row {
    float best_logit, others, loss;
    int best;
    bool finite;
} Row;

/* others: the sum of exp(z - max) without the largest logit's own 1. The loss is then log(1 +
 * others) and exact where the network is certain. */
DEVICE Row row_of(Act logits, size_t at, int K, int y, float smoothing)
{
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

/* N rows, `each` of a sample. totals [2] += , of several blocks [blocks,2] = their parts. */
KERNEL cross_entropy(Act dlogits, float *losses, double *totals, Act logits, const int32_t *label,
                     const float *weight, float scale, float smoothing, int N, int each, int K)
{
    __shared__ double loss[BLOCK], correct[BLOCK];
    FIRST
    {
        double sum = 0, right = 0;
        FOR_EACH (n, (size_t)N) {
            int y = label[n];
            size_t at = at_place(logits, (int)n / each, (int)n % each);
            Row r = row_of(logits, at, K, y, smoothing);
            /* 1 - p of the largest, exact when small */
            float w = weight ? weight[n / each] : 1, sure = r.others / (1 + r.others);
            sum += (double)w * r.loss;
            right += r.finite && r.best == y;
            if (losses)
                losses[n] = r.loss;
            for (int k = 0; dlogits.at && k < K; k++) {
                float p = expf(get(logits, at + k) - r.best_logit) / (1 + r.others);
                float d = k != y ? p : k == r.best ? -sure : p - 1;
                d += smoothing * ((k == y ? 1.0f : 0.0f) - 1.0f / K);
                put(dlogits, at_place(dlogits, (int)n / each, (int)n % each) + k, scale * w * d);
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
        if (threadIdx.x < 2) {
            double *to = &totals[2 * blockIdx.x + threadIdx.x];
            *to = gridDim.x == 1 ? *to + sum : sum;
        }
    }
}

KERNEL add_totals(double *totals, const double *of_block, int blocks)
{
    FOR_EACH (i, (size_t)2)
        for (int b = 0; b < blocks; b++)
            totals[i] += of_block[2 * b + i];
}

void cuda_cross_entropy(Stream *s, Tensor dlogits, Tensor losses, Tensor totals, Tensor logits,
                        Tensor label, Tensor weight, float scale, float smoothing)
{
    int each = logits.h * logits.w, rows = logits.n * each,
        blocks = each == 1 ? 1 : blocks_for((size_t)rows);
    ASSERT(label.dtype == I32 && tensor_count(label) >= (size_t)rows && totals.dtype == F64);
    double *to = (double *)cuda_at(totals), *part = blocks == 1 ? to : (double *)cuda_scratch(s);
    LAUNCH(s, 2, cross_entropy, blocks, 1, BLOCK, act(dlogits),
           given(losses) ? (float *)cuda_at(losses) : NULL, part, act(logits),
           (const int32_t *)cuda_at(label), given(weight) ? (const float *)cuda_at(weight) : NULL,
           scale, smoothing, rows, each, logits.c);
    if (blocks > 1)
        LAUNCH(s, 1, add_totals, 1, 1, BLOCK, to, (const double *)part, blocks);
}
