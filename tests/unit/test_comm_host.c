/* test_comm_host.c: comm.h on host memory, split, counts; the same bits on all ranks. Over every
 * implementation. */
#include "comm_cases.h"
#include "cuda_memory.h"

/* ---- the table ---- */

/* Without mpirun "auto" is self; under it MPI, and NCCL for tensors on a GPU. */
static void self_host(void **state) { (void)state, over_both_devices("auto", comm_host); }
static void self_same_bits(void **state) { (void)state, over_both_devices("auto", comm_same_bits); }

static void all(Setup *x)
{
    comm_host(x);
    comm_same_bits(x);
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
        {.name = "self_host", .run = self_host},
        {.name = "self_same_bits", .run = self_same_bits},
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
