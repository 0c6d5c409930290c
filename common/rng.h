/* rng.h: counter-based random numbers: Philox 4x32-10
 * (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
 *
 * A draw is a pure function of (seed, use, a, b), whichever rank or thread draws it, and when. So
 * an image's augmentation in epoch 3 is the same on 1 rank and on 4, with 1 thread and with 8, and
 * after a resume.
 *
 *     Rng r = rng_at(seed, RNG_AUGMENT, epoch, image);
 *     bool flip = rng_u32(&r) & 1;
 */
#ifndef RNG_H
#define RNG_H
#include <stdint.h>

/* The use of a draw: different uses have independent numbers. */
typedef enum {
    RNG_WEIGHTS,
    RNG_ORDER,
    RNG_AUGMENT,
    RNG_SYNTHETIC,
    RNG_NOISE,
    RNG_DIRECTION,
    RNG_TEST,
    RNG_TEXT
} RngUse;

typedef struct Rng {
    uint32_t key[2], counter[4]; /* counter[0] counts blocks of four; the rest is use, a, b */
    uint32_t block[4];
    int used; /* numbers of `block` already drawn; 4: time for a new block */
} Rng;

Rng rng_at(uint64_t seed, RngUse use, uint32_t a, uint64_t b); /* b < 2^56 */
uint32_t rng_u32(Rng *r);
float rng_uniform(Rng *r);              /* in [0, 1), 24 bits */
uint32_t rng_below(Rng *r, uint32_t n); /* in [0, n), all equally likely; n >= 1 */
float rng_normal(Rng *r);               /* mean 0, variance 1 (Box & Muller) */
/* The block function: out = philox4x32-10(counter, key). Tested against the paper's known
 * answers. */
void rng_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);
#endif
