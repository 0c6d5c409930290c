/* test_comm_host.c: comm.h on host memory, split, counts; the same bits on all ranks. Over every
 * implementation. */
#include "comm_cases.h"
#include "cuda_memory.h"

/* ---- the table ---- */

/* Without mpirun "auto" is self; under it MPI, and NCCL for tensors on a GPU. */
TEST(self_host) { over_both_devices("auto", comm_host); }
TEST(self_same_bits) { over_both_devices("auto", comm_same_bits); }

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
