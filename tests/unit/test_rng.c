/* test_rng.c: Philox against the paper's known answers; every draw a function of its address alone;
 * the distributions. */
#include "harness.h"
#include "rng.h"
#include <math.h>
#include <string.h>

/* The three lines "philox4x32 10" of kat_vectors in the authors' Random123 library: counter, key,
 * answer. */
TEST(known_answers)
{
    static const uint32_t known[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int i = 0; i < 3; i++) {
        uint32_t out[4];
        rng_philox(out, known[i], known[i] + 4);
        assert_memory_equal(out, known[i] + 6, sizeof out);
    }
}

/* Drawing one by one gives the blocks of the counters 0, 1, 2, ... with the key and the other words
 * as rng.h says. */
TEST(counts_blocks)
{
    Rng r = rng_at(0x0123456789abcdef, RNG_NOISE, 77, 0xfedcba98765432);
    const uint32_t key[2] = {0x89abcdef, 0x01234567};
    for (uint32_t block = 0; block < 5; block++) {
        uint32_t out[4];
        rng_philox(out,
                   (uint32_t[4]){block, 77, 0xba987654u << 8 | 0x32,
                                 (uint32_t)RNG_NOISE << 24 | 0xfedcba},
                   key);
        for (int i = 0; i < 4; i++)
            assert_int_equal(rng_u32(&r), out[i]);
    }
}

/* Each part of the address matters, and equal addresses give equal draws. */
TEST(place_decides)
{
    Rng at[] = {rng_at(1, RNG_TEST, 2, 3),
                rng_at(2, RNG_TEST, 2, 3),
                rng_at(1, RNG_ORDER, 2, 3),
                rng_at(1, RNG_TEST, 3, 3),
                rng_at(1, RNG_TEST, 2, 4),
                rng_at(1ull << 32 | 1, RNG_TEST, 2, 3),
                rng_at(1, RNG_TEST, 2, 1ull << 32 | 3)};
    uint32_t first[7];
    for (int i = 0; i < 7; i++) {
        first[i] = rng_u32(&at[i]);
        for (int j = 0; j < i; j++)
            assert_int_not_equal(first[i], first[j]);
    }
    Rng again = rng_at(1, RNG_TEST, 2, 3);
    assert_int_equal(rng_u32(&again), first[0]);
}

static void beyond_56_bits(void *b) { rng_at(0, RNG_TEST, 0, *(uint64_t *)b); }

TEST(refuses_large_b)
{
    uint64_t largest = (1ull << 56) - 1, over = 1ull << 56;
    beyond_56_bits(&largest);
    expect_death(1, beyond_56_bits, &over, "rng.c", "broken", NULL);
}

TEST(uniform)
{
    enum { N = 1 << 20 };
    Rng r = rng_at(3, RNG_TEST, 0, 0);
    double sum = 0, squares = 0;
    float low = 1, high = 0;
    for (int i = 0; i < N; i++) {
        float x = rng_uniform(&r);
        assert_true(x >= 0 && x < 1 && x * 0x1p24f == floorf(x * 0x1p24f));
        sum += x;
        squares += x * x;
        low = fminf(low, x);
        high = fmaxf(high, x);
    }
    /* 5 standard errors: 5 * 0.289 / 1024 */
    expect_close(sum / N, 0.5, 0.0015, 0, "mean");
    expect_close(squares / N, 1.0 / 3, 0.0015, 0, "second moment");
    assert_true(low < 1e-5 && high > 1 - 1e-5);
}

/* n = 3 * 2^30: without the rejection, multiples of 3 would come twice as often. */
TEST(below_without_bias)
{
    enum { N = 300000 };
    Rng r = rng_at(4, RNG_TEST, 0, 0);
    int count[3] = {0}, die[6] = {0};
    for (int i = 0; i < N; i++) {
        uint32_t x = rng_below(&r, 3u << 30);
        assert_true(x < 3u << 30);
        count[x % 3]++;
        x = rng_below(&r, 6);
        assert_true(x < 6);
        die[x]++;
    }
    for (int i = 0; i < 3; i++)
        /* 5 standard deviations: 5 * 258 */
        expect_close(count[i], N / 3, 1300, 0, "fraction of a remainder");
    for (int i = 0; i < 6; i++)
        expect_close(die[i], N / 6, 1030, 0, "fraction of a side");
    assert_int_equal(rng_below(&r, 1), 0);
}

TEST(normal)
{
    enum { N = 1 << 20 };
    Rng r = rng_at(5, RNG_TEST, 0, 0);
    double moment[5] = {0}, neighbours = 0, last = 0;
    int beyond = 0;
    for (int i = 0; i < N; i++) {
        double x = rng_normal(&r), power = 1;
        assert_true(isfinite(x));
        for (int k = 0; k < 5; k++, power *= x)
            moment[k] += power / N;
        beyond += fabs(x) > 2;
        neighbours += x * last / N;
        last = x;
    }
    expect_close(moment[1], 0, 0.005, 0, "mean");
    expect_close(moment[2], 1, 0.007, 0, "variance");
    expect_close(moment[3], 0, 0.02, 0, "skewness");
    expect_close(moment[4], 3, 0.05, 0, "kurtosis");
    expect_close((double)beyond / N, 0.0455, 0.001, 0, "fraction beyond 2");
    expect_close(neighbours, 0, 0.005, 0, "correlation of neighbours");
}
