/* hessian.h: how sharp the loss is at the network's weights: the largest and the smallest
 * eigenvalue of the Hessian of its mean loss over given images, and their eigenvectors.
 *
 * The Hessian of D weights has D x D elements, but only its product with a vector is needed, and
 * that is a difference of two gradients:
 *
 *     H v = (g(w + h v) - g(w - h v)) / 2h,   |v| = 1,
 *
 * where every ReLU keeps the signs that it has at w (model_hold_relu). This is the Hessian that
 * automatic differentiation computes. Without it the gradient jumps wherever an input crosses 0,
 * and Lanczos finds exactly those directions: there is no limit as h falls. Max pooling's choices
 * cannot be held: networks with it are refused (exit 2).
 *
 * Lanczos' method (with full reorthogonalisation, float64) turns m such products into a tridiagonal
 * m x m matrix whose extreme eigenvalues converge to H's.
 *
 * The step: h = 2e-4 |w|. The difference's own error grows as h² (third derivatives), that of
 * rounding weights and gradients to float32 as 6e-8 |w| / h. For functions that change over |w| the
 * two balance at the cube root of 6e-8, 4e-3; but along its sharpest directions a network changes
 * over a tenth of |w| and less. Against float64 (tests/unit/test_hessian.c) H v of mlp is off by
 * 6e-5, 3e-5, 5e-5 and 5e-4 at h = 1e-3 |w|, 2e-4, 1e-4 and 1e-5, that of ResNet-8 by 2e-2, 7e-4,
 * 2e-4 and 1e-3; with the smaller steps the flattest eigenvalues drown in rounding.
 *
 * Batch norm uses batch statistics, as in training (MODEL_FROZEN_STATS); the running statistics are
 * not touched. The loss then depends on which images form a batch: the subset's batches are used.
 */
#ifndef HESSIAN_H
#define HESSIAN_H
#include "comm.h"
#include "eval_set.h"

/* The loss: the mean over a subset's images. Rank i mod P computes batch i; P ranks and one rank
 * agree up to rounding. */
typedef struct HessianData {
    Comm *comm;            /* NULL: this process alone */
    const EvalSet *subset; /* the same images on every rank; m has room for its batches */
    ModelMode mode;        /* MODEL_FROZEN_STATS; MODEL_EVAL only for a network without batch
                            * norm: otherwise exit 2, because nothing is kept for the backward
                            * pass */
} HessianData;

typedef struct HessianEdges {
    double top, bottom;             /* largest and smallest eigenvalue found */
    double top_error, bottom_error; /* bounds on the distance to an eigenvalue of the measured
                                     * operator: Lanczos' residual |beta_m y_m|; +INFINITY before
                                     * the first step */
    double noise;                   /* largest |v_i H v_j|, i < j - 1: exactly 0 for a symmetric
                                     * operator; here the error of the finite differences. No
                                     * eigenvalue is more accurate than this */
    int steps;                      /* products H v computed: two gradients each */
    bool converged;                 /* both errors are below tolerance x the larger |eigenvalue| */
    float *top_vector, *bottom_vector; /* [D], length 1, in the order of params: directions for a
                                        * landscape */
} HessianEdges;

/* At most most_steps products (each keeps D float64 elements on the host), from a random start
 * vector drawn from `seed`. After each, every rank calls goes_on(context, edges so far), unless
 * it is NULL; false on any rank stops all. m->params are the same bits afterwards, m->grads are
 * overwritten. A gradient that is not finite ends the run (exit 2). Collective. */
HessianEdges hessian_edges(Model *m, const HessianData *data, int most_steps, double tolerance,
                           uint64_t seed,
                           bool (*goes_on)(void *context, const HessianEdges *so_far),
                           void *context);
void hessian_edges_free(HessianEdges *e);

/* Why there is no Hessian of m, a new string; NULL: there is. */
char *hessian_refused(const Model *m);
/* out [D] = H v at m->params, |v| > 0. Collective; m->params as above. */
void hessian_product(Model *m, const HessianData *data, double *out, const double *v);
#endif
