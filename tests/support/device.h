/* device.h: what tests of a backend share: each case runs once per backend that was built, on
 * tensors put on it and read back. What these functions open or make is closed or freed when the
 * case has passed.
 *
 *     DEVICE_TEST(relu, .seeds = 2) { Tensor x = put(d, values, shape, 1); … }
 *
 * The program then has the cases "cpu.relu", "cuda_on_host.relu" (the CUDA backend's code on the
 * CPU, by an emulation of CUDA and cuBLAS) and, where CUDA was found, "cuda.relu"; with .seeds = 2
 * "cuda_on_host.relu.1" and ".2" (the emulated streams run in other orders); with .cudnn
 * "cudnn_on_host.relu" (convolutions by cuDNN's double, else by im2col).
 */
#ifndef DEVICE_H
#define DEVICE_H
#include "backend.h"
#include "harness.h"
#include "reference.h"

typedef struct Device {
    Backend *be;
    const BackendOps *op;
    Stream *s;
    double tolerance; /* largest ||ours - reference|| / ||reference|| of one operation */
} Device;

/* Does it compute with activations of this type? */
static inline bool takes(const Device *d, DType type)
{
    return type == F32 || (type == BF16 && d->op->bf16) || (type == F16 && d->op->fp16);
}

int device_main(int argc, char **argv);
/* Such a case, with d, the device opened; and one that opens it itself. */
#define DEVICE_TEST(title, ...) \
    static void on_##title(Device *d); \
    BACKEND_TEST(title, ##__VA_ARGS__) { on_##title(device_open()); } \
    static void on_##title(Device *d)
#define BACKEND_TEST(title, ...) TEST(title, .main = device_main, ##__VA_ARGS__)
/* That backend, as backend_open opens it; skips the case if it needs a GPU that is missing. */
Backend *device_backend(int local_rank, int local_size, int threads);
Device *device_on(Backend *be);
Device *device_open(void);       /* that backend on 2 threads, with a stream */
void need_fp16(const Device *d); /* else the case is skipped */

/* cuda_on_host/: the CUDA backend's code on the CPU. Built with objcopy and a C++ compiler; without
 * them this skips the case. closing() closes it at the end. */
Backend *closing(Backend *be);
Backend *cuda_on_host_open(int local_rank, int local_size);
/* The order in which its streams work. */
void cuda_on_host_seed(unsigned seed);
/* What its cuDNN does not do, one character each.
 * All of it: h: it does not start (the default); m: its library is missing; s: batches of an odd
 * size. And n: NCCL's library is missing.
 * Its graphs: g: there is no engine; d: all are nondeterministic; l: any workspace is too large;
 * p: no plan can be made; A: its heuristics recommend none, only the fallback does;
 * refused when they are to run: 1 forward, 2 data, 3 weights.
 * Its legacy functions: when they are to run: f forward, b data, w weights; when asked for their
 * workspace: F B W; L: any workspace is too large.
 * 8: the GPU is of compute capability 7.0. `what` must stay. */
void cuda_on_host_refuse(const char *what);
/* How often it was called so far: 0 forward, 1 data, 2 weights; 3: asked for a workspace or for
 * engines; 4: of the first three, by graphs; 5: descriptors made for graphs; and 6: how many
 * descriptors and handles there are. */
long cuda_on_host_cudnn_calls(int which);
/* How often a product, or a batch of them, was queued on its cuBLAS so far. */
long cuda_on_host_cublas_calls(void);

/* A new tensor of zeros. */
Tensor blank(Device *d, DType type, int n, int h, int w, int c, int halo);
/* A convolution's plan (backend.h). */
ConvPlan *plan_conv(Device *d, Tensor y, Tensor x, int R, int stride);
/* New tensors. F32 activations with these values and a border of `halo` zeros; NULL: NaN inside,
 * for outputs of which every element must be written. */
Tensor put(Device *d, const double *values, Shape s, int halo);
/* The same in another type, `shift` elements behind an aligned address. */
Tensor put_as(Device *d, DType type, int shift, const double *values, Shape s, int halo);
/* values = the nearest BF16s or F16s: what a kernel then reads is what the reference reads. */
void round_to(DType type, double *values, size_t n);
/* A matrix [rows, columns] in the middle of a larger buffer, unaligned as weights are in a flat
 * vector. */
Tensor put_matrix(Device *d, const double *values, int rows, int columns);
Tensor put_vector(Device *d, const double *values, int n); /* the same, [n] */
Tensor put_ints(Device *d, const int *values, int n);      /* I32 [n] */
/* t is freed at the end, or by drop(). */
Tensor hold(Backend *be, Tensor t);
void drop(Backend *be, Tensor t);

/* All elements of a tensor of F64 or of a type of activations, dense. Fails the case if its border
 * is no longer zero. */
double *get(Device *d, Tensor t);
/* Is ||t - expected|| / ||expected|| <= tolerance, and the border still zero? */
void expect_tensor(Device *d, Tensor t, const double *expected, double tolerance, const char *what);
/* Two tensors hold the same bits. */
void expect_same_bits(Device *d, Tensor a, Tensor b, const char *what);

/* A new array, a + b. */
double *sum_of(const double *a, const double *b, size_t n);
#endif
