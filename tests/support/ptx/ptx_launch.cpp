/* ptx_launch.cpp: what nvcc's object files call to launch a kernel. A launch is queued
 * (../cuda_on_host), and runs the kernel's PTX, from the file $PTX. With $PTX_COUNTS, the counts
 * at the end. */
#include "../cuda_on_host/lazy_streams.h"
#include "ptx.h"
#include <memory>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <vector>

struct Dim3 {
    unsigned x, y, z;
};
static thread_local struct {
    Dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} configured;

extern "C" unsigned ptx_draw(unsigned sides) { return lazy_draw(sides); }
extern "C" void ptx_wrong(const char *what) { lazy_wrong(what); }

static void read_once(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    const char *path = getenv("PTX");
    FILE *file = fopen(path ? path : "", "r");
    if (!file)
        ptx_wrong("no file $PTX");
    std::string text;
    char piece[1 << 16];
    for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;)
        text.append(piece, n);
    fclose(file);
    ptx_read(text.c_str());
    if (getenv("PTX_COUNTS"))
        atexit(ptx_counts);
}

/* nvcc's object passes the address of a stub of the kernel; here a kernel's handle is its PTX. It
 * registers them before the program's globals are made. */
static std::vector<std::pair<const void *, PtxKernel *>> &stubs(void)
{
    static std::vector<std::pair<const void *, PtxKernel *>> all;
    return all;
}

extern "C" {
void **__cudaRegisterFatBinary(void *)
{
    static void *handle;
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
void __cudaRegisterFunction(void **, const char *stub, char *, const char *name, int, void *,
                            void *, void *, void *, int *)
{
    read_once();
    PtxKernel *k = ptx_kernel(name);
    if (!k)
        ptx_wrong((std::string("no PTX of ") + name).c_str());
    stubs().push_back({stub, k});
}
cudaError_t __cudaGetKernel(void **handle, const void *stub)
{
    for (auto &s : stubs())
        if (s.first == stub)
            return *handle = s.second, cudaSuccess;
    return lazy_fail(cudaErrorInvalidDeviceFunction);
}
unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t shared, cudaStream_t s)
{
    configured = {grid, block, shared, s};
    return 0;
}
cudaError_t __cudaPopCallConfiguration(Dim3 *grid, Dim3 *block, size_t *shared, cudaStream_t *s)
{
    *grid = configured.grid, *block = configured.block;
    *shared = configured.shared, *s = configured.stream;
    return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(PtxKernel *k, Dim3 grid, Dim3 block, void **arguments, size_t shared,
                               cudaStream_t s)
{
    if (grid.z != 1 || block.y != 1 || block.z != 1 || shared)
        ptx_wrong("a launch of more dimensions, or with dynamic shared memory");
    auto packed = std::make_shared<std::vector<char>>(ptx_parameter_bytes(k));
    ptx_pack(k, arguments, packed->data());
    PtxGrid g = {grid.x, grid.y, block.x};
    lazy_queue(s, [=] { ptx_run(k, g, packed->data()); });
    return cudaSuccess;
}
}
