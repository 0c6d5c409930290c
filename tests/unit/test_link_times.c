/* test_link_times.c: how long things take on the link of link.h, with the virtual clock: five
 * all-reduces over messages against the α-β model, MPI's own collectives against link_seconds, and
 * what overlaps. A busy machine disturbs a figure now and then, an error every time: one that is
 * not right is taken again, on all ranks, up to fifty times in all. */
#include "five_all_reduces.h"
#include "harness.h"
#include "link_ranks.h"
#include "timer.h"
#include <mpi.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

static int rank, P;
static const Link link_used = {1.25e8, 50e-6}; /* 1 Gbit/s, 50 µs */

static double over_ranks(double value, MPI_Op op)
{
    PMPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
    return value;
}

static bool near(double got, double expected, double atol, double rtol, const char *what)
{
    bool right = fabs(got - expected) <= atol + rtol * fabs(expected);
    if (!right)
        printf("rank %d, %s: %.9g, expected %.9g\n", rank, what, got, expected);
    return right;
}

enum { TRIES = 50 };

/* The figure `measure` finds is right on every rank in one of the tries. */
static void expect_figure(bool (*measure)(double), double argument, const char *what)
{
    for (int i = 0; i < TRIES; i++)
        if (over_ranks(measure(argument), MPI_MIN) == 1)
            return;
    fail_msg("%s: not right in %d tries on %d ranks", what, TRIES, P);
}

/* ---- by hand ---- */

/* The model's time, but for parts that are not all equally long; and the same again. */
static void agrees(int k, int n)
{
    double model = five_predicted(k, P, 4.0 * n, link_used);
    double first = five_measured(k, n, 1, MPI_COMM_WORLD);
    double second = five_measured(k, n, 1, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%-16s %8d bytes: %9.3f and %9.3f ms, model %9.3f ms, ratio %.5f\n",
               all_reduces[k].name, 4 * n, first * 1e3, second * 1e3, model * 1e3, first / model);
    if (!(fabs(first / model - 1) <= 1e-3 && fabs(second / first - 1) <= 1e-6))
        fail_msg("%s on %d ranks, %d elements", all_reduces[k].name, P, n);
}

static void by_hand(void)
{
    static const int sizes[] = {256, 4096, 262144};
    link_ranks_begin("1Gbit/s,50us", "virtual", &rank, &P);
    for (int k = 0; k < ALL_REDUCES; k++)
        for (int i = 0; i < 3; i++)
            if (five_has_model(k, P))
                agrees(k, sizes[i]);
    MPI_Finalize();
}
TEST(by_hand_2, .ranks = 2) { by_hand(); }
TEST(by_hand_3, .ranks = 3) { by_hand(); }
TEST(by_hand_4, .ranks = 4) { by_hand(); }
TEST(by_hand_5, .ranks = 5) { by_hand(); }
TEST(by_hand_8, .ranks = 8) { by_hand(); }

/* ---- MPI's own ---- */

static float v[1 << 16], w[1 << 16];

typedef enum {
    ALL_REDUCE,
    BROADCAST,
    REDUCE,
    BARRIER,
    GATHER,
    ALL_GATHER,
    ALL_TO_ALL,
    SCAN,
    ALL_GATHER_V,
    REDUCE_SCATTER_V,
    GATHER_V,
    SCATTER_V,
    ALL_TO_ALL_V,
    SPLIT,
    OWN
} Own;

/* Those whose ranks may have different sizes, here alike. */
static double unequal(Own what, int n)
{
    int counts[64], at[64];
    for (int r = 0; r < P; r++) {
        counts[r] = n / P;
        at[r] = r * (n / P);
    }
    if (what == ALL_GATHER_V)
        MPI_Allgatherv(v, n / P, MPI_FLOAT, w, counts, at, MPI_FLOAT, MPI_COMM_WORLD);
    else if (what == REDUCE_SCATTER_V)
        MPI_Reduce_scatter(v, w, counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    else if (what == GATHER_V)
        MPI_Gatherv(v, n / P, MPI_FLOAT, w, counts, at, MPI_FLOAT, 0, MPI_COMM_WORLD);
    else if (what == SCATTER_V)
        MPI_Scatterv(v, counts, at, MPI_FLOAT, w, n / P, MPI_FLOAT, 0, MPI_COMM_WORLD);
    else
        MPI_Alltoallv(v, counts, at, MPI_FLOAT, w, counts, at, MPI_FLOAT, MPI_COMM_WORLD);
    return link_seconds(what == ALL_TO_ALL_V ? LINK_ALL_TO_ALL : LINK_REDUCE_SCATTER, P,
                        4.0 * (n / P) * P, link_used);
}

static double own(Own what, int n)
{
    double bytes = 4.0 * n;
    switch (what) {
    case ALL_REDUCE:
        MPI_Allreduce(v, w, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        return link_seconds(LINK_ALL_REDUCE, P, bytes, link_used);
    case BROADCAST:
        MPI_Bcast(v, n, MPI_FLOAT, P - 1, MPI_COMM_WORLD);
        return link_seconds(LINK_BROADCAST, P, bytes, link_used);
    case REDUCE:
        MPI_Reduce(v, w, n, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
        return link_seconds(LINK_BROADCAST, P, bytes, link_used);
    case BARRIER: MPI_Barrier(MPI_COMM_WORLD); return link_seconds(LINK_BARRIER, P, 0, link_used);
    case GATHER:
        MPI_Gather(v, n / P, MPI_FLOAT, w, n / P, MPI_FLOAT, 0, MPI_COMM_WORLD);
        return link_seconds(LINK_REDUCE_SCATTER, P, bytes / P * P, link_used);
    case ALL_GATHER:
        MPI_Allgather(v, n / P, MPI_FLOAT, w, n / P, MPI_FLOAT, MPI_COMM_WORLD);
        return link_seconds(LINK_REDUCE_SCATTER, P, 4.0 * (n / P) * P, link_used);
    case SCAN:
        MPI_Scan(v, w, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        return link_seconds(LINK_ALL_REDUCE, P, bytes, link_used);
    case SPLIT: {
        MPI_Comm part;
        MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &part);
        MPI_Comm_free(&part);
        return link_seconds(LINK_BARRIER, P, 0, link_used);
    }
    case ALL_TO_ALL:
        MPI_Alltoall(v, n / P, MPI_FLOAT, w, n / P, MPI_FLOAT, MPI_COMM_WORLD);
        return link_seconds(LINK_ALL_TO_ALL, P, 4.0 * (n / P) * P, link_used);
    default: return unequal(what, n);
    }
}

/* All ranks leave at the same moment: the last one's start and the seconds of the model. */
static bool ends_together(Own what, int n)
{
    link_align();
    burn(rank == P - 1 ? 2e-3 : 1e-4);
    double began = link_now(), seconds = own(what, n), ended = link_now();
    double off = over_ranks(ended, MPI_MAX) - over_ranks(began, MPI_MAX) - seconds;
    double apart = over_ranks(ended, MPI_MAX) - over_ranks(ended, MPI_MIN);
    if (rank == 0)
        printf("kind %d, %d elements: %.1f us, %.1f us too late, ranks %.1f us apart\n", what, n,
               1e6 * seconds, 1e6 * off, 1e6 * apart);
    double own_work = what == SPLIT ? 1e-3 : 20e-6; /* seconds: of MPI, on this processor */
    return off > -1e-9 && off < own_work + 0.01 * seconds && apart < own_work;
}

static void collectives(void)
{
    link_ranks_begin("1Gbit/s,50us", "virtual", &rank, &P);
    for (Own what = ALL_REDUCE; what < OWN; what++)
        for (int n = P; n <= 1 << 16; n *= 64) {
            bool right = false;
            for (int try = 0; try < TRIES && !right; try++)
                right = ends_together(what, n);
            if (!right)
                fail_msg("collective %d on %d ranks, %d elements", what, P, n);
        }
    MPI_Finalize();
}
TEST(collectives_2, .ranks = 2) { collectives(); }
TEST(collectives_3, .ranks = 3) { collectives(); }
TEST(collectives_8, .ranks = 8) { collectives(); }

/* ---- what overlaps ---- */

enum { N = 1 << 16 };

static double whole(void) { return link_seconds(LINK_ALL_REDUCE, P, 4.0 * N, link_used); }
static double quarter(void) { return link_seconds(LINK_ALL_REDUCE, P, 1.0 * N, link_used); }

/* One all-reduce of N elements, and before its wait `share` of its seconds of work. */
static bool with_work(double share)
{
    MPI_Request r;
    link_align();
    double began = link_now();
    MPI_Iallreduce(v, w, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &r);
    burn(share * whole());
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    return near(link_now() - began, fmax(1, share) * whole(), 50e-6 * fmax(1, share), 0.03,
                "with work");
}

/* The same, with a loop of tests for the work. */
static bool polled(double unused)
{
    MPI_Request r;
    int done = 0;
    link_align();
    double began = link_now();
    MPI_Iallreduce(v, w, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &r);
    while (!done)
        MPI_Test(&r, &done, MPI_STATUS_IGNORE);
    double took = link_now() - began;
    assert_true(r == MPI_REQUEST_NULL);
    return near(took, whole(), 100e-6, 0.03, "a loop of tests");
}

/* Three in flight, waited for in another order. */
static bool in_a_row(double one)
{
    MPI_Request r[3];
    double at[3];
    link_align();
    double began = link_now();
    for (int i = 0; i < 3; i++)
        MPI_Iallreduce(v, w + i, N / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &r[i]);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    at[1] = link_now() - began;
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    at[0] = link_now() - began;
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    at[2] = link_now() - began;
    return near(at[1], 2 * one, 50e-6, 0.03, "the second of three") &&
           near(at[0], 2 * one, 50e-6, 0.03, "the first, waited for later") &&
           near(at[2], 3 * one, 50e-6, 0.03, "the third");
}

/* A blocking one queues behind one in flight on its communicator, and not on another. */
static bool behind(double apart)
{
    MPI_Request r;
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    link_align();
    double began = link_now();
    MPI_Iallreduce(v, w, N / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &r);
    MPI_Allreduce(MPI_IN_PLACE, v, N / 4, MPI_FLOAT, MPI_SUM, apart ? other : MPI_COMM_WORLD);
    double took = link_now() - began;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Comm_free(&other);
    return near(took, apart ? quarter() : 2 * quarter(), 50e-6, 0.03, "a blocking one");
}

/* What rank 0 sends without waiting leaves one after the other. */
static bool sends_queue(double one)
{
    MPI_Request r[2];
    link_align();
    double began = link_now();
    for (int i = 0; i < 2 && rank < 2; i++)
        if (rank == 0)
            MPI_Isend(v, N, MPI_FLOAT, 1, i, MPI_COMM_WORLD, &r[i]);
        else
            MPI_Irecv(i ? v : w, N, MPI_FLOAT, 0, i, MPI_COMM_WORLD, &r[i]);
    if (rank >= 2)
        return true;
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    return near(link_now() - began, 2 * one + rank * link_used.latency, 50e-6, 0.02, "two");
}

/* On communicators of all kinds an all-reduce takes its time; and its status tells no more than a
 * test. */
static bool of_all_kinds(double unused)
{
    MPI_Comm made[6];
    MPI_Group group;
    MPI_Request r;
    bool right = true;
    int sizes[] = {P}, rings[] = {1}, kept[] = {1}, to = (rank + 1) % P, from = (rank + P - 1) % P,
        one = 1, done;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, rings, 0, &made[0]);
    MPI_Cart_sub(made[0], kept, &made[1]);
    MPI_Comm_create(MPI_COMM_WORLD, group, &made[2]);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &made[3]);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, &one, 1, &to, &one, MPI_INFO_NULL, 0,
                                   &made[4]);
    MPI_Comm_create_group(made[3], group, 5, &made[5]);
    for (int i = 0; i < 6; i++) {
        link_align();
        double began = link_now();
        MPI_Iallreduce(v, w, N, MPI_FLOAT, MPI_SUM, made[i], &r);
        do
            MPI_Request_get_status(r, &done, MPI_STATUS_IGNORE);
        while (!done);
        right &= near(link_now() - began, whole(), 100e-6, 0.03, "a communicator");
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Comm_free(&made[i]);
    }
    MPI_Group_free(&group);
    return right;
}

static void overlap(void)
{
    link_ranks_begin("1Gbit/s,50us", "virtual", &rank, &P);
    expect_figure(with_work, 0, "no work");
    expect_figure(with_work, 0.5, "half hidden");
    expect_figure(with_work, 2, "all hidden");
    expect_figure(polled, 0, "a loop of tests");
    expect_figure(sends_queue, 4.0 * N / link_used.bandwidth, "two sends");
    expect_figure(in_a_row, quarter(), "three in a row");
    expect_figure(behind, false, "behind one in flight");
    expect_figure(behind, true, "beside one in flight");
    expect_figure(of_all_kinds, 0, "communicators of all kinds");
    MPI_Finalize();
}
TEST(overlap_2, .ranks = 2) { overlap(); }
TEST(overlap_3, .ranks = 3) { overlap(); }

/* A receiver that waits for a late message has the early ones already. */
static bool late_one_last(double one)
{
    static float got[N];
    link_align();
    double began = link_now();
    if (rank == 0) {
        for (int from = 1; from < P; from++)
            MPI_Recv(got, N, MPI_FLOAT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        /* The others', one after the other, while rank 1 works; then rank 1's. */
        return near(link_now() - began, 0.1 + 1e-3 + one, 1e-4, 0.02, "the late one last");
    }
    burn(rank == 1 ? 0.1 : 0);
    MPI_Send(v, N, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
    return near(link_now() - began, one + (rank == 1 ? 0.1 : 0), 1e-4, 0.02, "a send");
}

TEST(early, .ranks = 4)
{
    link_ranks_begin("100Mbit/s,1ms", "virtual", &rank, &P);
    expect_figure(late_one_last, 4.0 * N / 1.25e7, "the late one last"); /* 21 ms each */
    MPI_Finalize();
}

/* From rank to rank; then a sleep and a barrier, which take no time. */
static bool passed_on(double work)
{
    link_align();
    double began = link_now();
    if (rank == 0)
        burn(work);
    for (int r = 0; r < P - 1; r++) {
        if (rank == r)
            MPI_Send(v, 1000, MPI_FLOAT, r + 1, 0, MPI_COMM_WORLD);
        if (rank == r + 1)
            MPI_Recv(v, 1000, MPI_FLOAT, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    bool right = near(link_now() - began, work, 1e-4, 0.02, "rank 0's work");
    usleep(300000);
    right &= near(MPI_Wtime(), timer_now(), 1e-4, 0, "MPI_Wtime");
    MPI_Barrier(MPI_COMM_WORLD);
    return right & near(link_now() - began, work, 2e-4, 0.02, "a sleep");
}

/* A message takes the sender's time along, without a link, too. */
TEST(only_virtual, .ranks = 4)
{
    link_ranks_begin("none", "virtual", &rank, &P);
    assert_true(link_virtual() && isinf(link_now_used().bandwidth));
    expect_figure(passed_on, 0.02, "only the clock");
    MPI_Finalize();
}

TEST(charged, .ranks = 2)
{
    link_ranks_begin("none", "virtual", &rank, &P);
    link_charge_only(true);
    link_align();
    double began = link_now();
    usleep(20000);
    burn(0.01);
    assert_true(link_now() == began);
    link_charge(0.25);
    expect_close(link_now() - began, 0.25, 1e-9, 0, "charged");
    MPI_Barrier(MPI_COMM_WORLD);
    expect_close(link_now() - began, 0.25, 1e-9, 0, "after a barrier");
    link_charge_only(false);
    burn(0.01);
    assert_true(link_now() - began > 0.2501);
    MPI_Finalize();
}
