/* test_epoch_order.c: the order of an epoch (common/epoch_order.c): always a permutation, any of
 * them equally likely, new in each epoch. */
#include "epoch_order.h"
#include "harness.h"

static void is_permutation(const int32_t *order, int count)
{
    int *times = calloc((size_t)count, sizeof *times);
    for (int i = 0; i < count; i++) {
        assert_in_range(order[i], 0, count - 1);
        assert_int_equal(times[order[i]]++, 0);
    }
    free(times);
}

TEST(permutes)
{
    static const int counts[] = {1, 2, 3, 24, 100, 60000};
    for (int i = 0; i < 6; i++) {
        int32_t *order = calloc((size_t)counts[i], sizeof *order);
        epoch_order(order, counts[i], 7, 3);
        is_permutation(order, counts[i]);
        free(order);
    }
}

TEST(depends_on_seed_and_epoch_alone)
{
    int32_t first[100], again[100];
    epoch_order(first, 100, 7, 3);
    epoch_order(again, 100, 7, 3);
    assert_memory_equal(first, again, sizeof first);
    epoch_order(again, 100, 7, 4);
    assert_memory_not_equal(first, again, sizeof first);
    epoch_order(again, 100, 8, 3);
    assert_memory_not_equal(first, again, sizeof first);
}

/* 24 permutations of 4 over 24,000 epochs: 1000 of each, give or take 5 standard deviations of
 * sqrt(1000 * 23/24). */
TEST(all_equally_likely)
{
    int times[256] = {0}, different = 0;
    for (int epoch = 0; epoch < 24000; epoch++) {
        int32_t order[4];
        epoch_order(order, 4, 1, epoch);
        times[order[0] * 64 + order[1] * 16 + order[2] * 4 + order[3]]++;
    }
    for (int i = 0; i < 256; i++)
        if (times[i]) {
            different++;
            assert_in_range(times[i], 845, 1155);
        }
    assert_int_equal(different, 24);
}
