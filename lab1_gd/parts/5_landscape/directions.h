/* directions.h: two directions in the weight space of a network (Li et al., arXiv 1712.09913,
 * section 4).
 *
 * Normal random values, filter by filter; a filter makes one output channel: a row of a weight
 * matrix, or [C,R,R] of a convolution. The second direction is made orthogonal to the first within
 * each filter, hence as a whole; then each filter gets the length of the filter that it moves
 * (exercises/5_filter_normalize.c). Biases and batch norm's gamma and beta stay, as in the paper.
 */
#ifndef DIRECTIONS_H
#define DIRECTIONS_H
#include "model.h"

/* Fills x and y [D], flat like m->params; y may be NULL. A function of m's weights and the seed.
 * by_filter false (the exercise is still to do): each layer's weights as a whole get the length of
 * that layer, so that there is a surface to see, with other lengths than in the paper. */
void directions_draw(const Model *m, float *x, float *y, uint64_t seed, bool by_filter);

/* Write both as a safetensors file: "x.conv1.weight", "y.conv1.weight", … in PyTorch's shapes. A
 * failure ends the run. */
void directions_save(const Model *m, const float *x, const float *y, uint64_t seed,
                     const char *path);
#endif
