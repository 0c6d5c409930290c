/* 12b_mlp_backward.c: the backward pass of the MLP in 12a. */
#include "check.h"
#include "lab2.h"

void mlp_backward(Split *s, MlpShard *m, float *dx, const float *dy, const float *x)
{
    float *d = alloc(m->T * m->F, sizeof *d);
    layer_dw(m->dw2, dy, m->active, m->T, m->F, m->C);
    layer_dx(d, dy, m->w2, m->T, m->F, m->C);
    gelu_dx(d, d, m->inner, m->T * m->F);
    layer_dw(m->dw1, d, x, m->T, m->C, m->F);
    layer_dx(dx, d, m->w1, m->T, m->C, m->F);
    split_all_reduce(s, dx, m->T * m->C);
    free(d);
}
