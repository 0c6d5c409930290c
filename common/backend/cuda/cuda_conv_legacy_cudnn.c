/* cuda_conv_legacy_cudnn.c: convolution by the functions that cuDNN (8 and 9) had before graphs,
 * with fixed algorithms instead of autotuning, so that the same input gives the same bits. The
 * three are those that NVIDIA's table calls deterministic and that support NHWC: forward
 * IMPLICIT_PRECOMP_GEMM, data ALGO_1, weight ALGO_1.
 */
#include "cuda_conv_dnn.h"
#include <stdlib.h>

static const cudnnConvolutionFwdAlgo_t FORWARD = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
static const cudnnConvolutionBwdDataAlgo_t DATA = CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
static const cudnnConvolutionBwdFilterAlgo_t WEIGHT = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1;

struct DnnLegacy {
    cudnnTensorDescriptor_t x, y;
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t conv;
};

static void describe_filters(DnnLegacy *l, const DnnCase *c)
{
    const ConvPlan *p = c->plan;
    /* DEFAULT_MATH permits tensor cores for TF32 only */
    cudnnMathType_t math = c->type != CUDNN_DATA_FLOAT ? CUDNN_TENSOR_OP_MATH
                         : c->exact                    ? CUDNN_FMA_MATH
                                                       : CUDNN_DEFAULT_MATH;
    CUDNN_CHECK(
        cudnnSetFilter4dDescriptor(l->w, c->type, CUDNN_TENSOR_NHWC, p->K, p->dnn_C, p->R, p->R));
    CUDNN_CHECK(cudnnSetConvolution2dDescriptor(l->conv, p->pad, p->pad, p->stride, p->stride, 1, 1,
                                                CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    CUDNN_CHECK(cudnnSetConvolutionMathType(l->conv, math));
}

DnnLegacy *dnn_legacy_new(const DnnCase *c)
{
    const ConvPlan *p = c->plan;
    DnnLegacy *l = alloc(1, sizeof *l);
    CUDNN_CHECK(cudnnCreateTensorDescriptor(&l->x));
    CUDNN_CHECK(cudnnCreateTensorDescriptor(&l->y));
    CUDNN_CHECK(cudnnCreateFilterDescriptor(&l->w));
    CUDNN_CHECK(cudnnCreateConvolutionDescriptor(&l->conv));
    describe_filters(l, c);
    if (cudnnSetTensor4dDescriptor(l->x, CUDNN_TENSOR_NHWC, c->type, c->n, p->dnn_C, p->H, p->W) ||
        cudnnSetTensor4dDescriptor(l->y, CUDNN_TENSOR_NHWC, c->type, c->n, p->K, p->P, p->Q)) {
        dnn_legacy_free(l);
        return NULL;
    }
    return l;
}

void dnn_legacy_free(DnnLegacy *l)
{
    if (!l)
        return;
    CUDNN_CHECK(cudnnDestroyConvolutionDescriptor(l->conv));
    CUDNN_CHECK(cudnnDestroyFilterDescriptor(l->w));
    CUDNN_CHECK(cudnnDestroyTensorDescriptor(l->y));
    CUDNN_CHECK(cudnnDestroyTensorDescriptor(l->x));
    free(l);
}

bool dnn_legacy_bytes(size_t *bytes, const DnnLegacy *l, cudnnHandle_t handle, DnnCall call)
{
    cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
    if (call == DNN_FORWARD)
        status = cudnnGetConvolutionForwardWorkspaceSize(handle, l->x, l->w, l->conv, l->y, FORWARD,
                                                         bytes);
    else if (call == DNN_WEIGHT)
        status = cudnnGetConvolutionBackwardFilterWorkspaceSize(handle, l->x, l->y, l->conv, l->w,
                                                                WEIGHT, bytes);
    else
        status = cudnnGetConvolutionBackwardDataWorkspaceSize(handle, l->w, l->y, l->conv, l->x,
                                                              DATA, bytes);
    return status == CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t dnn_legacy_run(const DnnLegacy *l, cudnnHandle_t handle, DnnCall call,
                             const DnnData *at, size_t bytes)
{
    const float one = 1, before = call == DNN_DATA_ADD;
    if (call == DNN_FORWARD)
        return cudnnConvolutionForward(handle, &one, l->x, at->x, l->w, at->w, l->conv, FORWARD,
                                       at->workspace, bytes, &before, l->y, at->y);
    if (call == DNN_WEIGHT)
        return cudnnConvolutionBackwardFilter(handle, &one, l->x, at->x, l->y, at->y, l->conv,
                                              WEIGHT, at->workspace, bytes, &before, l->w, at->w);
    return cudnnConvolutionBackwardData(handle, &one, l->w, at->w, l->y, at->y, l->conv, DATA,
                                        at->workspace, bytes, &before, l->x, at->x);
}
