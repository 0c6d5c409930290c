/* cuda_conv_filters.c: a convolution's filters as both libraries need them. */
#include "cuda_conv.h"

/* What cuDNN sees padded is packed in each call, so that im2col may still take over. It is an
 * image's convolution, which has one call per step. */
Tensor cuda_conv_packed(const ConvPlan *p)
{
    return p->dnn_C == p->C && !p->image ? (Tensor){NULL, 0, p->type, p->K, p->R, p->R, p->C, 0}
                                         : NO_TENSOR;
}

void *cuda_conv_filters(Stream *s, const ConvPlan *p, Tensor w, int channels)
{
    Tensor wanted = cuda_conv_packed(p);
    if (channels == wanted.c && w.dtype == wanted.dtype && same_shape(w, wanted) &&
        (uintptr_t)cuda_at(w) % FILTERS_ALIGNED == 0)
        return cuda_at(w);
    void *packed = conv_scratch(s, p->packed_at);
    cuda_conv_pack_one(s, p, packed, w, channels);
    return packed;
}
