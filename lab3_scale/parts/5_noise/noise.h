/* noise.h: multiplicative gradient noise (Hoffer et al., arXiv 1705.08741) as a part of a method:
 * the batch's gradient with a random weight on each image, from exercise 5a, and then SGD.
 *
 *     NoiseSpec noise = {.sgd = {0.9, 0, false, 0}, .small = 32, .seed = 1};
 *     TrainingSpec spec = {…, .method = noise_maker(&noise)};
 */
#ifndef NOISE_H
#define NOISE_H
#include "method.h"

typedef struct NoiseSpec {
    SgdSpec sgd;
    int small;     /* each batch is as noisy as one of this many images */
    uint64_t seed; /* of the noise */
} NoiseSpec;

MethodMaker noise_maker(NoiseSpec *spec); /* it borrows spec, which is not changed */
#endif
