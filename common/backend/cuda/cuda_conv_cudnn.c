/* cuda_conv_cudnn.c: convolution by cuDNN (8 and 9), with fixed algorithms instead of autotuning,
 * so that the same input gives the same bits. The three are those that NVIDIA's table calls
 * deterministic and that support NHWC: forward IMPLICIT_PRECOMP_GEMM, data ALGO_1, weight ALGO_1.
 * im2col does the rest.
 *
 * In BF16 the gradient of the filters comes out in BF16, too, after sums in float32; it is then
 * added to F32. A residual is added to a y that was rounded to BF16, and the sum rounded again.
 */
#include "cuda_conv_cudnn.h"
#include <cudnn.h>
#include <stdlib.h>

#define CUDNN_CHECK(call) \
    do { \
        cudnnStatus_t e_ = (call); \
        if (e_ != CUDNN_STATUS_SUCCESS) \
            die(EXIT_WRONG, "%s:%d: %s: %s", __FILE__, __LINE__, #call, cudnnGetErrorString(e_)); \
    } while (0)

static const cudnnConvolutionFwdAlgo_t FORWARD = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
static const cudnnConvolutionBwdDataAlgo_t DATA = CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
static const cudnnConvolutionBwdFilterAlgo_t WEIGHT = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1;

typedef struct Cudnn {
    cudnnHandle_t handle; /* the backend's */
    cudnnTensorDescriptor_t x, y;
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t conv;
    int n;        /* images that x and y describe */
    bool fits;    /* cuDNN supports the case with n images */
    bool refused; /* it claimed support, and then failed */
} Cudnn;

static Cudnn *of(const ConvPlan *p) { return p->dnn; }

/* Describe n images, and query the three algorithms' workspace: false if one of them does not
 * support the case. */
static bool describe(const ConvPlan *p, int n, size_t *bytes)
{
    Cudnn *d = of(p);
    cudnnDataType_t type = p->type == BF16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
    size_t forward = 0, data = 0, weight = 0;
    CUDNN_CHECK(cudnnSetTensor4dDescriptor(d->x, CUDNN_TENSOR_NHWC, type, n, p->C, p->H, p->W));
    CUDNN_CHECK(cudnnSetTensor4dDescriptor(d->y, CUDNN_TENSOR_NHWC, type, n, p->K, p->P, p->Q));
    cudnnStatus_t f = cudnnGetConvolutionForwardWorkspaceSize(d->handle, d->x, d->w, d->conv, d->y,
                                                              FORWARD, &forward);
    cudnnStatus_t b = cudnnGetConvolutionBackwardDataWorkspaceSize(d->handle, d->w, d->y, d->conv,
                                                                   d->x, DATA, &data);
    cudnnStatus_t w = cudnnGetConvolutionBackwardFilterWorkspaceSize(d->handle, d->x, d->y, d->conv,
                                                                     d->w, WEIGHT, &weight);
    *bytes = forward > data ? forward : data;
    *bytes = weight > *bytes ? weight : *bytes;
    d->n = n;
    return f == CUDNN_STATUS_SUCCESS && b == CUDNN_STATUS_SUCCESS && w == CUDNN_STATUS_SUCCESS;
}

void cudnn_open(Backend *be)
{
    CudaBackend *cuda = (CudaBackend *)be;
    cudnnHandle_t handle;
    CUDA_CHECK(cudaSetDevice(cuda->device));
    cuda->dnn = cudnnCreate(&handle) == CUDNN_STATUS_SUCCESS ? handle : NULL;
    if (!cuda->dnn)
        cudaGetLastError(); /* clear the error for later checks */
}

void cudnn_close(Backend *be)
{
    CudaBackend *cuda = (CudaBackend *)be;
    if (cuda->dnn)
        CUDNN_CHECK(cudnnDestroy(cuda->dnn));
}

void cudnn_plan(Backend *be, ConvPlan *p, Tensor y, Tensor x)
{
    CudaBackend *cuda = (CudaBackend *)be;
    if (!cuda->dnn || x.halo || y.halo || x.dtype != y.dtype)
        return;
    bool exact = p->type == F32 && be->precision != PRECISION_TF32;
    Cudnn *d = p->dnn = alloc(1, sizeof *d);
    d->handle = cuda->dnn;
    CUDNN_CHECK(cudnnCreateTensorDescriptor(&d->x));
    CUDNN_CHECK(cudnnCreateTensorDescriptor(&d->y));
    CUDNN_CHECK(cudnnCreateFilterDescriptor(&d->w));
    CUDNN_CHECK(cudnnCreateConvolutionDescriptor(&d->conv));
    CUDNN_CHECK(cudnnSetFilter4dDescriptor(d->w,
                                           p->type == BF16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT,
                                           CUDNN_TENSOR_NHWC, p->K, p->C, p->R, p->R));
    CUDNN_CHECK(cudnnSetConvolution2dDescriptor(d->conv, p->pad, p->pad, p->stride, p->stride, 1, 1,
                                                CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    CUDNN_CHECK(cudnnSetConvolutionMathType(d->conv, exact ? CUDNN_FMA_MATH : CUDNN_DEFAULT_MATH));
    d->fits = describe(p, x.n, &p->dnn_bytes);
    if (!d->fits) {
        cudnn_plan_free(p);
        p->dnn = NULL;
        p->dnn_bytes = 0;
    }
}

void cudnn_plan_free(ConvPlan *p)
{
    Cudnn *d = of(p);
    if (!d)
        return;
    CUDNN_CHECK(cudnnDestroyConvolutionDescriptor(d->conv));
    CUDNN_CHECK(cudnnDestroyFilterDescriptor(d->w));
    CUDNN_CHECK(cudnnDestroyTensorDescriptor(d->y));
    CUDNN_CHECK(cudnnDestroyTensorDescriptor(d->x));
    free(d);
}

bool cudnn_fits(const ConvPlan *p, Tensor y, Tensor x)
{
    Cudnn *d = of(p);
    if (!d || d->refused || x.halo || y.halo || x.dtype != p->type || y.dtype != p->type)
        return false;
    if (x.n != d->n) { /* another batch: the last of an epoch, or the first again */
        size_t bytes;
        d->fits = describe(p, x.n, &bytes) && bytes <= p->dnn_bytes;
    }
    return d->fits;
}

/* cuDNN's handle on this stream; the filters, packed, in scratch memory. */
static void *ready(Stream *s, ConvPlan *p, Tensor w)
{
    void *packed = conv_scratch(s, p->packed_at);
    CUDNN_CHECK(cudnnSetStream(of(p)->handle, cuda_queue(s)));
    if (given(w))
        cuda_conv_pack(s, p, packed, w);
    return packed;
}

static bool not_supported(cudnnStatus_t status)
{
#ifdef CUDNN_STATUS_CATEGORY /* cuDNN 9 has several such codes */
    status = (cudnnStatus_t)CUDNN_STATUS_CATEGORY(status);
#endif
    return status == CUDNN_STATUS_NOT_SUPPORTED;
}

/* Did one of the three succeed? */
#define DID(p, call) did(p, (call), __LINE__, #call)
static bool did(ConvPlan *p, cudnnStatus_t status, int line, const char *call)
{
    of(p)->refused = not_supported(status);
    if (status != CUDNN_STATUS_SUCCESS && !of(p)->refused)
        die(EXIT_WRONG, "%s:%d: %s: %s", __FILE__, line, call, cudnnGetErrorString(status));
    return !of(p)->refused;
}

bool cudnn_forward(Stream *s, ConvPlan *p, Tensor y, Tensor x, Tensor w, Tensor residual)
{
    const float one = 1, zero = 0;
    Cudnn *d = of(p);
    void *packed = ready(s, p, w);
    if (!DID(p, cudnnConvolutionForward(d->handle, &one, d->x, cuda_at(x), d->w, packed, d->conv,
                                        FORWARD, conv_scratch(s, p->dnn_at), p->dnn_bytes, &zero,
                                        d->y, cuda_at(y))))
        return false;
    if (given(residual))
        cuda_axpy(s, y, 1, residual);
    return true;
}

bool cudnn_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add)
{
    const float one = 1, before = add;
    Cudnn *d = of(p);
    void *packed = ready(s, p, w);
    return DID(p, cudnnConvolutionBackwardData(d->handle, &one, d->w, packed, d->y, cuda_at(dy),
                                               d->conv, DATA, conv_scratch(s, p->dnn_at),
                                               p->dnn_bytes, &before, d->x, cuda_at(dx)));
}

bool cudnn_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy)
{
    const float one = 1, zero = 0;
    Cudnn *d = of(p);
    void *dpacked = conv_scratch(s, p->dpacked_at);
    ready(s, p, NO_TENSOR);
    if (!DID(p, cudnnConvolutionBackwardFilter(d->handle, &one, d->x, cuda_at(x), d->y, cuda_at(dy),
                                               d->conv, WEIGHT, conv_scratch(s, p->dnn_at),
                                               p->dnn_bytes, &zero, d->w, dpacked)))
        return false;
    cuda_conv_unpack_add(s, p, dw, dpacked, p->type);
    return true;
}
