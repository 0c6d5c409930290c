/* test_link_messages.c: messages keep MPI's rules on the link of link.h: which message a receive
 * gets, from any source and with any tag, short ones, statuses, requests in any order; and what
 * blocks in MPI blocks. The same cases run on plain MPI, on a link with the real clock, and with
 * the virtual one. */
#include "harness.h"
#include "link.h"
#include "link_ranks.h"
#include "rng.h"
#include "timer.h"
#include <mpi.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static int rank, P;

/* ---- random traffic ---- */

enum { ROUNDS = 60, EACH = 12, TAGS = 3, ROOM = 3000, MOST = EACH * 8 };

typedef struct Message {
    int to, tag, count;
} Message;

/* What `from` sends in this round: the same on all ranks. */
static void draw(Message m[EACH], int from, int round)
{
    Rng r = rng_at(7, RNG_TEST, (uint32_t)round, (uint64_t)from);
    for (int i = 0; i < EACH; i++) {
        m[i].to = (int)rng_below(&r, P);
        m[i].tag = (int)rng_below(&r, TAGS);
        m[i].count = 4 + (int)rng_below(&r, rng_below(&r, 4) ? 60 : ROOM - 4);
    }
}

/* What `to` receives from `from`, in order: all tags, or one (tag >= 0). Returns how many. */
static int due_from(Message found[EACH], int from, int to, int tag, int round)
{
    Message all[EACH];
    int n = 0;
    draw(all, from, round);
    for (int i = 0; i < EACH; i++)
        if (all[i].to == to && (tag < 0 || all[i].tag == tag))
            found[n++] = all[i];
    return n;
}

static int in[MOST][ROOM], out[EACH][ROOM];

static void fill(int *v, int from, int at, Message m)
{
    for (int i = 0; i < m.count; i++)
        v[i] = i == 0 ? from : i == 1 ? m.tag : i == 2 ? at : from * 1000 + at * 10 + i;
}

/* Is it the at-th message of the stream (source, tag; -1: any) of this round, with this status? */
static void judge(const int *v, const MPI_Status *s, int tag, int at, int round)
{
    static int expected[ROOM];
    Message all[EACH];
    int count, n = due_from(all, s->MPI_SOURCE, rank, tag, round);
    assert_true(at < n);
    MPI_Get_count(s, MPI_INT, &count);
    if (count != all[at].count || s->MPI_TAG != all[at].tag)
        fail_msg("round %d: message %d from %d: %d elements with tag %d, expected %d, %d", round,
                 at, s->MPI_SOURCE, count, s->MPI_TAG, all[at].count, all[at].tag);
    fill(expected, s->MPI_SOURCE, 0, all[at]);
    expected[2] = v[2];
    for (int i = 3; i < count; i++)
        expected[i] = s->MPI_SOURCE * 1000 + v[2] * 10 + i;
    assert_memory_equal(v, expected, (size_t)count * sizeof *v);
}

/* Post receives in this round's way: -1 for any source and tag, else by source and tag. */
static int post(MPI_Request *requests, bool any, int round)
{
    Message all[EACH];
    int n = 0;
    for (int from = 0; from < P; from++)
        for (int tag = any ? -1 : 0; tag < (any ? 0 : TAGS); tag++) {
            int count = due_from(all, from, rank, tag, round);
            for (int i = 0; i < count; i++, n++)
                MPI_Irecv(in[n], ROOM, MPI_INT, any ? MPI_ANY_SOURCE : from,
                          any ? MPI_ANY_TAG : tag, MPI_COMM_WORLD, &requests[n]);
        }
    return n;
}

static void send_all(MPI_Request *requests, int round)
{
    Message all[EACH];
    draw(all, rank, round);
    for (int i = 0; i < EACH; i++) {
        Message m = all[i];
        fill(out[i], rank, i, m);
        requests[i] = MPI_REQUEST_NULL;
        switch (m.to == rank ? 0 : i % 4) { /* a blocking send to itself may wait for a receive */
        case 1: MPI_Send(out[i], m.count, MPI_INT, m.to, m.tag, MPI_COMM_WORLD); break;
        case 2: MPI_Ssend(out[i], m.count, MPI_INT, m.to, m.tag, MPI_COMM_WORLD); break;
        default: MPI_Isend(out[i], m.count, MPI_INT, m.to, m.tag, MPI_COMM_WORLD, &requests[i]);
        }
    }
}

/* All n, in one of the ways that MPI has; statuses by request. */
static void complete(int n, MPI_Request *requests, MPI_Status *statuses, int way)
{
    int done = 0, found, index, indices[MOST];
    static MPI_Status some[MOST];
    switch (way) {
    case 0: MPI_Waitall(n, requests, statuses); return;
    case 1:
        for (int i = n - 1; i >= 0; i--)
            MPI_Wait(&requests[i], &statuses[i]);
        return;
    case 2:
        while (!done)
            MPI_Testall(n, requests, &done, statuses);
        return;
    case 3:
        for (int i = 0; i < n; i++) {
            MPI_Waitany(n, requests, &index, &some[0]);
            statuses[index] = some[0];
        }
        MPI_Waitany(n, requests, &index, &some[0]);
        assert_int_equal(index, MPI_UNDEFINED);
        return;
    case 4:
        for (int left = n; left > 0; left -= found) {
            MPI_Waitsome(n, requests, &found, indices, some);
            assert_true(found > 0);
            for (int i = 0; i < found; i++)
                statuses[indices[i]] = some[i];
        }
        return;
    default:
        for (int i = 0; i < n; i++)
            for (done = 0; !done;)
                MPI_Test(&requests[i], &done, &statuses[i]);
    }
}

static void judge_round(int n, const MPI_Status *statuses, bool any, int round)
{
    int seen[16][TAGS] = {{0}};
    for (int i = 0; i < n; i++) {
        int from = statuses[i].MPI_SOURCE, tag = any ? 0 : statuses[i].MPI_TAG;
        judge(in[i], &statuses[i], any ? -1 : tag, seen[from][tag]++, round);
    }
}

static void traffic(void)
{
    static MPI_Request requests[MOST], sends[EACH];
    static MPI_Status statuses[MOST];
    for (int round = 0; round < ROUNDS; round++) {
        bool any = round % 2 && !link_virtual();
        int n = post(requests, any, round);
        assert_true(n <= MOST);
        send_all(sends, round);
        complete(n, requests, statuses, round / 2 % 6);
        judge_round(n, statuses, any, round);
        MPI_Waitall(EACH, sends, MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD); /* a wildcard must not take the next round's */
    }
}

/* ---- one call after the other ---- */

/* Any source, or the one that it must be, where the virtual clock refuses any. */
static int any_or(int source) { return link_virtual() ? source : MPI_ANY_SOURCE; }

/* Even ranks with the next one: blocking calls of all kinds, ranks that are nobody, itself. */
static void calls(MPI_Comm comm)
{
    int r, size, a[1000] = {0}, b[1000] = {0}, count, found = 0;
    MPI_Status s;
    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &size);
    int right = r + 1 < size ? r + 1 : MPI_PROC_NULL, left = r > 0 ? r - 1 : MPI_PROC_NULL;
    a[0] = r + 100, a[999] = r + 200;

    MPI_Sendrecv(a, 1000, MPI_INT, right, 3, b, 1000, MPI_INT, left, 3, comm, &s);
    MPI_Get_count(&s, MPI_INT, &count);
    assert_int_equal(s.MPI_SOURCE, left);
    assert_int_equal(count, left == MPI_PROC_NULL ? 0 : 1000);
    assert_int_equal(b[0], left == MPI_PROC_NULL ? 0 : r + 99);
    assert_int_equal(b[999], left == MPI_PROC_NULL ? 0 : r + 199);

    int turn[2] = {r, -r};
    MPI_Sendrecv_replace(turn, 2, MPI_INT, (r + 1) % size, 4, (r + size - 1) % size, 4, comm, &s);
    assert_int_equal(turn[0], (r + size - 1) % size);
    assert_int_equal(turn[1], -turn[0]);
    MPI_Sendrecv_replace(turn, 2, MPI_INT, right, 4, left, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);

    MPI_Sendrecv(a, 7, MPI_INT, r, 5, b, 9, MPI_INT, any_or(r), 5, comm, &s); /* itself */
    MPI_Get_count(&s, MPI_INT, &count);
    assert_true(count == 7 && s.MPI_SOURCE == r && b[0] == a[0]);

    MPI_Send(NULL, 0, MPI_INT, right, 6, comm); /* empty */
    MPI_Recv(NULL, 0, MPI_INT, left, 6, comm, MPI_STATUS_IGNORE);

    MPI_Datatype every_other; /* three pairs out of twelve: one struct, not in a row */
    MPI_Type_vector(3, 2, 4, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    memset(b, 0, sizeof b);
    for (int i = 0; i < 12; i++)
        a[i] = i;
    MPI_Sendrecv(a, 1, every_other, right, 7, b, 1, every_other, left, 7, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 12; i++)
        assert_int_equal(b[i], left == MPI_PROC_NULL || i % 4 > 1 ? 0 : i);
    MPI_Type_free(&every_other);

    if (right != MPI_PROC_NULL)
        MPI_Send(a, 11, MPI_INT, right, 8, comm);
    if (left != MPI_PROC_NULL) {
        MPI_Probe(any_or(left), 8, comm, &s);
        MPI_Get_count(&s, MPI_INT, &count);
        assert_true(count == 11 && s.MPI_SOURCE == left);
        while (!found)
            MPI_Iprobe(left, 8, comm, &found, &s);
        MPI_Get_count(&s, MPI_INT, &count);
        assert_int_equal(count, 11);
        MPI_Recv(b, 11, MPI_INT, left, 8, comm, &s);
    }
    MPI_Barrier(comm);
}

static void other_comms(void)
{
    MPI_Comm copy, half;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    calls(copy);
    MPI_Comm_split(copy, rank % 2, -rank, &half); /* the other way round */
    calls(half);
    int pair[2] = {-1, -1}; /* the same tag on two communicators */
    MPI_Request r[2];
    int next = (rank + 1) % P, previous = (rank + P - 1) % P;
    MPI_Irecv(&pair[0], 1, MPI_INT, previous, 1, copy, &r[0]);
    MPI_Irecv(&pair[1], 1, MPI_INT, previous, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Send((int[]){10}, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
    MPI_Send((int[]){20}, 1, MPI_INT, next, 1, copy);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    assert_true(pair[0] == 20 && pair[1] == 10);
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
}

/* ---- mistakes stay mistakes ---- */

/* A message that is too long for its receive. */
static void truncated(void)
{
    int v[16] = {0}, error;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0)
        MPI_Send(v, 9, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) {
        error = MPI_Recv(v, 8, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Error_class(error, &error);
        assert_int_equal(error, MPI_ERR_TRUNCATE);
    }
    assert_true(MPI_Send(v, -1, MPI_INT, 0, 1, MPI_COMM_WORLD) != MPI_SUCCESS);
    assert_true(MPI_Send(v, 1, MPI_INT, P, 1, MPI_COMM_WORLD) != MPI_SUCCESS);
    assert_true(MPI_Send(v, 1, MPI_DATATYPE_NULL, 0, 1, MPI_COMM_WORLD) != MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* A long MPI_Send, and any MPI_Ssend, waits until its receiver has come: two that send first wait
 * for each other. A short MPI_Send does not. */
static void blocking(void)
{
    enum { LONG = 1 << 20 };
    static int v[LONG];
    for (int i = 0; i < 3; i++) {
        int n = i == 0 ? LONG : 1;
        double sent, came = INFINITY;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            (i == 1 ? MPI_Ssend : MPI_Send)(v, n, MPI_INT, 1, 0, MPI_COMM_WORLD);
            sent = timer_real();
            MPI_Send(&sent, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
        } else if (rank == 1 && i < 2) {
            usleep(100000);
            came = timer_real();
            MPI_Recv(v, n, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(&sent, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            assert_true(sent >= came);
        } else if (rank == 1) { /* the short one is received after its end */
            MPI_Recv(&sent, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(v, n, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

/* ---- counts, and a link that changes ---- */

static void changes(void)
{
    float v[100] = {0}, w[100];
    int to = (rank + 1) % P, from = (rank + P - 1) % P;
    LinkSent before = link_sent();
    Link links[] = {{1.25e8, 2e-3}, {INFINITY, 0}, {1e5, 1e-4}, {INFINITY, 0}};
    for (int i = 0; i < 4; i++) {
        link_set(links[i]);
        assert_true(link_now_used().latency == links[i].latency);
        double times[] = {-link_now(), 0};
        MPI_Sendrecv(v, 100, MPI_FLOAT, to, 0, w, 100, MPI_FLOAT, from, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        times[1] = link_now(); /* from the first rank's begin to the last one's end */
        PMPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        assert_true(times[0] + times[1] >= links[i].latency + 400 / links[i].bandwidth);
    }
    LinkSent after = link_sent();
    assert_int_equal(after.messages - before.messages, 4);
    assert_true(after.bytes - before.bytes == 1600);
}

/* ---- all, three times ---- */

static void all(const char *link, const char *clock)
{
    link_ranks_begin(link, clock, &rank, &P);
    traffic();
    calls(MPI_COMM_WORLD);
    other_comms();
    if (P > 1) {
        truncated();
        blocking();
        changes();
    }
    MPI_Finalize();
}

TEST(plain_4, .ranks = 4) { all("none", "real"); }
static void real_link(void) { all("10Gbit/s,10us", "real"); }
TEST(real_2, .ranks = 2) { real_link(); }
TEST(real_4, .ranks = 4) { real_link(); }
static void virtual_link(void) { all("1Gbit/s,50us", "virtual"); }
TEST(virtual_1, .ranks = 1) { virtual_link(); }
TEST(virtual_2, .ranks = 2) { virtual_link(); }
TEST(virtual_4, .ranks = 4) { virtual_link(); }
TEST(virtual_7, .ranks = 7) { virtual_link(); }
TEST(virtual_none_3, .ranks = 3) { all("none", "virtual"); }
