/* 12d_ring_attention.c: exercise: attention whose positions are cut over the ranks. */
#include "check.h"
#include "lab2.h"
#include <math.h>

/* One head of causal attention. Rank r has n positions, those from r·n on: q [n, d], and kv [2, n,
 * d], the keys of its positions, then their values. Write out [n, d]. For position t, counted over
 * all ranks,
 *
 *     out[t] = Σ w[u] · value[u] / Σ w[u]        u = 0 … t: never from a later position
 *     w[u]   = e^(q[t] · key[u] / √d)
 *
 * Keys and values go around the ring (split_pass_on): after i passes a rank holds those of rank
 * (rank - i + P) % P. So no rank ever holds more than 2·n of them. Pass them on P - 1 times, also
 * past ranks that can use none: all ranks make the same calls. kv may be overwritten.
 *
 * The sums grow block by block. e^(a large number) is infinite in float32, so keep for each
 * position the largest exponent m so far, and sums of e^(exponent - m). When a block brings a
 * larger one, multiply both sums, the n·d numbers of out included, by e^(old m - new m): a running
 * softmax (Milakov & Gimelshein, arXiv 1805.02867). Divide at the end.
 *
 * alloc(count, sizeof *pointer) (check.h) takes memory; free() it. */
void ring_attention(Split *s, float *out, const float *q, float *kv, int n, int d)
{
    TODO("for each of the P blocks: exponents, the running maximum, both sums; then pass it on");
}
