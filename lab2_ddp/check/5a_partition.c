/* 5a_partition.c: the check of partition: by its promises first, then position by position. */
#include "check.h"
#include "exercise.h"
#include "lab2.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 7, ROOM = 1000 };

static const char *const names[] = {"PARTITION_PLAIN", "PARTITION_CUT", "PARTITION_OWN_ORDERS",
                                    "PARTITION_ONE_ORDER"};

/* All ranks' images of an epoch. */
typedef struct Parts {
    PartitionKind kind;
    int count, size, n; /* n: images per rank */
    int32_t image[MOST][ROOM];
} Parts;

static const char *name(const Parts *p) { return names[p->kind]; }

/* Call it on one rank: the right number, nothing written outside. */
static void take(Parts *p, int rank, uint64_t seed, int epoch)
{
    int32_t room[ROOM + 2];
    for (int i = 0; i < ROOM + 2; i++)
        room[i] = -7;
    p->n = p->count / p->size;
    int n = partition(room + 1, p->kind, p->count, rank, p->size, seed, epoch);
    WRONG_UNLESS(n == p->n, "%s: %d images, %d ranks: it returns %d, expected %d", name(p),
                 p->count, p->size, n, p->n);
    for (int i = 0; i < ROOM + 2; i++)
        WRONG_UNLESS(room[i] == -7 || (i >= 1 && i <= n),
                     "%s: %d images, %d ranks: it writes to mine[%d], outside of mine [%d]",
                     name(p), p->count, p->size, i - 1, n);
    memcpy(p->image[rank], room + 1, sizeof p->image[rank]);
}

static void take_all(Parts *p, PartitionKind kind, int count, int size, uint64_t seed, int epoch)
{
    *p = (Parts){.kind = kind, .count = count, .size = size};
    for (int r = 0; r < size; r++)
        take(p, r, seed, epoch);
}

/* Indices of images, on no rank twice; on all ranks together once, unless the kind overlaps. */
static void expect_images(const Parts *p)
{
    bool overlaps = p->kind == PARTITION_OWN_ORDERS || p->kind == PARTITION_ONE_ORDER;
    int reader[ROOM];
    for (int i = 0; i < p->count; i++)
        reader[i] = -1;
    for (int r = 0; r < p->size; r++)
        for (int i = 0; i < p->n; i++) {
            int image = p->image[r][i];
            WRONG_UNLESS(image >= 0 && image < p->count,
                         "%s: rank %d of %d reads image %d; there are %d", name(p), r, p->size,
                         image, p->count);
            WRONG_UNLESS(reader[image] != r, "%s: rank %d of %d reads image %d twice", name(p), r,
                         p->size, image);
            WRONG_UNLESS(overlaps || reader[image] < 0,
                         "%s: ranks %d and %d of %d both read image %d", name(p), reader[image], r,
                         p->size, image);
            reader[image] = r;
        }
}

static bool same(const Parts *a, int rank, const Parts *b, int other)
{
    return !memcmp(a->image[rank], b->image[other], sizeof a->image[rank]);
}

/* A new order in each epoch and for each seed; the same one for the same arguments. */
static void judge_orders(PartitionKind kind)
{
    static Parts first, second, reseeded, again;
    take_all(&first, kind, 900, 3, 5, 0);
    take_all(&second, kind, 900, 3, 5, 1);
    take_all(&reseeded, kind, 900, 3, 50, 0);
    take_all(&again, kind, 900, 3, 5, 0);
    const char *what = names[kind];
    for (int r = 0; r < 3; r++) {
        WRONG_UNLESS(same(&first, r, &again, r),
                     "%s: two calls with the same arguments give different images", what);
        WRONG_UNLESS(!same(&first, r, &second, r), "%s: epochs 0 and 1 have the same order", what);
        WRONG_UNLESS(!same(&first, r, &reseeded, r), "%s: two seeds give the same order", what);
        for (int q = 0; q < r; q++) {
            if (kind == PARTITION_ONE_ORDER)
                WRONG_UNLESS(same(&first, q, &first, r),
                             "%s: ranks %d and %d read different images", what, q, r);
            if (kind != PARTITION_OWN_ORDERS)
                continue;
            WRONG_UNLESS(!same(&first, q, &first, r),
                         "%s: ranks %d and %d read the same images: give each its own seed", what,
                         q, r);
            WRONG_UNLESS(
                !same(&first, r, &second, q) && !same(&first, q, &second, r),
                "%s: a rank reads in epoch 1 what another read in epoch 0: add the rank to "
                "the seed, not to the epoch",
                what);
        }
    }
}

static void expect_at(const Parts *p, const int32_t *order, int rank, int i, int position)
{
    WRONG_UNLESS(p->image[rank][i] == order[position],
                 "%s: %d images, rank %d of %d: mine[%d] is image %d, expected position %d of the "
                 "order, image %d",
                 name(p), p->count, rank, p->size, i, p->image[rank][i], position, order[position]);
}

/* Walk along the orders. */
static void judge_positions(const Parts *p, uint64_t seed, int epoch)
{
    int32_t order[ROOM];
    int at = 0;
    epoch_order(order, p->count, seed, epoch);
    for (int i = 0; p->kind == PARTITION_PLAIN && i < p->n; i++)
        for (int r = 0; r < p->size; r++)
            expect_at(p, order, r, i, at++);
    for (int r = 0; p->kind != PARTITION_PLAIN && r < p->size; r++) {
        if (p->kind == PARTITION_OWN_ORDERS)
            epoch_order(order, p->count, seed++, epoch);
        if (p->kind != PARTITION_CUT)
            at = 0;
        for (int i = 0; i < p->n; i++)
            expect_at(p, order, r, i, at++);
    }
}

static void judge(void *unused)
{
    static const int sizes[][2] = {{12, 3}, {10, 1}, {10, 4}, {999, 7}, {5, 5}, {3, 5}};
    static Parts p;
    for (int kind = 0; kind < PARTITION_KINDS; kind++) {
        for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
            take_all(&p, kind, sizes[i][0], sizes[i][1], 3, i);
            expect_images(&p);
        }
        judge_orders(kind);
        for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
            take_all(&p, kind, sizes[i][0], sizes[i][1], 3, i);
            judge_positions(&p, 3, i);
        }
    }
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "partition", 8,
                          "count / size images on every rank, new ones in every epoch; plain and "
                          "cut: none twice",
                          judge);
}
