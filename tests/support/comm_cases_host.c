/* comm_cases_host.c: comm.h on host memory, split, counts; the same bits on all ranks. See comm_cases.h. */
#include "check.h"
#include "comm_cases.h"
#include "timer.h"
#include <math.h>
#include <string.h>
#include <time.h>

/* ---- host memory, split, the counts ---- */

static void host_memory(Setup *x)
{
    Comm *c = x->c;
    for (int op = COMM_SUM; op <= COMM_MIN; op++) {
        double v[5];
        for (int i = 0; i < 5; i++)
            v[i] = number(c->rank, i);
        comm_all_reduce_host(c, v, 0, op);
        comm_all_reduce_host(c, v, 4, op);
        for (int i = 0; i < 4; i++)
            assert_true(v[i] == reduced(c, op, i));
        assert_true(v[4] == number(c->rank, 4));
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
    double began = timer_now();
    if (x->c->rank == 0)
        nanosleep(&(struct timespec){0, 200000000}, NULL);
    comm_barrier(x->c);
    assert_true(timer_now() - began > 0.15 || x->c->size == 1);
}

/* Even and odd ranks apart, each in reverse order; then every part alone. */
static void split(Setup *x)
{
    Comm *part = comm_split(x->c, x->c->rank % 2, -x->c->rank), *alone = comm_split(part, part->rank, 0);
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
            fail_msg("%d numbers: ranks 0 and %d have different bits", t.n, r);
    free(all);
}

/* Numbers whose sum depends on the order. */
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
        v[i] = i < 12 ? (i % x->c->size == x->c->rank ? NAN : i) : (i + x->c->rank) % 3 ? 0.f : -0.f;
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
        sums_of_any_numbers(x, 600011, starts);
    }
    special_numbers(x, COMM_MAX);
    special_numbers(x, COMM_MIN);
}
