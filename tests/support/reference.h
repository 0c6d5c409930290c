/* reference.h: every operation of backend.h as plain float64 loops over host arrays: slow, and
 * simple enough to be seen to be right.
 *
 * Activations are NHWC without a border; weights are stored as in PyTorch. Backward functions add
 * to their outputs (d…), `+=`: zero them first. Their gradients are checked against finite
 * differences in unit/test_model_gradient.c, the rest in test_reference.c.
 */
#ifndef REFERENCE_H
#define REFERENCE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Shape {
    int n, h, w, c;
} Shape;

static inline size_t shape_count(Shape s) { return (size_t)s.n * s.h * s.w * s.c; }
static inline size_t shape_at(Shape s, int n, int h, int w, int c)
{
    return (((size_t)n * s.h + h) * s.w + w) * s.c + c;
}

/* `count` normal draws with this mean and standard deviation, rounded to float32 (so that a device
 * gets exactly these values), a function of `seed` alone. Freed when the case has passed. */
double *random_values(uint32_t seed, size_t count, double mean, double deviation);
double *zeros(size_t count);

/* ---- convolution: pad R/2 for R = 1 and 3, none for 2; w [K,C,R,R] ---- */
typedef struct ConvShape {
    Shape x, y;
    int R, stride;
} ConvShape;

ConvShape conv_shape(Shape x, int K, int R, int stride);
size_t conv_weights(const ConvShape *c); /* how many */
/* residual or NULL */
void ref_conv_forward(double *y, const double *x, const double *w, const double *residual,
                      const ConvShape *c);
void ref_conv_backward_data(double *dx, const double *dy, const double *w, const ConvShape *c);
void ref_conv_backward_weight(double *dw, const double *x, const double *dy, const ConvShape *c);

/* ---- dense layer: x [N,D], w [K,D], bias and dbias [K] or NULL, y [N,K] ---- */
void ref_dense_forward(double *y, const double *x, const double *w, const double *bias, int N,
                       int D, int K);
void ref_dense_backward_data(double *dx, const double *dy, const double *w, int N, int D, int K);
void ref_dense_backward_weight(double *dw, double *dbias, const double *x, const double *dy, int N,
                               int D, int K);

/* ---- batch norm: G = ceil(N / group) groups of consecutive images ---- */
typedef struct Norm {
    Shape x;
    int group;
    bool relu;
    double eps;
    const double *gamma, *beta; /* [C] */
    double *mean, *var;         /* [G,C], var the biased one */
} Norm;

int norm_groups(const Norm *n);
/* [N,2,C]: mean, sum of squared deviations */
void ref_image_moments(double *moments, const double *x, Shape s);
void ref_bn_statistics(const Norm *n, const double *x); /* fills mean and var */
/* unbiased var, the groups' plain average */
void ref_bn_running(double *running_mean, double *running_var, const Norm *n, double momentum);
void ref_bn_forward(double *y, const Norm *n, const double *x, const double *residual);
void ref_bn_backward(double *dx, double *dresidual, double *dgamma, double *dbeta, const Norm *n,
                     const double *dy, const double *y, const double *x);

/* ---- the other layers ---- */
void ref_relu_forward(double *y, const double *x, size_t count);
void ref_relu_backward(double *dx, const double *dy, const double *y, size_t count);
Shape pool_shape(Shape x, int side); /* of side x side max pooling, stride side */
void ref_maxpool_forward(double *y, int *which, const double *x, Shape s, int side);
void ref_maxpool_backward(double *dx, const double *dy, const int *which, Shape s, int side);
/* y = f(x + bias), f as in backend.h; bias [C] or NULL; dbias too */
void ref_act_forward(double *y, const double *x, const double *bias, Shape s, int f);
void ref_act_backward(double *dx, double *dbias, const double *dy, const double *x,
                      const double *bias, Shape s, int f);
void ref_avgpool_forward(double *y, const double *x, Shape s);
void ref_avgpool_backward(double *dx, const double *dy, Shape s);
void ref_flatten_forward(double *y, const double *x, Shape s);
void ref_flatten_backward(double *dx, const double *dy, Shape s);

/* ---- of language models; s: [N,1,T,C], of y ---- */
void ref_embedding_forward(double *y, const double *x, const double *tokens,
                           const double *positions, Shape s);
void ref_embedding_backward(double *dtokens, double *dpositions, const double *x, const double *dy,
                            Shape s);
void ref_layernorm_forward(double *y, const double *x, const double *gamma, const double *beta,
                           double eps, Shape s);
void ref_layernorm_backward(double *dx, double *dgamma, double *dbeta, const double *dy,
                            const double *x, const double *gamma, double eps, Shape s);
/* qkv [N,1,T,3C] */
void ref_attention_forward(double *y, const double *qkv, Shape s, int heads);
void ref_attention_backward(double *dqkv, const double *dy, const double *qkv, Shape s, int heads);

/* losses [N]; totals += {sum weight * loss, correct}; dlogits = scale * weight * (p - q), where q
 * has smoothing / K everywhere, and 1 - smoothing more at the label. weight NULL: all 1 */
void ref_cross_entropy(double *dlogits, double *losses, double totals[2], const double *logits,
                       const int *label, const double *weight, double scale, double smoothing,
                       int N, int K);

/* ---- matrices: c [m,n] = a b, each of a and b transposed first where said ---- */
void ref_matmul(double *c, const double *a, const double *b, int m, int k, int n, bool a_transposed,
                bool b_transposed);

/* ---- vectors and input ---- */
void ref_sgd(double *w, double *v, const double *g, double rate, double momentum, double decay,
             bool nesterov, size_t n);

typedef struct Pick {
    int image, dy, dx, flip, cut_y, cut_x, cut, reflect;
} Pick; /* backend.h's Augment */
/* s: of x */
void ref_gather(double *x, const uint8_t *images, const Pick *pick, const double *mean,
                const double *istd, Shape s);
#endif
