/* first_weights.h: initial weights for speedruns (Jordan, arXiv 2404.00498). Call after model_init;
 * each function replaces only the weights that it names.
 */
#ifndef FIRST_WEIGHTS_H
#define FIRST_WEIGHTS_H
#include "data.h"
#include "model.h"

/* The covariance, about zero, of all R x R patches of the first `count` images, normalised as the
 * loader does: cov [D,D], D = C*R*R, in the order of a filter's elements, c, r, s. mean, istd: of
 * each channel. */
void patch_covariance(double *cov, const Images *images, int count, int R, const float *mean,
                      const float *istd);

/* The filters of a network that begins with fixed R x R ones, 2*D of them ("airbench-W"):
 * e_i / sqrt(lambda_i + eps) for the D eigenvectors and eigenvalues of that covariance, from the
 * smallest, then the same with the other sign. Their outputs have covariance 1, up to
 * eps (5e-4). Another network ends the run (exit 2). */
void start_whiten(Model *m, const Images *images, int count, const float *mean, const float *istd,
                  double eps);

/* Dirac filters: the first min(C, K) filters of every 3 x 3 convolution with stride 1 become the
 * identity: 1 in the middle of their input channel, else 0 (Zagoruyko & Komodakis, arXiv
 * 1706.00388). The images' own convolution, if there is one, too. */
void start_dirac(Model *m);

/* The last dense layer's weights, divided by their standard deviation. */
void start_unit_head(Model *m);
#endif
