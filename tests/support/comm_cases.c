/* comm_cases.c: see comm_cases.h. */
#include "comm_cases.h"
#include "check.h"
#include "link.h"
#include "timer.h"
#include <math.h>
#include <string.h>
#include <time.h>

static const int sizes[] = {0, 1, 2, 7, 1000, 30011};
enum { SIZES = sizeof sizes / sizeof *sizes };
static const DType dtypes[] = {F32, F64, I32};

/* ---- collectives ---- */

static double summed(Setup *x, int i) { return reduced(x->c, COMM_SUM, i); }
static double largest(Setup *x, int i) { return reduced(x->c, COMM_MAX, i); }
static double smallest(Setup *x, int i) { return reduced(x->c, COMM_MIN, i); }
static double own(Setup *x, int i) { return element(x->c->rank, i); }
static double of_rank_0(Setup *x, int i) { return (void)x, element(0, i); }
static double of_last_rank(Setup *x, int i) { return element(x->c->size - 1, i); }

static int part_size; /* elements per rank, for the two below */
static double my_part_of_largest(Setup *x, int i)
{
    return reduced(x->c, COMM_MAX, x->c->rank * part_size + i);
}
static double my_part_of_sum(Setup *x, int i)
{
    return reduced(x->c, COMM_SUM, x->c->rank * part_size + i);
}
static double of_all(Setup *x, int i) { return (void)x, element(i / part_size, i % part_size); }

static void collectives_of(Setup *x, DType t, int n)
{
    double (*const results[])(Setup *, int) = {
        [COMM_SUM] = summed, [COMM_MAX] = largest, [COMM_MIN] = smallest};
    for (int op = COMM_SUM; op <= COMM_MIN; op++) {
        Tensor v = vector_new(x, t, n, x->c->rank);
        comm_all_reduce(x->c, v, op, x->s);
        check_and_free(x, v, results[op], "all_reduce");
    }
    for (int last = 0; last < 2; last++) {
        Tensor v = vector_new(x, t, n, x->c->rank);
        comm_broadcast(x->c, v, last ? x->c->size - 1 : 0, x->s);
        check_and_free(x, v, last ? of_last_rank : of_rank_0, "broadcast");
    }
    part_size = n;
    for (int op = COMM_SUM; op <= COMM_MAX; op++) {
        Tensor in = vector_new(x, t, n * x->c->size, x->c->rank), out = vector_new(x, t, n, 9);
        comm_reduce_scatter(x->c, out, in, op, x->s);
        check_and_free(x, out, op == COMM_SUM ? my_part_of_sum : my_part_of_largest,
                       "reduce_scatter");
        check_and_free(x, in, own, "reduce_scatter's input");
    }
    for (int starts = 0; starts < 2; starts++) {
        Tensor in = vector_new(x, t, n, x->c->rank), out = vector_new(x, t, n * x->c->size, 9);
        if (starts)
            comm_wait(x->c, comm_all_gather_start(x->c, out, in, x->s));
        else
            comm_all_gather(x->c, out, in, x->s);
        check_and_free(x, out, of_all, starts ? "all_gather_start" : "all_gather");
        check_and_free(x, in, own, "all_gather's input");
    }
}

/* The part is this rank's of the whole: the sum of it, then those of all. */
static void in_place(Setup *x, DType t, int n)
{
    part_size = n;
    Tensor whole = vector_new(x, t, n * x->c->size, x->c->rank);
    Tensor mine = tensor_slice(whole, (size_t)n * (size_t)x->c->rank, n);
    comm_reduce_scatter(x->c, mine, whole, COMM_SUM, x->s);
    comm_all_gather(x->c, whole, mine, x->s);
    check_and_free(x, whole, summed, "reduce_scatter and all_gather in place");
}

void comm_collectives(Setup *x)
{
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < SIZES; i++)
            collectives_of(x, dtypes[t], sizes[i]);
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < SIZES; i++)
            in_place(x, dtypes[t], sizes[i]);
}

/* ---- requests ---- */

static void several_under_way(Setup *x)
{
    Tensor sum[SIZES];
    CommRequest *r[SIZES];
    for (int i = 0; i < SIZES; i++) {
        sum[i] = vector_new(x, dtypes[i % 3], sizes[i], x->c->rank);
        r[i] = comm_all_reduce_start(x->c, sum[i], COMM_SUM, x->s);
    }
    while (!comm_test(x->c, r[2]))
        ;
    assert_true(comm_test(x->c, r[2])); /* and still valid */
    for (int i = SIZES - 1; i >= 0; i--)
        assert_int_equal(comm_wait(x->c, r[i]), -1);
    for (int i = 0; i < SIZES; i++)
        check_and_free(x, sum[i], summed, "all_reduce_start");
}

/* The second stream's operation reuses the staging memory of the first one's, whose upload must
 * have finished. */
static void two_streams(Setup *x)
{
    Setup y = *x;
    y.s = x->be->op->stream_new(x->be, 1);
    Tensor a = vector_new(x, F32, 100, x->c->rank), b = vector_new(&y, F32, 100, x->c->rank);
    comm_all_reduce(x->c, a, COMM_SUM, x->s);
    comm_all_reduce(x->c, b, COMM_MAX, y.s);
    check_and_free(x, a, summed, "all_reduce on a stream");
    check_and_free(&y, b, largest, "all_reduce on another stream");
    x->be->op->stream_free(y.s);
}

void comm_requests(Setup *x)
{
    two_streams(x);
    for (int round = 0; round < 5; round++) /* the first round's staging memory is used again */
        several_under_way(x);
    assert_int_equal(comm_wait(x->c, NULL), -1);
    assert_true(comm_test(x->c, NULL));
}

/* ---- messages ---- */

static double of_left_neighbour(Setup *x, int i)
{
    return element((x->c->rank + x->c->size - 1) % x->c->size, i);
}

static void ring(Setup *x, int n)
{
    int right = (x->c->rank + 1) % x->c->size, left = (x->c->rank + x->c->size - 1) % x->c->size;
    Tensor mine = vector_new(x, F32, n, x->c->rank), theirs = vector_new(x, F32, n, 9);
    CommRequest *received = comm_recv_start(x->c, theirs, left, 32767, x->s);
    comm_send(x->c, mine, right, 32767, x->s);
    assert_int_equal(comm_wait(x->c, received), left);
    check_and_free(x, mine, own, "send's input");
    check_and_free(x, theirs, of_left_neighbour, "recv_start");
}

static int sender; /* of the message that is checked */
static double of_sender(Setup *x, int i) { return (void)x, element(sender, i); }

/* Rank 0 receives a message from every rank, in order of arrival; the virtual clock wants names. */
static void any_source(Setup *x)
{
    if (x->c->rank > 0) {
        Tensor mine = vector_new(x, F64, 41, x->c->rank);
        comm_send(x->c, mine, 0, 7, x->s);
        check_and_free(x, mine, own, "send's input");
        return;
    }
    bool seen[4] = {true};
    for (int i = 1; i < x->c->size; i++) {
        Tensor theirs = vector_new(x, F64, 41, 9);
        sender = comm_recv(x->c, theirs, link_virtual() ? i : COMM_ANY, 7, x->s);
        assert_in_range(sender, 1, x->c->size - 1);
        assert_false(seen[sender]);
        seen[sender] = true;
        check_and_free(x, theirs, of_sender, "recv from any");
    }
}

/* Rank 1 sends with tag 5, then 4; rank 0 wants 4 first. Neither waits for the other: a send may
 * end only once it is received. */
static void tags(Setup *x)
{
    if (x->c->rank > 1)
        return;
    Tensor a = vector_new(x, I32, 10, x->c->rank), b = vector_new(x, I32, 10, x->c->rank + 5);
    if (x->c->rank == 1) {
        comm_send(x->c, a, 0, 5, x->s);
        comm_send(x->c, b, 0, 4, x->s);
    } else {
        CommRequest *first = comm_recv_start(x->c, b, 1, 4, x->s);
        assert_int_equal(comm_recv(x->c, a, 1, 5, x->s), 1);
        assert_int_equal(comm_wait(x->c, first), 1);
    }
    sender = 1;
    check_and_free(x, a, of_sender, "message with tag 5");
    sender = 6;
    check_and_free(x, b, of_sender, "message with tag 4");
}

void comm_messages(Setup *x)
{
    if (x->c->size == 1)
        return; /* a message needs two ranks: test_comm_faults.c */
    for (int i = 0; i < SIZES; i++)
        ring(x, sizes[i]);
    any_source(x);
    comm_barrier(x->c); /* messages of the next round must not pass for this one's */
    tags(x);
}

/* ---- host memory, split, counters ---- */

static void host_memory(Setup *x)
{
    Comm *c = x->c;
    for (int op = COMM_SUM; op <= COMM_MIN; op++) {
        double v[5];
        for (int i = 0; i < 5; i++)
            v[i] = element(c->rank, i);
        comm_all_reduce_host(c, v, 0, op);
        comm_all_reduce_host(c, v, 4, op);
        for (int i = 0; i < 4; i++)
            assert_true(v[i] == reduced(c, op, i));
        assert_true(v[4] == element(c->rank, 4));
    }
    for (int root = 0; root < c->size; root++) {
        char word[8] = {0}, all[8 * 4] = {0}, mine[8] = {0};
        snprintf(word, sizeof word, "from %d", c->rank);
        snprintf(mine, sizeof mine, "rank %d", c->rank);
        comm_broadcast_host(c, word, sizeof word, root);
        assert_int_equal(word[5], '0' + root);
        comm_gather_host(c, c->rank == root ? all : NULL, mine, sizeof mine, root);
        for (int r = 0; r < c->size && c->rank == root; r++)
            assert_int_equal(all[8 * r + 5], '0' + r);
    }
}

static void barrier_waits(Setup *x)
{
    comm_barrier(x->c);
    if (x->c->rank == 0)
        nanosleep(&(struct timespec){0, 50000000}, NULL);
    double came = timer_real();
    comm_barrier(x->c);
    double left = timer_real();
    comm_all_reduce_host(x->c, &came, 1, COMM_MAX);
    assert_true(left >= came); /* nobody leaves before the last one has come */
}

/* Even and odd ranks apart, each in reverse order; then each part alone. */
static void split(Setup *x)
{
    Comm *part = comm_split(x->c, x->c->rank % 2, -x->c->rank);
    Comm *alone = comm_split(part, part->rank, 0);
    int evens = (x->c->size + 1) / 2, parity = x->c->rank % 2;
    double sum = x->c->rank, expected = 0;
    assert_int_equal(part->size, parity ? x->c->size - evens : evens);
    assert_int_equal(part->rank, part->size - 1 - x->c->rank / 2);
    assert_int_equal(alone->size, 1);
    comm_all_reduce_host(part, &sum, 1, COMM_SUM);
    for (int r = parity; r < x->c->size; r += 2)
        expected += r;
    assert_true(sum == expected);
    comm_close(alone);
    comm_close(part);
}

static void places_and_bytes(Setup *x)
{
    Comm *c = x->c;
    double before = c->bytes, v[3] = {0}, payload = 0;
    assert_true(c->rank >= 0 && c->rank < c->size);
    assert_int_equal(c->local_rank, c->rank); /* these ranks share this machine */
    assert_int_equal(c->local_size, c->size);
    Tensor a = vector_new(x, F64, 10, c->rank), all = vector_new(x, F64, 10 * c->size, c->rank);
    comm_all_reduce(c, a, COMM_SUM, x->s), payload += 80;
    comm_broadcast(c, a, 0, x->s), payload += c->rank == 0 ? 80 : 0;
    comm_all_gather(c, all, a, x->s), payload += 80;
    comm_reduce_scatter(c, a, all, COMM_SUM, x->s), payload += 80 * c->size;
    comm_all_reduce_host(c, v, 3, COMM_MAX), payload += 24;
    comm_broadcast_host(c, v, 5, 0), payload += c->rank == 0 ? 5 : 0;
    assert_true(c->bytes - before == (c->size > 1 ? payload : 0));
    x->be->op->stream_sync(x->s);
    x->be->op->buffer_free(a.buf);
    x->be->op->buffer_free(all.buf);
}

void comm_host(Setup *x)
{
    host_memory(x);
    barrier_waits(x);
    split(x);
    places_and_bytes(x);
}

/* ---- the same bits on every rank ---- */

static void assert_same_bits(Setup *x, Tensor t, float *mine)
{
    size_t bytes = t.n * sizeof *mine;
    float *all = x->c->rank == 0 ? alloc(x->c->size, bytes) : NULL;
    x->be->op->download(x->s, mine, t);
    comm_gather_host(x->c, all, mine, bytes, 0);
    for (int r = 1; r < x->c->size && all; r++)
        if (memcmp(all, all + r * t.n, bytes))
            fail_msg("%d elements: ranks 0 and %d have different bits", t.n, r);
    free(all);
}

/* Elements whose sum depends on the order. */
static void sums_of_any_numbers(Setup *x, int n, bool starts)
{
    float *v = alloc(n, sizeof *v);
    double *sum = alloc(n, sizeof *sum);
    for (int r = 0; r < x->c->size; r++)
        for (int i = 0; i < n; i++) {
            float draw = (float)(sin(i * 12.9898 + r * 78.233) * exp(5 * cos(i + r)));
            sum[i] += draw;
            v[i] = r == x->c->rank ? draw : v[i];
        }
    Tensor t = tensor_vector(x->be->op->buffer_new(x->be, n * sizeof *v), 0, F32, n);
    x->be->op->upload(x->s, t, v);
    if (starts)
        comm_wait(x->c, comm_all_reduce_start(x->c, t, COMM_SUM, x->s));
    else
        comm_all_reduce(x->c, t, COMM_SUM, x->s);
    assert_same_bits(x, t, v);
    expect_near(v, sum, n, 1e-6, "sum over ranks");
    x->be->op->buffer_free(t.buf);
    free(v);
    free(sum);
}

/* A NaN on one rank is a NaN on all; +0 and -0 on different ranks give one of them on all. */
static void special_numbers(Setup *x, CommOp op)
{
    float v[24];
    for (int i = 0; i < 24; i++)
        v[i] = i < 12               ? (i % x->c->size == x->c->rank ? NAN : i)
             : (i + x->c->rank) % 3 ? 0.f
                                    : -0.f;
    Tensor t = tensor_vector(x->be->op->buffer_new(x->be, sizeof v), 0, F32, 24);
    x->be->op->upload(x->s, t, v);
    double nan = x->c->rank == x->c->size / 2 ? NAN : 1, zero = x->c->rank % 2 ? -0. : 0.;
    comm_all_reduce(x->c, t, op, x->s);
    assert_same_bits(x, t, v);
    for (int i = 0; i < 12; i++)
        assert_true(isnan(v[i]));
    comm_all_reduce_host(x->c, &nan, 1, op);
    assert_true(isnan(nan));
    comm_all_reduce_host(x->c, &zero, 1, op);
    assert_true(zero == 0 && !signbit(zero) == (op == COMM_MAX || x->c->size == 1));
    x->be->op->buffer_free(t.buf);
}

void comm_same_bits(Setup *x)
{
    for (int starts = 0; starts < 2; starts++) {
        sums_of_any_numbers(x, 5, starts);
        sums_of_any_numbers(x, 4099, starts);
        sums_of_any_numbers(x, 300011, starts);
    }
    special_numbers(x, COMM_MAX);
    special_numbers(x, COMM_MIN);
}
