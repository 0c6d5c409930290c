/* split.h: part 12: the layers of a transformer on P ranks. A rank sees the others through a Split;
 * all of them make the same calls, in the same order. Numbers are float32; matrices are stored row
 * by row; [T, C] has T rows.
 *
 * Tensor parallelism: Shoeybi et al., "Megatron-LM", arXiv 1909.08053. Sequence parallelism:
 * Korthikanti et al., arXiv 2205.05198. Ring attention: Liu et al., arXiv 2310.01889.
 */
#ifndef SPLIT_H
#define SPLIT_H
#include "link.h"

typedef struct Split Split;
typedef struct SplitCalls {
    void (*all_reduce)(Split *s, float *v, int n);
    void (*reduce_scatter)(Split *s, float *part, const float *whole, int n);
    void (*all_gather)(Split *s, float *whole, const float *part, int n);
    void (*pass_on)(Split *s, float *v, int n);
} SplitCalls;
struct Split {
    int rank, P;
    const SplitCalls *calls; /* behind the functions below */
    double sent;             /* bytes that this rank has sent so far */
};

/* v [n] becomes its sum over the ranks. */
void split_all_reduce(Split *s, float *v, int n);
/* whole [P, n] of every rank is added up; rank r gets row r of the sum: part [n]. */
void split_reduce_scatter(Split *s, float *part, const float *whole, int n);
/* whole [P, n]: row r is part [n] of rank r. */
void split_all_gather(Split *s, float *whole, const float *part, int n);
/* Sends v [n] to the next rank, (rank + 1) % P, and puts that of the rank before in its place. */
void split_pass_on(Split *s, float *v, int n);

/* A dense layer without bias, its weights w [K, D]: output k is row k's. Forward, y [T, K] from
 * x [T, D]; the derivatives of the loss with respect to x and w from dy, that with respect to y. */
void layer_y(float *y, const float *x, const float *w, int T, int D, int K);
void layer_dx(float *dx, const float *dy, const float *w, int T, int D, int K);
void layer_dw(float *dw, const float *dy, const float *x, int T, int D, int K);
/* GELU of n elements, and dx [n] from dy [n] and the same x; dx may be dy. */
void gelu(float *y, const float *x, int n);
void gelu_dx(float *dx, const float *dy, const float *x, int n);

/* One rank's part of a transformer's MLP, x → GELU(x · w1ᵀ) · w2ᵀ, which widens C to P·F and comes
 * back to C. It is cut at the inner width: the rank has F rows of w1, and the F columns of w2 that
 * multiply what those rows compute. */
typedef struct MlpShard {
    int T, C, F;           /* positions, all of them; width; this rank's share of the inner width */
    const float *w1, *w2;  /* [F, C]; [C, F] */
    float *inner, *active; /* [T, F]: before and after GELU; forward writes, backward reads them */
    float *dw1, *dw2;      /* [F, C]; [C, F]: the gradient, written by backward */
} MlpShard;

/* exercises/12a_mlp_forward.c to 12e_split_seconds.c */
void mlp_forward(Split *s, MlpShard *m, float *y, const float *x);
void mlp_backward(Split *s, MlpShard *m, float *dx, const float *dy, const float *x);
void mlp_forward_sequence(Split *s, MlpShard *m, float *y, const float *x);
void ring_attention(Split *s, float *out, const float *q, float *kv, int n, int d);

/* What is cut: the samples, each layer's weights, those and the positions between the layers, or
 * the positions alone. */
typedef enum { SPLIT_DATA, SPLIT_TENSOR, SPLIT_SEQUENCE, SPLIT_CONTEXT, SPLIT_KINDS } SplitKind;
/* A block, attention and MLP, forward and backward, on one rank. */
typedef struct BlockWork {
    double compute;    /* seconds */
    double weights;    /* bytes */
    double activation; /* bytes of [samples, T, C] numbers, which the layers hand on */
} BlockWork;
double split_seconds(SplitKind kind, int P, BlockWork work, Link link);
#endif
