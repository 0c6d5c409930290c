/* fast.h: the inner loops that compressors share, written so that the compiler makes vectors of
 * them.
 */
#ifndef FAST_H
#define FAST_H
#include "lab2.h"

/* u[i], i = 0 … n-1, uniform in [0, 1), 24 bits: a hash of (key, i), so no element waits for the
 * one before it, as it would with a generator that has a state. */
void random_fill(float *u, int n, uint32_t key);
/* A distinct key for each of these numbers. */
uint32_t random_key(uint64_t seed, uint32_t a, uint32_t b, uint32_t c);

/* Codes of 1, 2, 4 or 8 bits in bytes. code has room for pack_bytes(n, bits) * 8 / bits, of which
 * unpack fills all. */
size_t pack_bytes(int n, int bits);
void pack(uint8_t *packed, uint8_t *code, int n, int bits);
void unpack(uint8_t *code, const uint8_t *packed, int n, int bits);

/* bfloat16: a float's upper half, rounded to nearest, ties to even. */
void to_bf16(uint16_t *y, const float *x, int n);
void add_bf16(float *y, float factor, const uint16_t *x, int n); /* y += factor x */
#endif
