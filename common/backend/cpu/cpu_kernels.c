/* cpu_kernels.c: the CPU's computing operations, for the table in backend_cpu.c. With PORTABLE=1
 * this file and the other cpu_*.c are compiled once per instruction set, and each exports only this
 * function, under its own name. */
#include "cpu.h"

void cpu_kernels(BackendOps *op)
{
    op->conv_halo = cpu_conv_halo;
    op->conv_plan_new = cpu_conv_plan_new;
    op->conv_plan_free = cpu_conv_plan_free;
    op->conv_forward = cpu_conv_forward;
    op->conv_backward_data = cpu_conv_backward_data;
    op->conv_backward_weight = cpu_conv_backward_weight;
    op->dense_forward = cpu_dense_forward;
    op->dense_backward_data = cpu_dense_backward_data;
    op->dense_backward_weight = cpu_dense_backward_weight;
    op->image_moments = cpu_image_moments;
    op->bn_sums = cpu_bn_sums;
    op->bn_finish = cpu_bn_finish;
    op->bn_statistics = cpu_bn_statistics;
    op->bn_running = cpu_bn_running;
    op->bn_forward = cpu_bn_forward;
    op->bn_backward_sums = cpu_bn_backward_sums;
    op->bn_backward = cpu_bn_backward;
    op->relu_forward = cpu_relu_forward;
    op->relu_backward = cpu_relu_backward;
    op->maxpool_forward = cpu_maxpool_forward;
    op->maxpool_backward = cpu_maxpool_backward;
    op->avgpool_forward = cpu_avgpool_forward;
    op->avgpool_backward = cpu_avgpool_backward;
    op->flatten_forward = cpu_flatten_forward;
    op->flatten_backward = cpu_flatten_backward;
    op->cross_entropy = cpu_cross_entropy;
    op->sgd = cpu_sgd;
    op->axpy = cpu_axpy;
    op->scale = cpu_scale;
    op->dot = cpu_dot;
    op->act_forward = cpu_act_forward;
    op->act_backward = cpu_act_backward;
    op->matmul = cpu_matmul;
    op->to_length = cpu_to_length;
    op->gather = cpu_gather;
}
