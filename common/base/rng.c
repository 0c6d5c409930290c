/* rng.c: Philox 4x32-10: ten rounds of multiply-and-swap over a counter, no state but the counter
 * itself.
 *
 * One round multiplies two of the counter's four words by constants to 64 bits; the high halves,
 * mixed with the key, and the low halves swap positions. The key advances by a Weyl sequence.
 * Constants and number of rounds are the paper's (table 2 of Salmon et al., SC 2011).
 */
#include "rng.h"
#include "check.h"
#include <math.h>

enum { ROUNDS = 10 };

void rng_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0],
             k1 = key[1];
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t p0 = 0xD2511F53ull * c0, p1 = 0xCD9E8D57ull * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u; /* golden ratio - 1, in 32 bits */
        k1 += 0xBB67AE85u; /* sqrt(3) - 1 */
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

/* The address of a draw: the seed is the key; the counter's words are block, a, b's low half, use
 * and b's rest. */
Rng rng_at(uint64_t seed, RngUse use, uint32_t a, uint64_t b)
{
    ASSERT(b >> 56 == 0);
    return (Rng){.key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
                 .counter = {0, a, (uint32_t)b, (uint32_t)use << 24 | (uint32_t)(b >> 32)},
                 .used = 4};
}

uint32_t rng_u32(Rng *r)
{
    if (r->used == 4) {
        rng_philox(r->block, r->counter, r->key);
        r->counter[0]++;
        r->used = 0;
    }
    return r->block[r->used++];
}

float rng_uniform(Rng *r) { return (float)(rng_u32(r) >> 8) * 0x1p-24f; }

/* Lemire, "Fast random integer generation in an interval" (2019): the high half of u * n. The few u
 * that would bias the result are redrawn. */
uint32_t rng_below(Rng *r, uint32_t n)
{
    if (n < 1)
        die(EXIT_WRONG, "you called rng_below(r, 0): n must be 1 or more");
    uint32_t rejected = -n % n; /* 2^32 mod n */
    uint64_t product;
    do
        product = (uint64_t)rng_u32(r) * n;
    while ((uint32_t)product < rejected);
    return (uint32_t)(product >> 32);
}

float rng_normal(Rng *r)
{
    /* u in (0, 1]: its logarithm is finite */
    double u = (rng_u32(r) + 1.0) * 0x1p-32, v = rng_u32(r) * 0x1p-32;
    return (float)(sqrt(-2 * log(u)) * cos(2 * M_PI * v));
}
