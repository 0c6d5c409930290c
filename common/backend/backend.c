/* backend.c: choose a device; tensors that own their buffer. */
#include "backend_open.h"
#include "check.h"
#include "memory.h"
#include "timer.h"
#include <limits.h>
#include <string.h>

/* "auto" takes a GPU where one can be used; each program prints its device
 * (Backend.description). */
static Backend *open_cuda(bool required, int local_rank, int local_size)
{
#ifdef HAVE_CUDA
    char why[256];
    if (backend_cuda_usable(local_rank, why, sizeof why))
        return backend_cuda_open(local_rank, local_size);
#else
    const char *why = "this program was built without CUDA ('make doctor' says what is missing)";
#endif
    if (required)
        die(EXIT_TODO, "--device=cuda: %s; use --device=cpu", why);
    return NULL;
}

Backend *backend_open(const char *kind, int local_rank, int local_size, int threads)
{
    ASSERT(local_size >= 1 && local_rank >= 0 && local_rank < local_size && threads >= 0);
    bool cuda = !strcmp(kind, "cuda"), automatic = !strcmp(kind, "auto");
    REQUIRE(cuda || automatic || !strcmp(kind, "cpu"), "--device=%s: expected auto, cpu or cuda",
            kind);
    if (timer_virtual()) { /* it counts the processor time of one thread */
        REQUIRE(!cuda, "--device=cuda: the virtual clock knows only processors: use --device=cpu, "
                       "or --clock real");
        REQUIRE(threads < 2,
                "--threads=%d: the virtual clock needs one thread per rank: use "
                "--threads=1, or --clock real",
                threads);
        automatic = false;
        threads = 1;
    }
    Backend *be = cuda || automatic ? open_cuda(cuda, local_rank, local_size) : NULL;
    return be ? be : backend_cpu_open(local_rank, local_size, threads);
}

void backend_precision(Backend *be, const char *name)
{
    static const struct {
        const char *name;
        Precision precision;
        DType activations;
    } known[] = {{"fp32", PRECISION_FP32, F32},
                 {"tf32", PRECISION_TF32, F32},
                 {"bf16", PRECISION_BF16, BF16},
                 {"fp16", PRECISION_FP16, F16}};
    int i = 0, count = sizeof known / sizeof *known;
    while (i < count && strcmp(name, known[i].name))
        i++;
    REQUIRE(i < count, "--precision=%s: expected fp32, tf32, bf16 or fp16", name);
    Precision p = known[i].precision;
    bool can[] = {[PRECISION_FP32] = true,
                  [PRECISION_TF32] = be->op->tf32,
                  [PRECISION_BF16] = be->op->bf16,
                  [PRECISION_FP16] = be->op->fp16};
    REQUIRE(can[p], "--precision=%s: the device %s computes in fp32%s%s only: %s", name,
            be->op->name, be->op->bf16 ? " and bf16" : "", be->op->fp16 ? " and fp16" : "",
            be->description);
    be->precision = p;
    be->activations = known[i].activations;
}

void backend_close(Backend *be)
{
    if (be)
        be->op->close(be);
}

void backend_require(const Backend *be, double bytes, const char *what, const char *smaller)
{
    if (!strcmp(be->op->name, "cpu")) /* a GPU's own memory is not this process's */
        memory_require(bytes, what, smaller);
}

Tensor tensor_new(Backend *be, DType dtype, int n, int h, int w, int c, int halo)
{
    ASSERT(n > 0 && h > 0 && w > 0 && c > 0 && halo >= 0);
    Tensor t = {NULL, 0, dtype, n, h, w, c, halo};
    REQUIRE(tensor_span(t) <= INT_MAX,
            "a tensor of %d x %d x %d x %d: above the %d elements that one may have: use a smaller "
            "batch, model or data set",
            n, h, w, c, INT_MAX);
    size_t bytes = tensor_span(t) * dtype_size(dtype);
    t.buf = be->op->buffer_new(be, bytes);
    if (be->memory_hook)
        be->memory_hook(be->memory_context, t.buf, bytes);
    return t;
}

void tensor_free(Backend *be, Tensor t)
{
    if (t.buf && be->memory_hook)
        be->memory_hook(be->memory_context, t.buf, 0);
    if (t.buf)
        be->op->buffer_free(t.buf);
}
