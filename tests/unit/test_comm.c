/* test_comm.c: comm.h (comm_cases.c) over every implementation: self, MPI with 1 to 4 ranks, and
 * NCCL where there are GPUs. */
#include "comm_cases.h"
#include "cuda_memory.h"

static void alone(Setup *x)
{
    comm_collectives(x);
    comm_requests(x);
    comm_host(x);
    comm_same_bits(x);
}

/* Without mpirun "auto" is self; under it MPI, and NCCL for tensors on a GPU. */
TEST(self) { over_both_devices("auto", alone); }

static void all(Setup *x)
{
    alone(x);
    comm_messages(x);
}

static void by_mpi(Setup *x)
{
    assert_string_equal(x->c->op->name, "mpi");
    all(x);
}

static void mpi(void) { over_both_devices("mpi", by_mpi); }
TEST(mpi_1) { mpi(); }
TEST(mpi_3, .ranks = 3) { mpi(); }
TEST(mpi_4, .ranks = 4) { mpi(); }
TEST(auto_2, .ranks = 2) { over_both_devices("auto", by_mpi); }

/* On a real GPU, one per rank where there are enough; else over MPI, staged through host memory. */
static void nccl(void) { over_gpu("nccl", all); }
TEST(nccl_1, .ranks = 1) { nccl(); }
TEST(nccl_2, .ranks = 2) { nccl(); }
TEST(nccl_4, .ranks = 4) { nccl(); }
