/* test_comm_faults.c: the mistakes that comm.h refuses, and its facts in the audit. As
 * `test_comm_faults --scenario NAME` it is the program whose ranks the end-to-end tests see killed,
 * in error, interrupted (tests/e2e/rank_death.sh, launch.sh).
 */
#include "audit.h"
#include "check.h"
#include "comm.h"
#include "comm/comm_open.h"
#include "fake_backend.h"
#include "harness.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- refused ---- */

typedef enum Wrong {
    HALO,
    DTYPE,
    ROOT,
    PARTS,
    OVERLAP,
    TO_ITSELF,
    FROM_ANY_ALONE,
    TAG,
    COLOUR,
    TOO_LARGE,
    CLOSE_EARLY
} Wrong;

typedef struct Call {
    Comm *c;
    Stream *s;
    Buffer *buf;
    int size;
    Wrong wrong;
} Call;

static Tensor vector(Call *x, int n) { return tensor_vector(x->buf, 0, F32, n); }

static void wrong_call(void *p)
{
    Call *x = p;
    Tensor t = vector(x, 8), whole = vector(x, 40);
    switch (x->wrong) {
    case HALO: t.halo = 1, comm_all_reduce(x->c, t, COMM_SUM, x->s); break;
    case DTYPE: t.dtype = BF16, comm_all_reduce(x->c, t, COMM_SUM, x->s); break;
    case ROOT: comm_broadcast(x->c, t, x->size, x->s); break;
    case PARTS: comm_all_gather(x->c, vector(x, 9), tensor_slice(whole, 20, 10), x->s); break;
    case OVERLAP:
        comm_reduce_scatter(x->c, tensor_slice(whole, 5 * x->size - 1, 5), vector(x, 5 * x->size),
                            COMM_SUM, x->s);
        break;
    case TO_ITSELF: comm_send(x->c, t, 0, 1, x->s); break;
    case FROM_ANY_ALONE: comm_recv(x->c, t, COMM_ANY, 1, x->s); break;
    case TAG: comm_send(x->c, t, 1, 32768, x->s); break;
    case COLOUR: comm_split(x->c, -1, 0); break;
    case TOO_LARGE:
        comm_broadcast(x->c, tensor_matrix(x->buf, 0, U8, 1 << 16, 1 << 15), 0, x->s);
        break;
    case CLOSE_EARLY: comm_recv_start(x->c, t, 1, 1, x->s), comm_close(x->c); break;
    }
}

static void refused(Call *x, Wrong wrong, int status, const char *words, const char *more)
{
    x->wrong = wrong;
    expect_death(status, wrong_call, x, words, more, NULL);
}

static void open_again(void *kind) { comm_close(comm_open(kind)); }

static void refused_by_all(Call *x)
{
    refused(x, HALO, EXIT_WRONG, "comm_all_reduce", "halo of 1");
    refused(x, DTYPE, EXIT_WRONG, "comm_all_reduce", "bf16");
    refused(x, ROOT, EXIT_WRONG, "comm_broadcast", "ranks 0 to");
    refused(x, PARTS, EXIT_WRONG, "comm_all_gather: 9 elements (f32)", "parts of 10");
    refused(x, OVERLAP, EXIT_WRONG, "comm_reduce_scatter", "overlap");
    refused(x, TO_ITSELF, EXIT_WRONG, "comm_send", "rank 0 with itself");
    refused(x, COLOUR, EXIT_WRONG, "comm_split", "colour -1");
}

static Call call_begin(const char *kind, int size)
{
    Backend *be = fake_backend_open(false);
    return (Call){comm_open(kind), be->op->stream_new(be, 1), be->op->buffer_new(be, 400), size,
                  HALO};
}

static void call_end(Call *x)
{
    Backend *be = x->s->be;
    comm_close(x->c);
    be->op->stream_free(x->s);
    be->op->buffer_free(x->buf);
    be->op->close(be);
}

TEST(refused_alone)
{
    Call x = call_begin("self", 1);
    refused_by_all(&x);
    refused(&x, FROM_ANY_ALONE, EXIT_WRONG, "comm_recv", "itself");
    if (comm_nccl_missing())
        expect_death(EXIT_TODO, open_again, "nccl", "no NCCL here", "--comm mpi", NULL);
    expect_death(EXIT_USAGE, open_again, "tcp", "--comm tcp", "auto, self, mpi or nccl", NULL);
    expect_death(EXIT_USAGE, open_again, "", "auto, self, mpi or nccl", NULL);
    call_end(&x);
    comm_close(NULL);
}

/* Each death is a child's; the ranks themselves stay alive and can still communicate. */
TEST(refused_by_mpi, .ranks = 2)
{
    Call x = call_begin("auto", 2);
    if (x.c->rank == 0) {
        refused_by_all(&x);
        refused(&x, TAG, EXIT_WRONG, "comm_send", "tag 32768");
        refused(&x, TOO_LARGE, EXIT_USAGE, "2147483648 elements in one call", "");
        expect_death(EXIT_WRONG, open_again, "mpi", "comm_open: MPI was already started", NULL);
        refused(&x, CLOSE_EARLY, EXIT_WRONG, "comm_close: 1 operations", "comm_wait");
    }
    double one = 1;
    comm_all_reduce_host(x.c, &one, 1, COMM_SUM);
    assert_true(one == 2);
    call_end(&x);
}

/* ---- the audit ---- */

TEST(audited)
{
    const char *folder = scratch_dir();
    setenv("LABS_AUDIT", folder, true);
    audit_begin();
    Call x = call_begin("self", 1);
    comm_all_reduce(x.c, vector(&x, 7), COMM_SUM, x.s);
    comm_broadcast(x.c, vector(&x, 8), 0, x.s);
    comm_all_gather(x.c, vector(&x, 9), tensor_slice(vector(&x, 40), 20, 9), x.s);
    comm_reduce_scatter(x.c, vector(&x, 10), tensor_slice(vector(&x, 40), 20, 10), COMM_SUM, x.s);
    comm_barrier(x.c);
    comm_all_reduce_host(x.c, (double[]){1, 2}, 2, COMM_MAX);
    comm_broadcast_host(x.c, (char[]){1, 2, 3}, 3, 0);
    comm_gather_host(x.c, (char[4]){0}, (char[]){1, 2, 3, 4}, 4, 0);
    assert_string_equal(slurp(path_in(folder, "rank-0.jsonl"), NULL),
                        "{\"fact\":\"comm\",\"rank\":0,\"size\":1}\n"
                        "{\"fact\":\"all_reduce\",\"count\":7,\"dtype\":\"f32\"}\n"
                        "{\"fact\":\"broadcast\",\"count\":8,\"dtype\":\"f32\"}\n"
                        "{\"fact\":\"all_gather\",\"count\":9,\"dtype\":\"f32\"}\n"
                        "{\"fact\":\"reduce_scatter\",\"count\":10,\"dtype\":\"f32\"}\n"
                        "{\"fact\":\"barrier\"}\n"
                        "{\"fact\":\"all_reduce_host\",\"count\":2,\"dtype\":\"f64\"}\n"
                        "{\"fact\":\"broadcast_host\",\"bytes\":3}\n"
                        "{\"fact\":\"gather_host\",\"bytes\":4}\n");
    call_end(&x);
}

/* ---- scenarios ---- */

/* A training loop's shape: all ranks step together until one of them is asked to stop. */
static void steps(Comm *c)
{
    stop_on_signals();
    comm_barrier(c); /* from here on every rank is ready to be interrupted */
    printf("rank %d pid %d\n", c->rank, (int)getpid());
    fflush(stdout);
    for (double stop = 0; !stop; comm_all_reduce_host(c, &stop, 1, COMM_MAX))
        stop = stop_requested();
    nanosleep(&(struct timespec){1, 500000000}, NULL); /* longer than mpirun gives ranks that it
                                                        * ends by itself */
    printf("rank %d stopped in good order\n", c->rank);
}

/* Reports that it should stop, and continues. */
static void stubborn(Comm *c)
{
    stop_on_signals();
    comm_barrier(c);
    printf("rank %d pid %d\n", c->rank, (int)getpid());
    fflush(stdout);
    bool asked = false;
    for (double v = 0;; v++) {
        bool now = stop_requested(); /* once: the signal may come at any moment */
        if (now && !asked)
            printf("rank %d was asked to stop\n", c->rank);
        fflush(stdout);
        asked = now;
        comm_all_reduce_host(c, &v, 1, COMM_MAX);
    }
}

static void one_dies(Comm *c)
{
    for (double step = 0;; step++) {
        if (step == 100 && c->rank == c->size - 1)
            die(EXIT_USAGE, "data/train: truncated");
        comm_all_reduce_host(c, &step, 1, COMM_MAX);
    }
}

static void all_die(Comm *c) { die(EXIT_USAGE, "data/train: truncated"); }

static void crash(Comm *c)
{
    if (c->rank == 0)
        abort();
    comm_barrier(c);
}

static void not_closed(Comm *c)
{
    comm_barrier(c);
    exit(0);
}

/* Only rank 0 does not meet the error. */
static void some_die(Comm *c)
{
    if (c->rank > 0)
        die(EXIT_USAGE, "data/train: truncated on %d ranks", c->size - 1);
    comm_barrier(c);
}

static void late(Comm *c)
{
    if (c->rank == 1)
        die(EXIT_USAGE, "the others are in comm_close");
}

static void quiet_end(Comm *c, int status)
{
    if (c->rank == 1)
        _exit(status);
    comm_barrier(c);
}

static void quiet_0(Comm *c) { quiet_end(c, 0); }
static void quiet_5(Comm *c) { quiet_end(c, 5); }

static void message_of(Comm *c, int sent, int expected)
{
    Backend *be = fake_backend_open(false);
    Stream *s = be->op->stream_new(be, 1);
    Tensor t = tensor_vector(be->op->buffer_new(be, 400), 0, F32, c->rank == 0 ? sent : expected);
    if (c->rank == 0)
        comm_send(c, t, 1, 0, s);
    else
        comm_recv(c, t, 0, 0, s);
    comm_barrier(c);
}

static void short_message(Comm *c) { message_of(c, 3, 5); }
static void long_message(Comm *c) { message_of(c, 5, 3); }

static int run_scenario(const char *name)
{
    static const struct {
        const char *name;
        void (*run)(Comm *c);
    } scenarios[] = {{"steps", steps},
                     {"stubborn", stubborn},
                     {"one_dies", one_dies},
                     {"all_die", all_die},
                     {"crash", crash},
                     {"not_closed", not_closed},
                     {"some_die", some_die},
                     {"late", late},
                     {"quiet_0", quiet_0},
                     {"quiet_5", quiet_5},
                     {"short_message", short_message},
                     {"long_message", long_message}};
    alarm(60);
    if (!strcmp(name, "todo"))
        TODO("learn rank and size");
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!strcmp(name, "early") && rank && atoi(rank) == 1)
        return 0; /* the others wait in comm_open */
    if (!strcmp(name, "early"))
        name = "late";
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        if (!strcmp(name, scenarios[i].name)) {
            Comm *c = comm_open("auto");
            scenarios[i].run(c);
            comm_close(c);
            return 0;
        }
    die(EXIT_USAGE, "--scenario %s: unknown", name);
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--scenario"))
        return run_scenario(argv[2]);
    return harness_main(argc, argv);
}
