/* backend.c: choosing a device; tensors that own their buffer. */
#include <string.h>
#include "backend_open.h"
#include "check.h"

Backend *backend_open(const char *kind, int local_rank, int local_size, int threads)
{
    ASSERT(local_size >= 1 && local_rank >= 0 && local_rank < local_size && threads >= 0);
    if (!strcmp(kind, "cuda"))
        die(EXIT_TODO, "--device=cuda: this version has no CUDA backend yet; use --device=cpu");
    REQUIRE(!strcmp(kind, "cpu") || !strcmp(kind, "auto"), "--device=%s: expected auto, cpu or cuda", kind);
    return backend_cpu_open(local_rank, local_size, threads);
}

void backend_close(Backend *be)
{
    if (be)
        be->op->close(be);
}

Tensor tensor_new(Backend *be, DType dtype, int n, int h, int w, int c, int halo)
{
    ASSERT(n > 0 && h > 0 && w > 0 && c > 0 && halo >= 0);
    Tensor t = {NULL, 0, dtype, n, h, w, c, halo};
    t.buf = be->op->buffer_new(be, tensor_span(t) * dtype_size(dtype));
    return t;
}

void tensor_free(Backend *be, Tensor t)
{
    if (t.buf)
        be->op->buffer_free(t.buf);
}
