/* lazy_cudnn.cpp: cuDNN's legacy convolutions on the emulation's streams: it obeys the descriptors,
 * is strict, and slow. A test may have it refuse (device.h: cuda_on_host_refuse). */
#include "lazy_cudnn.h"
#include <cuda_fp16.h>

long lazy_cudnn_calls[7];
extern "C" long cuda_on_host_cudnn_calls(int which) { return lazy_cudnn_calls[which]; }

template <class T> static cudnnStatus_t made(T **d)
{
    lazy_cudnn_calls[6]++;
    return *d = new T(), CUDNN_STATUS_SUCCESS;
}
template <class T> static cudnnStatus_t gone(T *d)
{
    lazy_cudnn_calls[6]--;
    return delete d, CUDNN_STATUS_SUCCESS;
}

extern "C" {
const char *cudnnGetErrorString(cudnnStatus_t s) { return s ? "cuDNN's double: no" : "success"; }
cudnnStatus_t cudnnCreate(cudnnHandle_t *h)
{
    return lazy_refuses('h') ? CUDNN_STATUS_NOT_INITIALIZED : made(h);
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t h) { return gone(h); }
cudnnStatus_t cudnnSetStream(cudnnHandle_t h, cudaStream_t s)
{
    return h->stream = s, CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *d) { return made(d); }
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t d) { return gone(d); }
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t *d) { return made(d); }
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t d) { return gone(d); }
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t *d) { return made(d); }
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t d) { return gone(d); }

cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t d, cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c, int h, int w)
{
    if (n < 1 || c < 1 || h < 1 || w < 1)
        return CUDNN_STATUS_BAD_PARAM;
    if ((double)n * c * h * w > INT32_MAX)
        return CUDNN_STATUS_NOT_SUPPORTED;
    *d = {format, type, n, c, h, w};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t d, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w)
{
    *d = {format, type, k, c, h, w};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t d, int pad_h, int pad_w,
                                              int stride_h, int stride_w, int dilation_h,
                                              int dilation_w, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t compute)
{
    *d = {pad_h, pad_w, stride_h, stride_w, compute, CUDNN_DEFAULT_MATH};
    return dilation_h == 1 && dilation_w == 1 && mode == CUDNN_CROSS_CORRELATION
             ? CUDNN_STATUS_SUCCESS
             : CUDNN_STATUS_BAD_PARAM;
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t d, cudnnMathType_t math)
{
    return d->math = math, CUDNN_STATUS_SUCCESS;
}
}

/* ---- which call, with which shapes ---- */
static int outputs(int in, int pad, int R, int stride) { return (in + 2 * pad - R) / stride + 1; }
bool lazy_fits(const Shape &s)
{
    const HostTensor &x = s.x, &y = s.y;
    const HostFilter &w = s.w;
    return x.n == y.n && x.c == w.c && y.c == w.k &&
           y.h == outputs(x.h, s.c.pad_h, w.h, s.c.stride_h) &&
           y.w == outputs(x.w, s.c.pad_w, w.w, s.c.stride_w);
}
static cudnnStatus_t fit(const Shape &s)
{
    const HostTensor &x = s.x, &y = s.y;
    const HostFilter &w = s.w;
    if (!lazy_fits(s))
        return CUDNN_STATUS_BAD_PARAM;
    if (x.format != CUDNN_TENSOR_NHWC || y.format != CUDNN_TENSOR_NHWC ||
        w.format != CUDNN_TENSOR_NHWC || x.type != y.type || w.type != x.type ||
        s.c.compute != CUDNN_DATA_FLOAT)
        return CUDNN_STATUS_NOT_SUPPORTED;
    /* as NVIDIA's page of the legacy calls: tensor cores only so */
    if (x.type != CUDNN_DATA_FLOAT && s.c.math != CUDNN_TENSOR_OP_MATH)
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (lazy_refuses('s') && x.n % 2)
        return CUDNN_STATUS_NOT_SUPPORTED_SHAPE;
    return CUDNN_STATUS_SUCCESS;
}
static size_t workspace_of(const Shape &s) { return 1000 + (size_t)s.x.n * 64; }

/* F, B, W: refused when asked for its workspace; L: it wants more than a GPU has. */
static cudnnStatus_t workspace(const Shape &s, Which which, size_t *bytes)
{
    lazy_cudnn_calls[3]++;
    if (lazy_refuses("FBW"[which]))
        return CUDNN_STATUS_NOT_SUPPORTED;
    cudnnStatus_t status = fit(s);
    if (!status)
        *bytes = lazy_refuses('L') ? (size_t)1 << 40 : workspace_of(s);
    return status;
}

/* ---- the arithmetic ---- */
static float get(const void *p, size_t i, cudnnDataType_t type)
{
    return type == CUDNN_DATA_FLOAT ? ((const float *)p)[i]
                                    : host_widen(((const uint16_t *)p)[i], type == CUDNN_DATA_HALF);
}
static void put(void *p, size_t i, cudnnDataType_t type, float x)
{
    if (type == CUDNN_DATA_FLOAT)
        ((float *)p)[i] = x;
    else
        ((uint16_t *)p)[i] = host_narrow(x, type == CUDNN_DATA_HALF);
}

/* f(index in x, in w, in y) for every product. */
template <class F> static void products(const Shape &s, F f)
{
    const HostTensor &x = s.x, &y = s.y;
    const HostFilter &w = s.w;
    for (size_t at = 0; at < (size_t)y.n * y.h * y.w; at++)
        for (int tap = 0; tap < w.h * w.w; tap++) {
            int q = (int)(at % y.w), p = (int)(at / y.w % y.h), n = (int)(at / y.w / y.h);
            int row = p * s.c.stride_h - s.c.pad_h + tap / w.w,
                column = q * s.c.stride_w - s.c.pad_w + tap % w.w;
            if (row < 0 || column < 0 || row >= x.h || column >= x.w)
                continue;
            size_t from = (((size_t)n * x.h + row) * x.w + column) * x.c;
            for (int k = 0; k < w.k; k++)
                for (int c = 0; c < x.c; c++)
                    f(from + c, ((size_t)k * w.h * w.w + tap) * w.c + c, at * y.c + k);
        }
}

static void store(void *to, const std::vector<float> &sum, cudnnDataType_t type, Scaling by)
{
    for (size_t i = 0; i < sum.size(); i++)
        put(to, i, type, by.alpha * sum[i] + (by.beta != 0 ? by.beta * get(to, i, type) : 0));
}

/* As a tensor core takes a float: TF32. */
static float short_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + 0x1000) & ~0x1fffu;
    return memcpy(&x, &bits, sizeof x), x;
}

void lazy_convolve(const Shape &s, Which which, const Operands &at, Scaling by, bool rounds)
{
    auto values = [=](const void *p, size_t count, cudnnDataType_t type) {
        std::vector<float> v(count);
        for (size_t i = 0; i < v.size(); i++)
            v[i] = rounds ? short_of(get(p, i, type)) : get(p, i, type);
        return v;
    };
    auto size = [](const HostTensor &t) { return (size_t)t.n * t.h * t.w * t.c; };
    size_t weights = (size_t)s.w.k * s.w.h * s.w.w * s.w.c;
    std::vector<float> read_x, read_w, read_y;
    if (which != DATA)
        read_x = values(at.x, size(s.x), s.x.type);
    if (which != WEIGHT)
        read_w = values(at.w, weights, s.w.type);
    if (which != FORWARD)
        read_y = values(at.y, size(s.y), s.y.type);
    const float *x = read_x.data(), *w = read_w.data(), *y = read_y.data();
    std::vector<float> sums(which == FORWARD ? size(s.y) : which == DATA ? size(s.x) : weights);
    float *sum = sums.data();
    if (which == FORWARD) {
        products(s, [=](size_t in, size_t k, size_t out) { sum[out] += x[in] * w[k]; });
        store(at.y, sums, s.y.type, by);
    } else if (which == DATA) {
        products(s, [=](size_t in, size_t k, size_t out) { sum[in] += y[out] * w[k]; });
        store(at.x, sums, s.x.type, by);
    } else {
        products(s, [=](size_t in, size_t k, size_t out) { sum[k] += x[in] * y[out]; });
        store(at.w, sums, s.w.type, by);
    }
}

/* f, b, w: refused when it is to run. */
static cudnnStatus_t queue(cudnnHandle_t h, const Shape &s, Which which, const Operands &at,
                           void *memory, size_t bytes, Scaling by)
{
    cudnnStatus_t status = fit(s);
    if (status)
        return status;
    if (lazy_refuses("fbw"[which]))
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (!h->stream || !memory || bytes < workspace_of(s) || (uintptr_t)memory % 16)
        return CUDNN_STATUS_BAD_PARAM;
    lazy_cudnn_calls[which]++;
    size_t used = workspace_of(s);
    lazy_queue(h->stream, [=] {
        memset(memory, 0xaa, used);
        lazy_convolve(s, which, at, by, false);
    });
    return CUDNN_STATUS_SUCCESS;
}

static Scaling scaling(const void *alpha, const void *beta)
{
    return {*(const float *)alpha, *(const float *)beta};
}

extern "C" {
cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t h, cudnnTensorDescriptor_t x,
                                                      cudnnFilterDescriptor_t w,
                                                      cudnnConvolutionDescriptor_t c,
                                                      cudnnTensorDescriptor_t y,
                                                      cudnnConvolutionFwdAlgo_t algorithm,
                                                      size_t *bytes)
{
    return workspace({*x, *y, *w, *c}, FORWARD, bytes);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t h, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t c, cudnnTensorDescriptor_t dx,
    cudnnConvolutionBwdDataAlgo_t algorithm, size_t *bytes)
{
    return workspace({*dx, *dy, *w, *c}, DATA, bytes);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t h, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t c, cudnnFilterDescriptor_t dw,
    cudnnConvolutionBwdFilterAlgo_t algorithm, size_t *bytes)
{
    return workspace({*x, *dy, *dw, *c}, WEIGHT, bytes);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t h, const void *alpha,
                                      cudnnTensorDescriptor_t x_is, const void *x,
                                      cudnnFilterDescriptor_t w_is, const void *w,
                                      cudnnConvolutionDescriptor_t c,
                                      cudnnConvolutionFwdAlgo_t algorithm, void *memory,
                                      size_t bytes, const void *beta, cudnnTensorDescriptor_t y_is,
                                      void *y)
{
    return queue(h, {*x_is, *y_is, *w_is, *c}, FORWARD, {(void *)x, (void *)w, y}, memory, bytes,
                 scaling(alpha, beta));
}

cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t h, const void *alpha,
                                           cudnnFilterDescriptor_t w_is, const void *w,
                                           cudnnTensorDescriptor_t dy_is, const void *dy,
                                           cudnnConvolutionDescriptor_t c,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void *memory,
                                           size_t bytes, const void *beta,
                                           cudnnTensorDescriptor_t dx_is, void *dx)
{
    return queue(h, {*dx_is, *dy_is, *w_is, *c}, DATA, {dx, (void *)w, (void *)dy}, memory, bytes,
                 scaling(alpha, beta));
}

cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t h, const void *alpha,
                                             cudnnTensorDescriptor_t x_is, const void *x,
                                             cudnnTensorDescriptor_t dy_is, const void *dy,
                                             cudnnConvolutionDescriptor_t c,
                                             cudnnConvolutionBwdFilterAlgo_t algorithm,
                                             void *memory, size_t bytes, const void *beta,
                                             cudnnFilterDescriptor_t dw_is, void *dw)
{
    return queue(h, {*x_is, *dy_is, *dw_is, *c}, WEIGHT, {(void *)x, dw, (void *)dy}, memory, bytes,
                 scaling(alpha, beta));
}
}
