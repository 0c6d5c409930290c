/* test_link_any.c: receives from any rank on the virtual clock take what arrives first on it,
 * however late the sender really gets a core; and the clock that is charged.
 */
#include "harness.h"
#include "link.h"
#include "link_ranks.h"
#include <mpi.h>
#include <math.h>
#include <unistd.h>

static int rank, P;

static void begin(const char *link)
{
    link_ranks_begin(link, "virtual", &rank, &P);
    link_charge_only(true);
    link_align();
}

/* Sender r works 10 (P - r) ms and is then asleep for as long as the others are quick. */
static void reversed(void **state)
{
    int v, got;
    begin("1Gbit/s,50us");
    v = rank;
    if (rank) {
        link_charge(0.01 * (P - rank));
        usleep(rank == P - 1 ? 300000 : 1000);
        MPI_Send(&v, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    } else
        for (int r = P - 1; r > 0; r--) {
            MPI_Status s;
            MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, r % 2 ? 3 : MPI_ANY_TAG, MPI_COMM_WORLD, &s);
            assert_int_equal(got, r);
            assert_int_equal(s.MPI_SOURCE, r);
        }
    MPI_Finalize();
}

/* A server and workers of different speeds: whom it answers when is known in advance. Returns a
 * number that depends on the order. */
static long serve(int rounds)
{
    long order = 0;
    int v = 0, open = P - 1;
    if (rank) {
        for (int i = 0; i < rounds; i++) {
            link_charge(1e-3 * (1 + rank * rank));
            usleep((unsigned)((rank * 7919 + i * 104729) % 3000));
            MPI_Send(&v, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Recv(&v, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Send(&v, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
        return 0;
    }
    double before = 0;
    while (open) {
        MPI_Status s;
        MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
        assert_true(link_now() >= before);
        before = link_now();
        order = (order * 31 + s.MPI_SOURCE) % 1000003;
        open -= s.MPI_TAG == 9;
        if (s.MPI_TAG != 9)
            MPI_Send(&v, 1, MPI_INT, s.MPI_SOURCE, 2, MPI_COMM_WORLD);
    }
    return order;
}

static void repeats(void **state)
{
    begin("1Gbit/s,50us");
    long first = serve(12);
    for (int i = 0; i < 3; i++) {
        link_align();
        assert_int_equal(serve(12), first);
    }
    MPI_Finalize();
}

/* Rank 3 waits for 2, which waits for 1, which waits for 0: none of them can send before 0 does. */
static void waits_through_others(void **state)
{
    int v = 0;
    begin("none");
    if (rank == 0) {
        MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&v, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        for (int i = 0; i < 3; i++)
            MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == P - 1) {
        link_charge(1);
        MPI_Send(&v, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&v, 1, MPI_INT, rank - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank < 3)
            MPI_Send(&v, 1, MPI_INT, rank + 1, 5, MPI_COMM_WORLD);
        MPI_Send(&v, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}

/* A sender that never calls MPI_Recv but tests; one that is in a collective; one that has left. */
static void others_busy(void **state)
{
    int v = 0, done = 0;
    begin("1Gbit/s,50us");
    if (rank == 0) {
        MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&v, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Request r;
        MPI_Irecv(&v, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &r);
        for (; !done; link_charge(1e-2))
            MPI_Test(&r, &done, MPI_STATUS_IGNORE);
    } else if (rank == 2) {
        link_charge(1);
        MPI_Send(&v, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}

/* Other ways to receive, and a communicator whose ranks are in reverse order. */
static void other_receives(void **state)
{
    MPI_Comm back;
    MPI_Status s;
    int v, own;
    begin("100Mbit/s,1ms");
    v = rank;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &back);
    MPI_Comm_rank(back, &own);
    link_align();
    if (own) {
        link_charge(0.2 * own);
        usleep(1000 * (unsigned)(P - own));
        MPI_Send(&v, 1, MPI_INT, 0, 3, back);
        if (rank)
            MPI_Send(&v, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    } else
        for (int r = 1; r < P; r++) {
            MPI_Probe(MPI_ANY_SOURCE, 3, back, &s);
            assert_int_equal(s.MPI_SOURCE, r);
            MPI_Recv(&v, 1, MPI_INT, s.MPI_SOURCE, 3, back, MPI_STATUS_IGNORE);
            assert_int_equal(v, P - 1 - r);
        }
    if (rank == 0)
        for (int r = 1; r < P - 1; r++)
            MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_free(&back);
    MPI_Finalize();
}

static void charged(void **state)
{
    begin("none");
    double began = link_now();
    usleep(20000);
    for (volatile int i = 0; i < 3000000; i++)
        ;
    assert_true(link_now() == began);
    link_charge(0.25);
    expect_close(link_now() - began, 0.25, 1e-9, 0, "charged");
    MPI_Barrier(MPI_COMM_WORLD);
    expect_close(link_now() - began, 0.25, 1e-9, 0, "after a barrier");
    link_charge_only(false);
    for (volatile int i = 0; i < 3000000; i++)
        ;
    assert_true(link_now() - began > 0.2501);
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    static const Case cases[] = {
        {.name = "reversed_4", .run = reversed, .ranks = 4},
        {.name = "reversed_7", .run = reversed, .ranks = 7},
        {.name = "repeats_2", .run = repeats, .ranks = 2},
        {.name = "repeats_5", .run = repeats, .ranks = 5},
        {.name = "waits_through_others", .run = waits_through_others, .ranks = 5},
        {.name = "others_busy", .run = others_busy, .ranks = 4},
        {.name = "other_receives", .run = other_receives, .ranks = 4},
        {.name = "charged", .run = charged, .ranks = 2},
    };
    return harness_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
