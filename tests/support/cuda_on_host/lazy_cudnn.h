/* lazy_cudnn.h: shared by cuDNN's emulations: its descriptors' contents, and the arithmetic. */
#ifndef LAZY_CUDNN_H
#define LAZY_CUDNN_H
#include "cudnn.h"
#include "lazy_streams.h"
#include <stdint.h>
#include <vector>

struct HostDnn {
    cudaStream_t stream;
};
struct HostTensor {
    cudnnTensorFormat_t format;
    cudnnDataType_t type;
    int n, c, h, w;
};
struct HostFilter {
    cudnnTensorFormat_t format;
    cudnnDataType_t type;
    int k, c, h, w;
};
struct HostConvolution {
    int pad_h, pad_w, stride_h, stride_w;
    cudnnDataType_t compute;
    cudnnMathType_t math;
};

enum Which { FORWARD, DATA, WEIGHT };
struct Shape {
    HostTensor x, y;
    HostFilter w;
    HostConvolution c;
};
struct Operands {
    void *x, *w, *y;
};
struct Scaling {
    float alpha, beta;
};

/* device.h: cuda_on_host_cudnn_calls */
extern long lazy_cudnn_calls[7];
/* Do the three shapes belong together? */
bool lazy_fits(const Shape &s);
/* The convolution, at once. rounds: factors to TF32 first. */
void lazy_convolve(const Shape &s, Which which, const Operands &at, Scaling by, bool rounds);
#endif
