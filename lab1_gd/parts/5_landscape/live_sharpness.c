/* live_sharpness.c: the sharpness, the largest eigenvalue λ of the Hessian of the loss on the
 * surface's images, while the network trains. Gradient descent on a parabola diverges where
 * λ > 2/η; with momentum μ where λ > 2 (1 + μ)/η. Training on all images raises λ to that limit,
 * the edge of stability, and stays there (Cohen et al., arXiv 2103.00065).
 *
 * By power iteration, v ← H v / |H v| and λ = v·H v, which goes on from the last v: between two
 * measurements the weights move little. It finds the largest |eigenvalue|; in training that is λ.
 */
#include "check.h"
#include "hessian.h"
#include "live.h"
#include "rng.h"
#include <cblas.h>
#include <stdlib.h>

enum { FIRST_PRODUCTS = 20, PRODUCTS = 2 };

static double *random_direction(int D, uint64_t seed)
{
    double *v = alloc(D, sizeof *v);
    Rng r = rng_at(seed, RNG_DIRECTION, 0x53, 0); /* 0x53: a stream no other direction uses */
    for (int i = 0; i < D; i++)
        v[i] = rng_normal(&r);
    cblas_dscal(D, 1 / cblas_dnrm2(D, v, 1), v, 1);
    return v;
}

double live_sharpness(Live *l)
{
    Model *m = l->probe;
    int D = m->params.n, products = l->steepest ? PRODUCTS : FIRST_PRODUCTS;
    const HessianData data = {.subset = l->ground_set, .mode = MODEL_FROZEN_STATS};
    if (!l->steepest)
        l->steepest = random_direction(D, l->setup.seed);
    double *v = l->steepest, *Hv = alloc(D, sizeof *Hv), lambda = 0;
    m->be->op->upload(m->s, m->params, l->trail.now);
    for (int k = 0; k < products; k++) {
        hessian_product(m, &data, Hv, v);
        lambda = cblas_ddot(D, v, 1, Hv, 1);
        double length = cblas_dnrm2(D, Hv, 1);
        for (int i = 0; i < D && length > 0; i++)
            v[i] = Hv[i] / length;
    }
    free(Hv);
    return lambda;
}
