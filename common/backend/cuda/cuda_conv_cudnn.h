/* cuda_conv_cudnn.h: convolution by cuDNN. A build without cuDNN has stubs that support no case. */
#ifndef CUDA_CONV_CUDNN_H
#define CUDA_CONV_CUDNN_H
#include "cuda_conv.h"

/* Each is supported, or refused, for itself; data: dx = …, or dx += … */
typedef enum { DNN_FORWARD, DNN_DATA, DNN_DATA_ADD, DNN_WEIGHT, DNN_CALLS } DnnCall;

#ifdef HAVE_CUDNN
/* Load cuDNN, create the backend's handle; without one convolutions use im2col. */
void cudnn_open(Backend *be);
void cudnn_close(Backend *be);
/* Sets p->dnn and p->dnn_bytes if cuDNN supports one of the calls. y and x have the largest N. */
void cudnn_plan(Backend *be, ConvPlan *p, Tensor y, Tensor x);
void cudnn_plan_free(ConvPlan *p);
/* Has the plan cuDNN for this call, and are these two dense and of its types? */
bool cudnn_fits(const ConvPlan *p, DnnCall call, Tensor y, Tensor x);
/* False, with nothing done, where cuDNN does not support the call after all; im2col then does it
 * for this plan and N. */
bool cudnn_forward(Stream *s, ConvPlan *p, Tensor y, Tensor x, Tensor w, Tensor residual);
bool cudnn_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add);
bool cudnn_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy);
#else
#define cudnn_open(be) ((void)0)
#define cudnn_plan(be, p, y, x) ((void)0)
#define cudnn_plan_free(p) ((void)0)
#define cudnn_fits(p, call, y, x) ((void)(call), false)
#define cudnn_forward(s, p, y, x, w, residual) false
#define cudnn_backward_data(s, p, dx, dy, w, add) false
#define cudnn_backward_weight(s, p, dw, x, dy) false
#define cudnn_close(be) ((void)0)
#endif
#endif
