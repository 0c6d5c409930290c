/* hessian.h: how sharp the loss is where the network stands: the largest and the smallest
 * eigenvalue of the Hessian of its mean loss over given pictures, and the directions that belong to
 * them.
 *
 * The Hessian of D weights has D x D numbers; what is needed of it is only its product with a
 * vector, and that is a difference of two gradients:
 *
 *     H v = (g(w + h v) - g(w - h v)) / 2h,   |v| = 1,
 *
 * where every ReLU keeps to the signs that it has at w (model_hold_relu). That is the Hessian that
 * automatic differentiation computes. Without it the gradient jumps wherever an input crosses 0,
 * and Lanczos finds just those directions: there is no limit as h falls. Max pooling's choices
 * cannot be held: networks with it are refused (exit 2).
 *
 * Lanczos' method (with full reorthogonalisation, float64) makes from m such products a tridiagonal
 * m x m matrix whose extreme eigenvalues converge to H's.
 *
 * The step: h = 2e-4 |w|. The difference's own error grows as h² (third derivatives), the rounding
 * of weights and gradients to float32 as 6e-8 |w| / h. For functions that change over |w| the two
 * balance at the cube root of 6e-8, 4e-3; but along its sharpest directions a network changes over
 * a tenth of |w| and less. Against float64 (tests/unit/test_hessian.c) H v of mlp is off by 6e-5,
 * 3e-5, 5e-5 and 5e-4 at h = 1e-3 |w|, 2e-4, 1e-4 and 1e-5, that of ResNet-8 by 2e-2, 7e-4, 2e-4
 * and 1e-3; the smaller steps drown the flattest eigenvalues in rounding.
 *
 * Batch norm: by batch statistics, as in training (MODEL_FROZEN_STATS); the running ones are not
 * touched. The loss then depends on which pictures are together in a batch: those of the subset's.
 */
#ifndef HESSIAN_H
#define HESSIAN_H
#include "comm.h"
#include "eval_set.h"

/* The loss in question: the mean over a subset's pictures. Batch i is the work of rank i mod P: P
 * ranks and one rank find the same, to rounding. */
typedef struct HessianData {
    Comm *comm;            /* NULL: this process alone */
    const EvalSet *subset; /* the same pictures on every rank; m has room for its batches */
    ModelMode mode;        /* MODEL_FROZEN_STATS; MODEL_EVAL for a network without batch norm
                            * only: else it ends the run (exit 2), because nothing is kept for
                            * the backward pass */
} HessianData;

typedef struct HessianEdges {
    double top, bottom;             /* largest and smallest eigenvalue found */
    double top_error, bottom_error; /* an eigenvalue of the measured operator is nearer than
                                     * this: Lanczos' residual |beta_m y_m|; +INFINITY before
                                     * the first step */
    double noise;                   /* largest |v_i H v_j|, i < j - 1: exactly 0 for a symmetric
                                     * operator; what finite differences leave. No eigenvalue is
                                     * known more exactly than this */
    int steps;                      /* products H v that were taken: two gradients each */
    bool converged;                 /* both errors are below tolerance x the larger |eigenvalue| */
    float *top_vector, *bottom_vector; /* [D], length 1, laid out as params: directions for a
                                        * landscape */
} HessianEdges;

/* At most most_steps products (each keeps D float64 numbers on the host), from a random start drawn
 * by `seed`. After each, goes_on(context, edges so far), unless NULL, is asked on every rank
 * whether to go on; one that says no stops all. m->params are the same bits afterwards, m->grads
 * are overwritten. A gradient that is not finite ends the run (exit 2). Collective. */
HessianEdges hessian_edges(Model *m, const HessianData *data, int most_steps, double tolerance,
                           uint64_t seed,
                           bool (*goes_on)(void *context, const HessianEdges *so_far),
                           void *context);
void hessian_edges_free(HessianEdges *e);

/* out [D] = H v at m->params, v [D] of any length but 0. Collective; m->params as above. */
void hessian_product(Model *m, const HessianData *data, double *out, const double *v);
#endif
