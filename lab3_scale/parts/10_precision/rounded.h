/* rounded.h: training in fewer bits, emulated in float32: what a device would store in 16 bits is
 * rounded to what 16 bits can hold, as a part of a method (method.h). Products and their sums stay
 * in float32, as on a GPU's matrix units (Micikevicius et al., arXiv 1710.03740).
 *
 * Rounded are: the weights that the network computes with, every layer's output, the gradient of
 * the loss in every layer's output, and the gradient of the weights. The velocity is not.
 */
#ifndef ROUNDED_H
#define ROUNDED_H
#include "lab3.h"

typedef enum { FORMAT_FLOAT32, FORMAT_FLOAT16, FORMAT_BFLOAT16 } Format;

enum { SIZES = 40, SIZE_LEAST = -38 }; /* powers of two, from 2^SIZE_LEAST on */

/* What rounding did since this was last set to 0. */
typedef struct RoundedCounts {
    double gradients, zeroed; /* numbers in layers' gradients that were not 0; that became 0 */
    double moves, unmoved;    /* weights that an update would move; that stay where they are */
    double size[SIZES];       /* layers' gradients by their size, on one device, unscaled and not
                               * rounded: size[i] of them in 2^(SIZE_LEAST + i) times [1, 2) */
} RoundedCounts;

typedef struct RoundedSpec {
    SgdSpec sgd;
    Format format;
    bool exact_weights; /* the weights are kept in float32, and rounded for each pass */
    int devices;        /* each of them divides its gradient by their number before the ranks' are
                         * added, so what it stores is as much smaller; 1: alone */
    bool scaled;        /* by next_scale() */
    Scaling scaling;    /* it begins with this */
    /* out */
    RoundedCounts counts;
    int left_out; /* updates, for a gradient that was not finite */
} RoundedSpec;

MethodMaker rounded_maker(RoundedSpec *spec); /* it borrows spec */
#endif
