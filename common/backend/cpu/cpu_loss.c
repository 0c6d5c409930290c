/* cpu_loss.c: softmax and cross entropy in one pass: loss = log(sum exp(z - max)) - (z[label] -
 * max), so that nothing overflows. */
#include "cpu.h"
#include <math.h>

void cpu_cross_entropy(Stream *s, Tensor dlogits, Tensor losses, Tensor totals, Tensor logits,
                       Tensor label, Tensor weight, float scale, float smoothing)
{
    int N = logits.n, K = logits.c;
    ASSERT(label.dtype == I32 && label.n >= N && totals.dtype == F64);
    double *total = cpu_at(totals);
    for (int n = 0; n < N; n++) {
        const float *z = cpu_row(logits, n, 0);
        int y = ((int32_t *)cpu_at(label))[n], best = 0;
        bool finite = true;
        ASSERT(y >= 0 && y < K);
        for (int k = 0; k < K; k++) {
            finite = finite && z[k] == z[k];
            if (z[k] > z[best])
                best = k;
        }
        double sum = 0, all = 0, w = given(weight) ? ((float *)cpu_at(weight))[n] : 1;
        for (int k = 0; k < K; k++) {
            sum += exp((double)z[k] - z[best]);
            all += (double)z[k] - z[best];
        }
        double own = (double)z[y] - z[best],
               aim = smoothing > 0 ? own + smoothing * (all / K - own) : own;
        double loss = finite ? log(sum) - aim : NAN;
        total[0] += w * loss;
        total[1] += finite && best == y;
        if (given(losses))
            ((float *)cpu_at(losses))[n] = (float)loss;
        if (given(dlogits))
            for (int k = 0; k < K; k++) {
                double share = (k == y) * (1 - (double)smoothing) + (double)smoothing / K,
                       p = exp((double)z[k] - z[best]) / sum;
                cpu_row(dlogits, n, 0)[k] = (float)(scale * w * (p - share));
            }
    }
}
