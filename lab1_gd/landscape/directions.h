/* directions.h: two directions through a network's weights to look along (Li et al., arXiv
 * 1712.09913, section 4).
 *
 * Random normal numbers, filter by filter: one filter is what makes one output channel, a row of a
 * weight matrix or [C,R,R] of a convolution. The second direction is made orthogonal to the first
 * within each filter, so it is orthogonal as a whole; then each filter gets the length of the
 * filter that it moves (the exercise filter_normalize). Biases and batch norm's gamma and beta are
 * left alone, as in the paper.
 */
#ifndef DIRECTIONS_H
#define DIRECTIONS_H
#include "model.h"

/* Into x and y [D], flat like m->params. A function of m's weights and the seed. y may be NULL: one
 * direction. */
void directions_draw(const Model *m, float *x, float *y, uint64_t seed);

/* Write both as a safetensors file: "x.conv1.weight", "y.conv1.weight", … in PyTorch's shapes. A
 * failure ends the run. */
void directions_save(const Model *m, const float *x, const float *y, uint64_t seed,
                     const char *path);
#endif
