/* ptx.h: executes PTX, the code that nvcc makes of a kernel, on the CPU: thread by thread between
 * barriers, and a warp at once where an instruction belongs to the warp. It ends at the first thing
 * that a GPU forbids or leaves undefined (ptx_memory.cpp, ptx_run.cpp):
 *
 *   an address that is not a multiple of the access; outside its piece of global memory, of shared
 *   memory or of the parameters; shared memory that is read before it is written, or while a copy
 *   into it is in flight; two threads of a block at one byte between two barriers, one of them
 *   writing; two blocks at one byte, unless the first is done with it and has said so (a fence, an
 *   atomic increment; the other's increment, a fence); a barrier that not all threads of a block
 *   reach, or an instruction of a warp that not all of its threads do; a division by zero; a launch
 *   beyond the limits of an H100.
 *
 * Blocks are of one dimension, grids of two, and there are no calls, no local memory and no dynamic
 * shared memory: the parser refuses what it does not know.
 */
#ifndef PTX_H
#define PTX_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef struct PtxKernel PtxKernel;
typedef struct PtxGrid {
    unsigned blocks_x, blocks_y, threads; /* threads of a block */
} PtxGrid;

/* Adds the kernels of a PTX file's text. */
void ptx_read(const char *text);
PtxKernel *ptx_kernel(const char *name); /* NULL: no kernel of that name */
/* A launch's parameters are copied when it is queued: `arguments` points at one after the other. */
size_t ptx_parameter_bytes(const PtxKernel *k);
void ptx_pack(const PtxKernel *k, void *const *arguments, void *to);
void ptx_run(PtxKernel *k, PtxGrid grid, const void *parameters);
/* For each kernel that ran, a line: launches, threads, instructions, accesses to global memory and
 * their bytes. */
void ptx_counts(void);

/* ---- of the program around it ---- */

/* Is [p, p + bytes) in one live piece of global memory? If so, which. */
int ptx_piece(const void *p, size_t bytes, char **start, size_t *size);
unsigned ptx_draw(unsigned sides); /* 0 … sides - 1: in which order threads and blocks run */
void ptx_wrong(const char *what);  /* a finding; the launch ends */
#ifdef __cplusplus
}
#endif
#endif
