/* cuda_conv_cudnn.h: convolution by cuDNN. A build without cuDNN has these instead, which know no case. */
#ifndef CUDA_CONV_CUDNN_H
#define CUDA_CONV_CUDNN_H
#include "cuda_conv.h"

#ifdef HAVE_CUDNN
/* Sets p->dnn and p->dnn_bytes if cuDNN knows the case. y and x have the largest N that will come. */
void cudnn_plan(Backend *be, ConvPlan *p, Tensor y, Tensor x);
void cudnn_plan_free(ConvPlan *p);
/* Has the plan cuDNN, and are these two dense and of the plan's type? */
bool cudnn_fits(const ConvPlan *p, Tensor y, Tensor x);
void cudnn_forward(Stream *s, ConvPlan *p, Tensor y, Tensor x, Tensor w, Tensor residual);
void cudnn_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add);
void cudnn_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy);
void cudnn_close(Backend *be); /* the backend's handle, if there is one */
#else
#define cudnn_plan(be, p, y, x) ((void)0)
#define cudnn_plan_free(p) ((void)0)
#define cudnn_fits(p, y, x) false
#define cudnn_forward(s, p, y, x, w, residual) ((void)0)
#define cudnn_backward_data(s, p, dx, dy, w, add) ((void)0)
#define cudnn_backward_weight(s, p, dw, x, dy) ((void)0)
#define cudnn_close(be) ((void)0)
#endif
#endif
