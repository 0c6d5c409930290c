/* test_comm.c: collectives, requests, messages of comm.h (comm_cases.c) over every implementation:
 * self, MPI with 1 to 4 ranks, and NCCL where there are GPUs. */
#include "comm_cases.h"
#include "cuda_memory.h"

/* ---- the table ---- */

/* Without mpirun "auto" is self; under it MPI, and NCCL for tensors on a GPU. */
static void self_collectives(void **state)
{
    (void)state, over_both_devices("auto", comm_collectives);
}
static void self_requests(void **state) { (void)state, over_both_devices("auto", comm_requests); }

static void all(Setup *x)
{
    comm_collectives(x);
    comm_requests(x);
    comm_messages(x);
}

static void by_mpi(Setup *x)
{
    assert_string_equal(x->c->op->name, "mpi");
    all(x);
}

static void mpi(void **state) { (void)state, over_both_devices("mpi", by_mpi); }
static void automatic(void **state) { (void)state, over_both_devices("auto", by_mpi); }

/* On a real GPU, one per rank where there are enough; else over MPI, staged through host memory. */
static void nccl(void **state) { (void)state, over_gpu("nccl", all); }

int main(int argc, char **argv)
{
    static const Case cases[] = {
        {.name = "self_collectives", .run = self_collectives},
        {.name = "self_requests", .run = self_requests},
        {.name = "mpi_1", .run = mpi},
        {.name = "mpi_3", .run = mpi, .ranks = 3},
        {.name = "mpi_4", .run = mpi, .ranks = 4},
        {.name = "auto_2", .run = automatic, .ranks = 2},
        {.name = "nccl_1", .run = nccl, .ranks = 1},
        {.name = "nccl_2", .run = nccl, .ranks = 2},
        {.name = "nccl_4", .run = nccl, .ranks = 4},
    };
    return harness_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
