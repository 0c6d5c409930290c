/* cpu.h: shared by the files of the CPU backend. Private to backend_cpu.c and cpu_*.c; the contract
 * is backend.h.
 *
 * Parallelism: OpenMP over images, split statically. Sums over the batch are cut into fixed
 * pieces, each summed by one thread, then added in order. Small sums have CHUNKS pieces, and their
 * bits do not depend on the number of threads; gradients of convolutions, which are large, have one
 * piece per thread.
 */
#ifndef CPU_H
#define CPU_H
#include "backend.h"
#include "check.h"
#include <stdlib.h>
#include <string.h>

enum { CHUNKS = 16, MAX_CHANNELS = 4096 };

struct Buffer {
    Backend *be;
    void *host;
    size_t bytes;
};

typedef struct CpuBackend {
    Backend base;
    BackendOps ops;
    float *scratch; /* shared by the convolutions of one model, which run one after the other;
                     * grown by cpu_reserve */
    size_t scratch_floats;
} CpuBackend;

/* Grow the scratch memory to at least `floats`; only while planning. */
void cpu_reserve(Backend *be, size_t floats);

#define INLINE static inline __attribute__((always_inline))

/* Call f(..., C) with C as a constant where it is a common one, so that the inner loop over
 * channels is unrolled into vectors. */
#define FOR_CHANNELS(C, call) \
    switch (C) { \
    case 16: { \
        enum { c_ = 16 }; \
        call; \
        break; \
    } \
    case 32: { \
        enum { c_ = 32 }; \
        call; \
        break; \
    } \
    case 64: { \
        enum { c_ = 64 }; \
        call; \
        break; \
    } \
    default: { \
        const int c_ = (C); \
        call; \
    } \
    }

static inline void *cpu_at(Tensor t) { return (char *)t.buf->host + t.at * dtype_size(t.dtype); }

/* Element (n, h, 0, 0): W * C elements of a row follow without a gap. */
static inline float *cpu_row(Tensor t, int n, int h)
{
    size_t width = t.w + 2 * t.halo, height = t.h + 2 * t.halo;
    return (float *)cpu_at(t) + ((n * height + h + t.halo) * width + t.halo) * t.c;
}

/* Prefetch `floats` floats that will soon be read or (write) written. Prefetching beyond a buffer's
 * end is harmless. */
INLINE void cpu_fetch(const float *from, long floats, bool write)
{
    for (long i = 0; i < floats; i += 64 / sizeof *from)
        if (write)
            __builtin_prefetch(from + i, 1);
        else
            __builtin_prefetch(from + i, 0);
}

static inline int chunk_begin(int count, int chunk, int chunks)
{
    return (int)((long)count * chunk / chunks);
}
static inline bool same_shape(Tensor a, Tensor b)
{
    return a.n == b.n && a.h == b.h && a.w == b.w && a.c == b.c;
}

/* cpu_kernels.c: fill in the operations that compute. */
void cpu_kernels(BackendOps *op);
/* cpu_conv.c */
int cpu_conv_halo(Backend *be, int R);
ConvPlan *cpu_conv_plan_new(Backend *be, Tensor y, Tensor x, int R, int stride);
void cpu_conv_plan_free(ConvPlan *p);
void cpu_conv_forward(Stream *s, ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor w,
                      Tensor residual);
void cpu_conv_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add);
void cpu_conv_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy);
/* cpu_dense.c */
void cpu_dense_forward(Stream *s, Tensor y, Tensor x, Tensor w, Tensor bias);
void cpu_dense_backward_data(Stream *s, Tensor dx, Tensor dy, Tensor w, bool add);
void cpu_dense_backward_weight(Stream *s, Tensor dw, Tensor dbias, Tensor x, Tensor dy);
/* cpu_norm.c */
void cpu_image_moments(Stream *s, Tensor moments, Tensor x);
/* for the convolution, while image n is in cache */
void cpu_moments_of_image(Tensor moments, Tensor x, int n);
void cpu_bn_sums(Stream *s, Tensor sums, Tensor moments, int pixels, int group);
void cpu_bn_finish(Stream *s, const BatchNorm *bn, Tensor sums, int N, int pixels, int ranks,
                   bool update_running);
void cpu_bn_statistics(Stream *s, const BatchNorm *bn, Tensor sums, Tensor moments, int pixels,
                       bool update_running);
void cpu_bn_running(Stream *s, const BatchNorm *bn);
void cpu_bn_forward(Stream *s, Tensor y, const BatchNorm *bn, Tensor x, Tensor residual);
void cpu_bn_backward_sums(Stream *s, Tensor sums, const BatchNorm *bn, Tensor dgamma, Tensor dbeta,
                          Tensor dy, Tensor y, Tensor x);
void cpu_bn_backward(Stream *s, Tensor dx, Tensor dresidual, const BatchNorm *bn, Tensor sums,
                     Tensor dy, Tensor y, Tensor x, int ranks, bool add, bool add_residual);
/* cpu_layers.c */
void cpu_relu_forward(Stream *s, Tensor y, Tensor x);
void cpu_relu_backward(Stream *s, Tensor dx, Tensor dy, Tensor y, bool add);
void cpu_maxpool_forward(Stream *s, Tensor y, Tensor which, Tensor x, int side);
void cpu_maxpool_backward(Stream *s, Tensor dx, Tensor dy, Tensor which, int side, bool add);
void cpu_avgpool_forward(Stream *s, Tensor y, Tensor x);
void cpu_avgpool_backward(Stream *s, Tensor dx, Tensor dy, bool add);
void cpu_flatten_forward(Stream *s, Tensor y, Tensor x);
void cpu_flatten_backward(Stream *s, Tensor dx, Tensor dy, bool add);
/* cpu_loss.c */
void cpu_cross_entropy(Stream *s, Tensor dlogits, Tensor losses, Tensor totals, Tensor logits,
                       Tensor label, Tensor weight, float scale, float smoothing);
/* cpu_vector.c */
void cpu_sgd(Stream *s, Tensor w, Tensor v, Tensor g, Tensor rate, float momentum,
             float weight_decay, bool nesterov);
void cpu_axpy(Stream *s, Tensor y, float a, Tensor x);
void cpu_scale(Stream *s, Tensor x, float a);
void cpu_dot(Stream *s, Tensor out, Tensor x, Tensor y);
/* cpu_activation.c */
void cpu_act_forward(Stream *s, Tensor y, Tensor x, Tensor bias, Activation f);
void cpu_act_backward(Stream *s, Tensor dx, Tensor dbias, Tensor dy, Tensor x, Tensor bias,
                      Activation f, bool add);
/* cpu_matrix.c */
void cpu_matmul(Stream *s, Tensor c, Tensor a, Tensor b, bool a_transposed, bool b_transposed);
void cpu_to_length(Stream *s, Tensor x, float length);
/* cpu_gather.c */
void cpu_gather(Stream *s, Tensor x, Tensor label, Tensor images, Tensor labels,
                const Augment *pick, const float *mean, const float *istd);
#endif
