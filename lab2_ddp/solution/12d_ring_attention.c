/* 12d_ring_attention.c: attention whose positions are cut over the ranks. */
#include "check.h"
#include "lab2.h"
#include <math.h>

void ring_attention(Split *s, float *out, const float *q, float *kv, int n, int d)
{
    float *most = alloc(n, sizeof *most), *sum = alloc(n, sizeof *sum);
    for (int t = 0; t < n; t++)
        most[t] = -INFINITY;
    for (int i = 0; i < n * d; i++)
        out[i] = 0;
    for (int i = 0; i < s->P; i++) {
        int from = (s->rank - i + s->P) % s->P;
        for (int t = 0; t < n; t++)
            for (int u = 0; u < n && from * n + u <= s->rank * n + t; u++) {
                float exponent = 0;
                for (int c = 0; c < d; c++)
                    exponent += q[t * d + c] * kv[u * d + c];
                exponent /= sqrtf((float)d);
                float largest = fmaxf(most[t], exponent);
                float keep = expf(most[t] - largest), weight = expf(exponent - largest);
                most[t] = largest;
                sum[t] = keep * sum[t] + weight;
                for (int c = 0; c < d; c++)
                    out[t * d + c] = keep * out[t * d + c] + weight * kv[(n + u) * d + c];
            }
        if (i < s->P - 1)
            split_pass_on(s, kv, 2 * n * d);
    }
    for (int i = 0; i < n * d; i++)
        out[i] /= sum[i / d];
    free(most), free(sum);
}
