/* fast.c: see fast.h. */
#include "fast.h"
#include "check.h"
#include <stdlib.h>
#include <string.h>

/* The finaliser of MurmurHash3 (Appleby): every bit of x moves every bit of the result. */
static inline uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85EBCA6Bu;
    x = (x ^ x >> 13) * 0xC2B2AE35u;
    return x ^ x >> 16;
}

void random_fill(float *u, int n, uint32_t key)
{
    uint32_t first = mix(key);
    for (int i = 0; i < n; i++)
        u[i] = (float)(int32_t)(mix(first + (uint32_t)i * 0x9E3779B9u) >> 8) * 0x1p-24f;
}

uint32_t random_key(uint64_t seed, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t key = mix((uint32_t)seed) + (uint32_t)(seed >> 32);
    key = mix(key + 0x9E3779B9u * (a + 1));
    key = mix(key + 0x85EBCA6Bu * (b + 1));
    return mix(key + 0xC2B2AE35u * (c + 1));
}

/* ---- codes in bytes ---- */

size_t pack_bytes(int n, int bits) { return ((size_t)n * bits + 7) / 8; }

/* Byte j holds elements j, j + q, j + 2q … of q bytes: whole vectors move, not single bits. */
void pack(uint8_t *packed, uint8_t *code, int n, int bits)
{
    int each = 8 / bits, q = (int)pack_bytes(n, bits);
    memset(code + n, 0, (size_t)(each * q - n));
    memcpy(packed, code, (size_t)q);
    for (int k = 1; k < each; k++)
        for (int j = 0; j < q; j++)
            packed[j] = (uint8_t)(packed[j] | code[k * q + j] << k * bits);
}

void unpack(uint8_t *code, const uint8_t *packed, int n, int bits)
{
    int each = 8 / bits, q = (int)pack_bytes(n, bits), mask = (1 << bits) - 1;
    for (int k = 0; k < each; k++)
        for (int j = 0; j < q; j++)
            code[k * q + j] = (uint8_t)(packed[j] >> k * bits & mask);
}

/* ---- bfloat16 ---- */

void to_bf16(uint16_t *y, const float *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = bf16_of(x[i]);
}

void add_bf16(float *y, float factor, const uint16_t *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += factor * bf16_value(x[i]);
}

/* ---- the k-th largest magnitude: a radix select ---- */

/* Magnitudes are ordered as their bits are: sign off, they are integers. */
static inline uint32_t magnitude(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits & 0x7FFFFFFF;
}

/* The digit whose elements hold the k-th largest; *k becomes its place among those. */
static uint32_t digit_of(const int32_t *tally, int digits, int *k)
{
    int digit = digits - 1;
    for (; digit > 0 && *k > tally[digit]; digit--)
        *k -= tally[digit];
    return (uint32_t)digit;
}

enum { FIRST = 11, LATER = 10, DIGITS = 1 << FIRST, WAYS = 4 };

/* The first 11 of 31 bits, and how many elements have these: four tallies, as neighbours are often
 * alike, and an addition would wait for the one before it. */
static uint32_t first_digit(const float *a, int n, int *k, int *count)
{
    int32_t tally[WAYS][DIGITS] = {{0}};
    int i = 0;
    for (; i + WAYS <= n; i += WAYS)
        for (int w = 0; w < WAYS; w++)
            tally[w][magnitude(a[i + w]) >> 20]++;
    for (; i < n; i++)
        tally[0][magnitude(a[i]) >> 20]++;
    for (int d = 0; d < DIGITS; d++)
        tally[0][d] += tally[1][d] + tally[2][d] + tally[3][d];
    uint32_t digit = digit_of(tally[0], DIGITS, k);
    *count = tally[0][digit];
    return digit;
}

float magnitude_at(const float *a, int n, int k)
{
    ASSERT(k >= 1 && k <= n);
    int room, count = 0;
    uint32_t found = first_digit(a, n, &k, &room), *left = alloc(room + 1, sizeof *left);
    for (int i = 0; i < n; i++) { /* no branch that could be mispredicted */
        left[count] = magnitude(a[i]);
        count += left[count] >> 20 == found;
    }
    for (int shift = LATER; shift >= 0; shift -= LATER) {
        int32_t tally[1 << LATER] = {0};
        uint32_t mask = (1 << LATER) - 1;
        for (int i = 0; i < count; i++)
            tally[left[i] >> shift & mask]++;
        found = found << LATER | digit_of(tally, 1 << LATER, &k);
        int kept = 0;
        for (int i = 0; i < count; i++)
            if (left[i] >> shift == found)
                left[kept++] = left[i];
        count = kept;
    }
    free(left);
    float value;
    memcpy(&value, &found, 4);
    return value;
}
