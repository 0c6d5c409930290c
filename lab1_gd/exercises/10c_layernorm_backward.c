/* 10c_layernorm_backward.c: exercise: the derivative of a layer norm. */
#include "check.h"
#include "lab1.h"

/* Layer norm, at one position with the n numbers x:
 *     xhat_i = (x_i - mean) * istd        istd = 1 / sqrt(variance + 1e-5)
 *     y_i = gamma_i * xhat_i + beta_i
 * mean and istd are given; they were computed from x. Given dy [n], the derivative of the loss with
 * respect to y, write that with respect to x into dx [n], and ADD those with respect to gamma and
 * beta to dgamma [n] and dbeta [n]: other positions contribute to them, too.
 *
 * Moving all x together, or stretching them, does not change xhat; so the part of the gradient that
 * would do that is subtracted. With g_i = gamma_i * dy_i:
 *     dx_i = istd * (g_i - mean of g - xhat_i * mean of (g xhat))
 * both means over the n numbers. dx is not dy. The check asks for 1e-4,
 * relative. */
void layernorm_backward(float *dx, float *dgamma, float *dbeta, const float *dy, const float *x,
                        const float *gamma, float mean, float istd, int n)
{
    TODO("the two means first; then dx, and add to dgamma and dbeta");
}
