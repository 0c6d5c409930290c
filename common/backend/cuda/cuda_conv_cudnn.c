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

/* A call that wants more is left to im2col: the memory is for the batch. */
static const size_t WORKSPACE = (size_t)1 << 30;

typedef struct Cudnn {
    cudnnHandle_t handle; /* the backend's */
    cudnnTensorDescriptor_t x, y;
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t conv;
    int n;                /* images that x and y describe */
    bool fits[DNN_CALLS]; /* cuDNN supports the call with n images, and has not refused it */
} Cudnn;

static Cudnn *of(const ConvPlan *p) { return p->dnn; }

/* Describe n images, and query each call's workspace: a call that wants more than `limit` bytes
 * does not fit. Returns the bytes for those that do. */
static size_t describe(const ConvPlan *p, int n, size_t limit)
{
    Cudnn *d = of(p);
    cudnnDataType_t type = p->type == BF16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
    cudnnStatus_t status[DNN_CALLS];
    size_t bytes[DNN_CALLS] = {0}, most = 0;
    CUDNN_CHECK(cudnnSetTensor4dDescriptor(d->x, CUDNN_TENSOR_NHWC, type, n, p->C, p->H, p->W));
    CUDNN_CHECK(cudnnSetTensor4dDescriptor(d->y, CUDNN_TENSOR_NHWC, type, n, p->K, p->P, p->Q));
    status[DNN_FORWARD] = cudnnGetConvolutionForwardWorkspaceSize(d->handle, d->x, d->w, d->conv,
                                                                  d->y, FORWARD,
                                                                  &bytes[DNN_FORWARD]);
    status[DNN_DATA] = cudnnGetConvolutionBackwardDataWorkspaceSize(d->handle, d->w, d->y, d->conv,
                                                                    d->x, DATA, &bytes[DNN_DATA]);
    status[DNN_DATA_ADD] = status[DNN_DATA];
    bytes[DNN_DATA_ADD] = bytes[DNN_DATA];
    status[DNN_WEIGHT] = cudnnGetConvolutionBackwardFilterWorkspaceSize(d->handle, d->x, d->y,
                                                                        d->conv, d->w, WEIGHT,
                                                                        &bytes[DNN_WEIGHT]);
    for (int i = 0; i < DNN_CALLS; i++) {
        d->fits[i] = status[i] == CUDNN_STATUS_SUCCESS && bytes[i] <= limit;
        if (d->fits[i] && bytes[i] > most)
            most = bytes[i];
    }
    d->n = n;
    return most;
}

static bool fits_any(const Cudnn *d)
{
    for (int i = 0; i < DNN_CALLS; i++)
        if (d->fits[i])
            return true;
    return false;
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
    /* DEFAULT_MATH permits tensor cores for TF32 only */
    cudnnMathType_t math = p->type == BF16 ? CUDNN_TENSOR_OP_MATH
                         : exact           ? CUDNN_FMA_MATH
                                           : CUDNN_DEFAULT_MATH;
    CUDNN_CHECK(cudnnSetConvolutionMathType(d->conv, math));
    p->dnn_bytes = describe(p, x.n, WORKSPACE);
    if (!fits_any(d)) {
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

bool cudnn_fits(const ConvPlan *p, DnnCall call, Tensor y, Tensor x)
{
    Cudnn *d = of(p);
    if (!d || x.halo || y.halo || x.dtype != p->type || y.dtype != p->type)
        return false;
    /* another batch: the last of an epoch, or the first again. What was refused is tried again, and
     * refused again: the same n gives the same bits. */
    if (x.n != d->n)
        describe(p, x.n, p->dnn_bytes);
    return d->fits[call];
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

/* Did it succeed? A refusal concerns this call alone: the others' way, and so their bits, stay. */
#define DID(p, which, call) did(p, which, (call), __LINE__, #call)
static bool did(ConvPlan *p, DnnCall which, cudnnStatus_t status, int line, const char *call)
{
    of(p)->fits[which] = !not_supported(status);
    if (status != CUDNN_STATUS_SUCCESS && of(p)->fits[which])
        die(EXIT_WRONG, "%s:%d: %s: %s", __FILE__, line, call, cudnnGetErrorString(status));
    return of(p)->fits[which];
}

bool cudnn_forward(Stream *s, ConvPlan *p, Tensor y, Tensor x, Tensor w, Tensor residual)
{
    const float one = 1, zero = 0;
    Cudnn *d = of(p);
    void *packed = ready(s, p, w);
    if (!DID(p, DNN_FORWARD,
             cudnnConvolutionForward(d->handle, &one, d->x, cuda_at(x), d->w, packed, d->conv,
                                     FORWARD, conv_scratch(s, p->dnn_at), p->dnn_bytes, &zero, d->y,
                                     cuda_at(y))))
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
    return DID(p, add ? DNN_DATA_ADD : DNN_DATA,
               cudnnConvolutionBackwardData(d->handle, &one, d->w, packed, d->y, cuda_at(dy),
                                            d->conv, DATA, conv_scratch(s, p->dnn_at), p->dnn_bytes,
                                            &before, d->x, cuda_at(dx)));
}

bool cudnn_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy)
{
    const float one = 1, zero = 0;
    Cudnn *d = of(p);
    void *dpacked = conv_scratch(s, p->dpacked_at);
    ready(s, p, NO_TENSOR);
    if (!DID(p, DNN_WEIGHT,
             cudnnConvolutionBackwardFilter(d->handle, &one, d->x, cuda_at(x), d->y, cuda_at(dy),
                                            d->conv, WEIGHT, conv_scratch(s, p->dnn_at),
                                            p->dnn_bytes, &zero, d->w, dpacked)))
        return false;
    cuda_conv_unpack_add(s, p, dw, dpacked, p->type);
    return true;
}
