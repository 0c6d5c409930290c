/* remedy.h: what you write in part 7: gradients in fewer bits and elements. */
#ifndef REMEDY_H
#define REMEDY_H
#include <stdbool.h>
#include <stdint.h>

/* exercises/7a_round_stochastic.c, 7b_ternary.c, 7c_one_bit.c: a bucket of the gradient in codes of
 * a few bits */
float round_stochastic(uint8_t *code, const float *g, const float *u, int n, int bits);
float ternary(uint8_t *code, const float *g, const float *u, int n, float clip);
void one_bit(uint8_t *code, float value[2], const float *g, int n);

/* A remedy for a slow network, as three functions. What it sends is its packet. */
typedef struct Remedy Remedy;
struct Remedy {
    /* Makes this rank's packet of a [n]. */
    void (*compress)(Remedy *r, const float *a);
    /* e [n] = a minus what the packet says: what is not sent. a: compress's; e may be a itself. */
    void (*residual)(Remedy *r, float *e, const float *a);
    /* g [n] = the mean over the ranks of what their packets say. All ranks call it together. */
    void (*exchange)(Remedy *r, float *g);
    int n;       /* elements of the gradient */
    int kept;    /* a sparse remedy: how many elements the packet says, */
    int32_t *at; /* and which: [kept] indices, ascending */
};
/* exercises/7d_exchange_with_feedback.c, 7f_exchange_corrected.c */
void exchange_with_feedback(Remedy *r, float *g, float *e);
void exchange_corrected(Remedy *r, float *g, float *u, float *v, float momentum);

/* The k-th largest magnitude in a [n], k in 1 … n: fast.c. */
float magnitude_at(const float *a, int n, int k);
/* exercises/7e_top_k.c, 7g_sparse_add.c: some elements of a vector, the others are 0 */
typedef struct Sparse {
    int count;
    int32_t *at;  /* [count] indices, ascending */
    float *value; /* [count] */
} Sparse;
void top_k(Sparse *top, const float *a, int n, int k);
bool sparse_add(Sparse *sum, const Sparse *x, const Sparse *y, int most);

/* exercises/7h_low_rank.c. The mean over the ranks of v [count], in place; collective. */
typedef void Mean(void *context, float *v, int count);
void low_rank(float *p, float *q, const float *m, int rows, int columns, int rank, Mean *mean,
              void *context);
/* Products with the factors' `rank` columns, each of which lies in a piece: p [rank][rows],
 * q [rank][columns], m [rows][columns]: low_rank.c. */
void matrix_times(float *p, const float *m, const float *q, int rows, int columns, int rank);
void transposed_times(float *q, const float *m, const float *p, int rows, int columns, int rank);

/* exercises/7i_pays_below.c. What a training takes to reach its target. */
typedef struct Cost {
    double updates;
    double seconds; /* of an update: all that does not depend on the bandwidth */
    double bytes;   /* of an update, through a link: divided by its bandwidth they are seconds */
} Cost;
double pays_below(Cost plain, Cost remedy);
#endif
