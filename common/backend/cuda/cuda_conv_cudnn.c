/* cuda_conv_cudnn.c: convolution by cuDNN (8 and 9), with fixed algorithms instead of autotuning,
 * so that the same input gives the same bits. The three are those that NVIDIA's table calls
 * deterministic and that support NHWC: forward IMPLICIT_PRECOMP_GEMM, data ALGO_1, weight ALGO_1.
 * im2col does the rest.
 *
 * In BF16 and FP16 the gradient of the filters comes out in that type, too, after sums in float32;
 * it is then added to F32. A residual is added to a y that was rounded, and the sum rounded again.
 */
#include "cuda_conv_cudnn.h"
#include "gpu_library.h"
#include <cudnn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The images of a batch, described: a pass of training or evaluation has full batches and a short
 * last one, and describing costs (cuDNN 9 then compiles plans). */
enum { BATCHES = 4 };
typedef struct Batch {
    cudnnTensorDescriptor_t x, y;
    int n;                /* images; 0: unused */
    long used;            /* when, for the choice of the one to describe anew */
    bool fits[DNN_CALLS]; /* cuDNN supports the call with n images, and has not refused it */
} Batch;

typedef struct Cudnn {
    cudnnHandle_t handle; /* the backend's */
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t conv;
    Batch batch[BATCHES], *now; /* the one of the current call */
    long calls;
} Cudnn;

static Cudnn *of(const ConvPlan *p) { return p->dnn; }
static bool is_padded(const ConvPlan *p) { return p->dnn_C > p->C; }
static cudnnDataType_t type_of(const ConvPlan *p)
{
    return p->type == F32  ? CUDNN_DATA_FLOAT
         : p->type == BF16 ? CUDNN_DATA_BFLOAT16
                           : CUDNN_DATA_HALF;
}

/* Describe n images, and query each call's workspace: a call that wants more than `limit` bytes
 * does not fit. Returns the bytes for those that do. */
static size_t describe(const ConvPlan *p, Batch *b, int n, size_t limit)
{
    Cudnn *d = of(p);
    cudnnStatus_t status[DNN_CALLS], described;
    size_t bytes[DNN_CALLS] = {0}, most = 0;
    b->n = n;
    memset(b->fits, 0, sizeof b->fits);
    described = cudnnSetTensor4dDescriptor(b->x, CUDNN_TENSOR_NHWC, type_of(p), n, p->dnn_C, p->H,
                                           p->W);
    if (described == CUDNN_STATUS_SUCCESS)
        described = cudnnSetTensor4dDescriptor(b->y, CUDNN_TENSOR_NHWC, type_of(p), n, p->K, p->P,
                                               p->Q);
    if (described != CUDNN_STATUS_SUCCESS) /* more elements than an int counts */
        return 0;
    status[DNN_FORWARD] = cudnnGetConvolutionForwardWorkspaceSize(d->handle, b->x, d->w, d->conv,
                                                                  b->y, FORWARD,
                                                                  &bytes[DNN_FORWARD]);
    status[DNN_DATA] = is_padded(p)
                         ? CUDNN_STATUS_NOT_SUPPORTED
                         : cudnnGetConvolutionBackwardDataWorkspaceSize(d->handle, d->w, b->y,
                                                                        d->conv, b->x, DATA,
                                                                        &bytes[DNN_DATA]);
    status[DNN_DATA_ADD] = status[DNN_DATA];
    bytes[DNN_DATA_ADD] = bytes[DNN_DATA];
    status[DNN_WEIGHT] = cudnnGetConvolutionBackwardFilterWorkspaceSize(d->handle, b->x, b->y,
                                                                        d->conv, d->w, WEIGHT,
                                                                        &bytes[DNN_WEIGHT]);
    for (int i = 0; i < DNN_CALLS; i++) {
        b->fits[i] = status[i] == CUDNN_STATUS_SUCCESS && bytes[i] <= limit;
        if (b->fits[i] && bytes[i] > most)
            most = bytes[i];
    }
    return most;
}

/* The description of n images: there, or in place of the one not used for longest. */
static Batch *batch_of(const ConvPlan *p, int n)
{
    Cudnn *d = of(p);
    Batch *b = &d->batch[0];
    for (int i = 0; i < BATCHES && b->n != n; i++)
        if (d->batch[i].n == n || d->batch[i].used < b->used)
            b = &d->batch[i];
    if (b->n != n)
        describe(p, b, n, p->dnn_bytes);
    b->used = ++d->calls;
    return b;
}

static bool fits_any(const Batch *b)
{
    for (int i = 0; i < DNN_CALLS; i++)
        if (b->fits[i])
            return true;
    return false;
}

/* Tell people which convolutions it does: forward, data, weights, of all that were planned; and how
 * many calls it has refused since. */
static void tell(CudaBackend *cuda)
{
    char *text = cuda->base.description + cuda->about;
    int room = sizeof cuda->base.description - cuda->about,
        length = snprintf(text, room,
                          ", convolutions by cuDNN: forward %d, data %d, weights %d of %d",
                          cuda->by_dnn[0], cuda->by_dnn[1], cuda->by_dnn[2], cuda->plans);
    if (cuda->refused && length < room)
        snprintf(text + length, room - length, ", %d refused when called", cuda->refused);
}

static void count(CudaBackend *cuda, const Batch *b)
{
    static const DnnCall calls[] = {DNN_FORWARD, DNN_DATA_ADD, DNN_WEIGHT};
    for (int i = 0; i < 3; i++)
        cuda->by_dnn[i] += b && b->fits[calls[i]];
    tell(cuda);
}

#define TEXT_OF(number) TEXT(number)
#define TEXT(number) #number

void cudnn_open(Backend *be)
{
    CudaBackend *cuda = (CudaBackend *)be;
    cudnnHandle_t handle;
    CUDA_CHECK(cudaSetDevice(cuda->device));
    const char *why = gpu_library_missing("libcudnn.so." TEXT_OF(CUDNN_MAJOR));
    if (!why) {
        cudnnStatus_t status = cudnnCreate(&handle);
        cuda->dnn = status == CUDNN_STATUS_SUCCESS ? handle : NULL;
        why = cuda->dnn ? NULL : cudnnGetErrorString(status);
        if (why)
            cudaGetLastError(); /* clear the error for later checks */
    }
    snprintf(cuda->no_dnn, sizeof cuda->no_dnn, "%s", why ? why : "");
}

void cudnn_close(Backend *be)
{
    CudaBackend *cuda = (CudaBackend *)be;
    if (cuda->dnn)
        CUDNN_CHECK(cudnnDestroy(cuda->dnn));
}

static void cudnn_free(ConvPlan *p)
{
    Cudnn *d = of(p);
    CUDNN_CHECK(cudnnDestroyConvolutionDescriptor(d->conv));
    CUDNN_CHECK(cudnnDestroyFilterDescriptor(d->w));
    for (int i = 0; i < BATCHES; i++) {
        CUDNN_CHECK(cudnnDestroyTensorDescriptor(d->batch[i].y));
        CUDNN_CHECK(cudnnDestroyTensorDescriptor(d->batch[i].x));
    }
    free(d);
}

void cudnn_plan(Backend *be, ConvPlan *p, Tensor y, Tensor x)
{
    CudaBackend *cuda = (CudaBackend *)be;
    bool padded = p->type != F32 && x.dtype == F32 && x.c < PADDED_C;
    if (!cuda->dnn)
        return;
    cuda->plans++;
    if (x.halo || y.halo || (x.dtype != y.dtype && !padded)) {
        count(cuda, NULL);
        return;
    }
    bool exact = p->type == F32 && be->precision != PRECISION_TF32;
    p->dnn_C = padded ? PADDED_C : p->C;
    Cudnn *d = p->dnn = alloc(1, sizeof *d);
    d->handle = cuda->dnn;
    for (int i = 0; i < BATCHES; i++) {
        CUDNN_CHECK(cudnnCreateTensorDescriptor(&d->batch[i].x));
        CUDNN_CHECK(cudnnCreateTensorDescriptor(&d->batch[i].y));
    }
    CUDNN_CHECK(cudnnCreateFilterDescriptor(&d->w));
    CUDNN_CHECK(cudnnCreateConvolutionDescriptor(&d->conv));
    CUDNN_CHECK(cudnnSetFilter4dDescriptor(d->w, type_of(p), CUDNN_TENSOR_NHWC, p->K, p->dnn_C,
                                           p->R, p->R));
    CUDNN_CHECK(cudnnSetConvolution2dDescriptor(d->conv, p->pad, p->pad, p->stride, p->stride, 1, 1,
                                                CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    /* DEFAULT_MATH permits tensor cores for TF32 only */
    cudnnMathType_t math = p->type != F32 ? CUDNN_TENSOR_OP_MATH
                         : exact          ? CUDNN_FMA_MATH
                                          : CUDNN_DEFAULT_MATH;
    CUDNN_CHECK(cudnnSetConvolutionMathType(d->conv, math));
    p->dnn_bytes = describe(p, &d->batch[0], x.n, WORKSPACE);
    count(cuda, &d->batch[0]);
    if (!fits_any(&d->batch[0])) {
        cudnn_free(p);
        p->dnn = NULL;
        p->dnn_bytes = 0;
        p->dnn_C = p->C;
    }
}

void cudnn_plan_free(ConvPlan *p)
{
    if (p->dnn)
        cudnn_free(p);
}

bool cudnn_fits(const ConvPlan *p, DnnCall call, Tensor y, Tensor x)
{
    Cudnn *d = of(p);
    if (!d || x.halo || y.halo || x.dtype != (is_padded(p) ? F32 : p->type) || y.dtype != p->type)
        return false;
    /* What was refused stays so for these n images: the same n gives the same bits. */
    d->now = batch_of(p, x.n);
    return d->now->fits[call];
}

/* cuDNN's handle on this stream; the filters, packed, in scratch memory. */
static void *ready(Stream *s, ConvPlan *p, Tensor w)
{
    void *packed = conv_scratch(s, p->packed_at);
    CUDNN_CHECK(cudnnSetStream(of(p)->handle, cuda_queue(s)));
    if (given(w))
        cuda_conv_pack(s, p, packed, w, p->dnn_C);
    return packed;
}

/* x as cuDNN takes it: itself, or its copy in scratch memory. */
static const void *input(Stream *s, ConvPlan *p, Tensor x)
{
    if (!is_padded(p))
        return cuda_at(x);
    void *padded = conv_scratch(s, p->padded_at);
    cuda_conv_pad(s, p, padded, x);
    return padded;
}

static bool not_supported(cudnnStatus_t status)
{
#ifdef CUDNN_STATUS_CATEGORY /* cuDNN 9 has several such codes */
    status = (cudnnStatus_t)CUDNN_STATUS_CATEGORY(status);
#endif
    return status == CUDNN_STATUS_NOT_SUPPORTED;
}

/* Did it succeed? A refusal concerns this call alone: the others' way, and so their bits, stay. */
#define DID(s, p, which, call) did(s, p, which, (call), __LINE__, #call)
static bool did(Stream *s, ConvPlan *p, DnnCall which, cudnnStatus_t status, int line,
                const char *call)
{
    CudaBackend *cuda = (CudaBackend *)s->be;
    of(p)->now->fits[which] = !not_supported(status);
    if (status != CUDNN_STATUS_SUCCESS && of(p)->now->fits[which])
        die(EXIT_WRONG, "%s:%d: %s: %s", __FILE__, line, call, cudnnGetErrorString(status));
    if (!of(p)->now->fits[which]) {
        cuda->refused++;
        tell(cuda);
    }
    return of(p)->now->fits[which];
}

bool cudnn_forward(Stream *s, ConvPlan *p, Tensor y, Tensor x, Tensor w, Tensor residual)
{
    const float one = 1, zero = 0;
    Cudnn *d = of(p);
    void *packed = ready(s, p, w);
    if (!DID(s, p, DNN_FORWARD,
             cudnnConvolutionForward(d->handle, &one, d->now->x, input(s, p, x), d->w, packed,
                                     d->conv, FORWARD, conv_scratch(s, p->dnn_at), p->dnn_bytes,
                                     &zero, d->now->y, cuda_at(y))))
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
    return DID(s, p, add ? DNN_DATA_ADD : DNN_DATA,
               cudnnConvolutionBackwardData(d->handle, &one, d->w, packed, d->now->y, cuda_at(dy),
                                            d->conv, DATA, conv_scratch(s, p->dnn_at), p->dnn_bytes,
                                            &before, d->now->x, cuda_at(dx)));
}

bool cudnn_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy)
{
    const float one = 1, zero = 0;
    Cudnn *d = of(p);
    void *dpacked = conv_scratch(s, p->dpacked_at);
    ready(s, p, NO_TENSOR);
    if (!DID(s, p, DNN_WEIGHT,
             cudnnConvolutionBackwardFilter(d->handle, &one, d->now->x, input(s, p, x), d->now->y,
                                            cuda_at(dy), d->conv, WEIGHT,
                                            conv_scratch(s, p->dnn_at), p->dnn_bytes, &zero, d->w,
                                            dpacked)))
        return false;
    cuda_conv_unpack_add(s, p, dw, dpacked, p->type, p->dnn_C);
    return true;
}
