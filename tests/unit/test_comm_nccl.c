/* test_comm_nccl.c: comm_nccl.c over a fake NCCL and CUDA runtime (fake_nccl.h): no GPU
 * is needed, and no real NCCL is run. What comm.h promises, from the same tables of checks as the
 * other implementations; the way of each tensor; the notes where NCCL cannot be used. As
 * `test_comm_nccl --scenario NAME` it is the program whose ranks tests/e2e/nccl_faults.sh sees
 * fail.
 */
#include "comm_cases.h"
#include "cuda_memory.h"
#ifndef HAVE_NCCL
TEST(double) { SKIP("no NCCL to compile with"); }
#else
#include "check.h"
#include "comm/comm_open.h"
#include "fake_nccl.h"
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- comm.h's promises ---- */

static void all(Setup *x)
{
    int before = fake_calls;
    bool on_gpu = !strcmp(x->be->op->name, "cuda memory");
    comm_collectives(x);
    comm_requests(x);
    assert_int_equal(fake_calls > before, on_gpu); /* NCCL was used, or was not */
    assert_string_equal(x->c->op->name, fake_calls ? "nccl" : "mpi");
    comm_messages(x);
    comm_host(x);
    comm_same_bits(x);
}

static void over_double(const char *kind, void (*group)(Setup *))
{
    over_gpu(kind, group);
    assert_int_equal(fake_alive, 0);
}

static void asked(void) { over_double("nccl", all); }
TEST(double_1, .ranks = 1) { asked(); }
TEST(double_2, .ranks = 2) { asked(); }
TEST(double_4, .ranks = 4) { asked(); }
TEST(double_3, .ranks = 3) { over_double("auto", all); }

/* One GPU and ranks that say they are on machines of their own: NCCL, as nccl_one_gpu.sh tries it
 * on a real one. */
TEST(host_ids_2, .ranks = 2)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    fake_one_gpu = true;
    setenv("NCCL_HOSTID", rank ? rank : "0", true);
    asked();
}

static void eager(void)
{
    fake_eager = true;
    asked();
}
TEST(eager_2, .ranks = 2) { eager(); }
TEST(eager_3, .ranks = 3) { eager(); }

/* ---- which way a tensor goes ---- */

static double own_sum(Setup *x, int i) { return reduced(x->c, COMM_SUM, i); }
static double own_largest(Setup *x, int i) { return reduced(x->c, COMM_MAX, i); }

static void reduce_one(Setup *x, DType t, CommOp op, bool by_nccl)
{
    int before = fake_calls;
    Tensor v = vector_new(x, t, 50, x->c->rank);
    comm_all_reduce(x->c, v, op, x->s);
    assert_int_equal(fake_calls - before, by_nccl);
    check_and_free(x, v, op == COMM_SUM ? own_sum : own_largest, "all_reduce");
}

static void operations(Setup *x)
{
    bool on_gpu = !strcmp(x->be->op->name, "cuda memory");
    reduce_one(x, F32, COMM_SUM, on_gpu);
    reduce_one(x, F64, COMM_SUM, on_gpu);
    reduce_one(x, I32, COMM_SUM, on_gpu);
    reduce_one(x, I32, COMM_MAX, on_gpu);
    reduce_one(x, F32, COMM_MAX, false); /* a NaN must win */
    reduce_one(x, F64, COMM_MAX, false);
}

/* Not done before its work is; and asking leaves no error behind, which the next kernel's launch
 * would take for its own. */
static void started(Setup *x)
{
    Tensor v = vector_new(x, F32, 50, x->c->rank);
    CommRequest *r = comm_all_reduce_start(x->c, v, COMM_SUM, x->s);
    int before = 0;
    while (!comm_test(x->c, r)) {
        assert_int_equal(cudaGetLastError(), cudaSuccess);
        before++;
    }
    assert_true(before > 0 || strcmp(x->be->op->name, "cuda memory"));
    comm_wait(x->c, r);
    check_and_free(x, v, own_sum, "all_reduce_start");
}

TEST(not_waiting_2, .ranks = 2) { over_double("nccl", started); }
TEST(carriers_2, .ranks = 2) { over_double("auto", operations); }

/* Bytes: odd counts, odd offsets, each rank's its own. */
static void moved(Setup *x)
{
    enum { N = 37 };
    uint8_t bytes[4 * N + 1];
    int size = x->c->size, rank = x->c->rank;
    Buffer *buf = x->be->op->buffer_new(x->be, sizeof bytes),
           *from = x->be->op->buffer_new(x->be, sizeof bytes);
    Tensor whole = tensor_vector(buf, 1, U8, N * size), mine = tensor_vector(from, 3, U8, N);
    memset(bytes, 10 + rank, N);
    x->be->op->upload(x->s, mine, bytes);
    x->be->op->stream_sync(x->s);
    comm_all_gather(x->c, whole, mine, x->s);
    x->be->op->download(x->s, bytes, whole);
    for (int i = 0; i < N * size; i++)
        assert_int_equal(bytes[i], 10 + i / N);
    mine.dtype = BF16, mine.n = 15; /* bytes 6 to 35 of its buffer */
    comm_broadcast(x->c, mine, size - 1, x->s);
    x->be->op->download(x->s, bytes, mine);
    for (int i = 0; i < 30; i++)
        assert_int_equal(bytes[i], 10 + size - 1);
    x->be->op->buffer_free(buf);
    x->be->op->buffer_free(from);
}

TEST(any_dtype_3, .ranks = 3) { over_double("nccl", moved); }

/* The whole and its parts in turn. */
static void parts(Setup *x)
{
    Comm *whole = x->c;
    Setup y = *x;
    y.c = comm_split(whole, whole->rank % 2, whole->rank);
    Tensor a = vector_new(x, F32, 100, whole->rank), b = vector_new(&y, F32, 100, y.c->rank);
    comm_all_reduce(whole, a, COMM_SUM, x->s);
    comm_all_reduce(y.c, b, COMM_SUM, y.s);
    assert_string_equal(y.c->op->name, strcmp(x->be->op->name, "cuda memory") ? "mpi" : "nccl");
    check_and_free(x, a, own_sum, "whole");
    check_and_free(&y, b, own_sum, "part");
    comm_close(y.c);
}

TEST(split_4, .ranks = 4) { over_double("nccl", parts); }

/* ---- where NCCL cannot be used ---- */

typedef struct Stderr {
    int kept;
    FILE *file;
} Stderr;

static Stderr capture(void)
{
    fflush(stderr);
    Stderr s = {dup(2), tmpfile()};
    dup2(fileno(s.file), 2);
    return s;
}

/* stderr since then: on rank 0 one line with both words, elsewhere nothing. */
static void expect_stderr(Stderr s, int rank, const char *word, const char *other)
{
    char text[1000] = {0};
    fflush(stderr);
    dup2(s.kept, 2);
    close(s.kept);
    rewind(s.file);
    size_t size = fread(text, 1, sizeof text - 1, s.file);
    fclose(s.file);
    if (rank > 0 || !word) {
        assert_string_equal(text, "");
        return;
    }
    if (!strstr(text, word) || !strstr(text, other) || strchr(text, '\n') != text + size - 1)
        fail_msg("expected one line with '%s' and '%s': %s", word, other, text);
    printf("    %s", text);
}

static void by_mpi(Setup *x)
{
    Tensor a = vector_new(x, F32, 100, x->c->rank);
    comm_all_reduce(x->c, a, COMM_SUM, x->s);
    check_and_free(x, a, own_sum, "all_reduce");
    assert_string_equal(x->c->op->name, "mpi");
}

static Setup setup_open(const char *kind, bool on_gpu)
{
    Setup x = {.c = comm_open(kind)};
    x.be = on_gpu ? cuda_memory_open(x.c->local_rank) : fake_backend_open(true);
    x.s = x.be->op->stream_new(x.be, 1);
    return x;
}

static void setup_close(Setup *x)
{
    x->be->op->stream_free(x->s);
    x->be->op->close(x->be);
    comm_close(x->c);
}

/* Two ranks on one GPU: one note, and all that comm.h promises over MPI; a part of one rank has its
 * own GPU. */
TEST(shared_gpu_2, .ranks = 2)
{
    fake_one_gpu = true;
    Setup x = setup_open("auto", true);
    Stderr s = capture();
    by_mpi(&x);
    by_mpi(&x);
    expect_stderr(s, x.c->rank, "ranks 0 and 1 share GPU 0000:01:00.0",
                  "over MPI, staged through host memory");
    comm_collectives(&x);
    comm_requests(&x);
    comm_messages(&x);
    assert_int_equal(fake_calls, 0);
    s = capture();
    Setup y = x;
    y.c = comm_split(x.c, 0, x.c->rank);
    by_mpi(&y);
    comm_close(y.c);
    expect_stderr(s, x.c->rank, NULL, NULL);
    Comm *alone = comm_split(x.c, x.c->rank, 0);
    Tensor a = vector_new(&x, F32, 5, 3);
    comm_all_reduce(alone, a, COMM_SUM, x.s);
    assert_string_equal(alone->op->name, "nccl");
    x.be->op->stream_sync(x.s);
    x.be->op->buffer_free(a.buf);
    comm_close(alone);
    setup_close(&x);
}

/* A part prints the note first: then all ranks and other parts do not. */
TEST(told_by_part_2, .ranks = 2)
{
    fake_one_gpu = true;
    Setup x = setup_open("auto", true), y = x;
    y.c = comm_split(x.c, 0, x.c->rank);
    Stderr s = capture();
    by_mpi(&y);
    expect_stderr(s, x.c->rank, "ranks 0 and 1 share GPU 0000:01:00.0",
                  "over MPI, staged through host memory");
    s = capture();
    by_mpi(&x);
    comm_close(y.c);
    y.c = comm_split(x.c, 0, x.c->rank);
    by_mpi(&y);
    expect_stderr(s, x.c->rank, NULL, NULL);
    comm_close(y.c);
    setup_close(&x);
}

TEST(some_without_gpu_3, .ranks = 3)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    Setup x = setup_open("nccl", rank && atoi(rank) == 0);
    Stderr s = capture();
    by_mpi(&x);
    by_mpi(&x);
    expect_stderr(s, x.c->rank, "rank 0 on ", "in host memory: tensors go over MPI");
    assert_int_equal(fake_calls, 0);
    setup_close(&x);
}

/* --comm nccl notes that host memory goes over MPI, --comm auto prints nothing. */
static void on_host(const char *kind)
{
    Setup x = setup_open(kind, false);
    Stderr s = capture();
    by_mpi(&x);
    by_mpi(&x);
    expect_stderr(s, x.c->rank, strcmp(kind, "nccl") ? NULL : "the tensors are in host memory",
                  "over MPI");
    setup_close(&x);
}
TEST(on_host_2, .ranks = 2) { on_host("nccl"); }
TEST(on_host_auto_2, .ranks = 2) { on_host("auto"); }

/* Host memory first does not decide for the GPU's; and a GPU's memory that CUDA does not know
 * counts as the host's. */
TEST(host_first_2, .ranks = 2)
{
    Setup x = setup_open("auto", false), y = x;
    by_mpi(&x);
    y.be = cuda_memory_open(x.c->local_rank);
    y.s = y.be->op->stream_new(y.be, 1);
    fake_unknown = true;
    by_mpi(&y);
    fake_unknown = false;
    reduce_one(&y, F32, COMM_SUM, true);
    assert_string_equal(x.c->op->name, "nccl");
    reduce_one(&x, F32, COMM_SUM, false);
    y.be->op->stream_free(y.s);
    y.be->op->close(y.be);
    setup_close(&x);
}

static void open_it(void *kind) { comm_open(kind); }

TEST(no_gpu)
{
    fake_fault = FAULT_NO_GPU;
    expect_death(EXIT_TODO, open_it, "nccl", "--comm nccl: no NCCL here: no GPU", "--comm mpi",
                 NULL);
    fake_fault = NO_FAULT;
    setenv("LABS_COMM_SECONDS", "soon", true);
    expect_death(EXIT_USAGE, open_it, "nccl", "LABS_COMM_SECONDS=soon", NULL);
    setenv("LABS_COMM_SECONDS", "5 min", true);
    expect_death(EXIT_USAGE, open_it, "nccl", "LABS_COMM_SECONDS=5 min", NULL);
}

/* ---- scenarios ---- */

/* All-reduces on a GPU until something ends them; the host then waits in the stream, as a program
 * does. */
static void reduce(Setup *x, int times)
{
    for (int i = 0; i < times; i++) {
        Tensor v = vector_new(x, F32, 1000, x->c->rank);
        comm_all_reduce(x->c, v, COMM_SUM, x->s);
        x->be->op->stream_sync(x->s);
        x->be->op->buffer_free(v.buf);
    }
}

static _Noreturn void run_scenario(const char *name)
{
    alarm(60);
    fake_fault = !strcmp(name, "start") ? FAULT_START
               : !strcmp(name, "call")  ? FAULT_CALL
               : !strcmp(name, "without") && atoi(getenv("OMPI_COMM_WORLD_RANK")) == 1
                   ? FAULT_NO_GPU
               : !strcmp(name, "end")  ? FAULT_END
               : !strcmp(name, "link") ? FAULT_LINK
               : !strcmp(name, "gpu")  ? FAULT_GPU
                                       : NO_FAULT;
    Setup x = setup_open("nccl", true);
    /* a rank stays away from the third all-reduce, rank 0 or the last */
    int absent = getenv("FIRST_ABSENT") ? 0 : x.c->size - 1;
    reduce(&x, !strcmp(name, "absent") && x.c->rank == absent ? 2 : 3);
    if (!strcmp(name, "gpu")) /* nobody waits for the stream */
        comm_all_reduce(x.c, vector_new(&x, F32, 1000, x.c->rank), COMM_SUM, x.s);
    if (!strcmp(name, "end"))
        setup_close(&x);
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--scenario"))
        run_scenario(argv[2]);
    return harness_main(argc, argv);
}
#endif
