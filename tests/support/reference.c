/* reference.c: see reference.h. */
#include "reference.h"
#include "backend.h"
#include "check.h"
#include "harness.h"
#include "rng.h"
#include <math.h>

ConvShape conv_shape(Shape x, int K, int R, int stride)
{
    int edge = R == 2; /* without padding its squares end at the last pixel */
    Shape y = {x.n, (x.h - edge + stride - 1) / stride, (x.w - edge + stride - 1) / stride, K};
    return (ConvShape){x, y, R, stride};
}

size_t conv_weights(const ConvShape *c) { return (size_t)c->y.c * c->x.c * c->R * c->R; }

/* A convolution sums products x * w = y over all matching indices (iy, ix, iw); the three passes
 * differ only in which of them they sum into. */
typedef enum { SUM_Y, SUM_X, SUM_W } Summed;

static void conv_products(double *sum, const double *a, const double *b, Summed which,
                          const ConvShape *c)
{
    int taps = c->R * c->R, pad = c->R == 3, C = c->x.c;
    for (int n = 0; n < c->y.n; n++)
        for (int oh = 0; oh < c->y.h; oh++)
            for (int ow = 0; ow < c->y.w; ow++)
                for (int tap = 0; tap < taps; tap++) {
                    int h = oh * c->stride + tap / c->R - pad,
                        w = ow * c->stride + tap % c->R - pad;
                    if (h < 0 || h >= c->x.h || w < 0 || w >= c->x.w)
                        continue;
                    size_t iy = shape_at(c->y, n, oh, ow, 0), ix = shape_at(c->x, n, h, w, 0),
                           iw = (size_t)tap;
                    for (int k = 0; k < c->y.c; k++)
                        for (int ch = 0; ch < C; ch++, iw += (size_t)taps)
                            if (which == SUM_Y)
                                sum[iy + k] += a[ix + ch] * b[iw];
                            else if (which == SUM_X)
                                sum[ix + ch] += a[iy + k] * b[iw];
                            else
                                sum[iw] += a[ix + ch] * b[iy + k];
                }
}

void ref_conv_forward(double *y, const double *x, const double *w, const double *residual,
                      const ConvShape *c)
{
    for (size_t i = 0; i < shape_count(c->y); i++)
        y[i] = residual ? residual[i] : 0;
    conv_products(y, x, w, SUM_Y, c);
}

void ref_conv_backward_data(double *dx, const double *dy, const double *w, const ConvShape *c)
{
    conv_products(dx, dy, w, SUM_X, c);
}

void ref_conv_backward_weight(double *dw, const double *x, const double *dy, const ConvShape *c)
{
    conv_products(dw, x, dy, SUM_W, c);
}

void ref_dense_forward(double *y, const double *x, const double *w, const double *bias, int N,
                       int D, int K)
{
    for (int n = 0; n < N; n++)
        for (int k = 0; k < K; k++) {
            y[n * K + k] = bias ? bias[k] : 0;
            for (int d = 0; d < D; d++)
                y[n * K + k] += x[n * D + d] * w[k * D + d];
        }
}

void ref_dense_backward_data(double *dx, const double *dy, const double *w, int N, int D, int K)
{
    for (int n = 0; n < N; n++)
        for (int k = 0; k < K; k++)
            for (int d = 0; d < D; d++)
                dx[n * D + d] += dy[n * K + k] * w[k * D + d];
}

void ref_dense_backward_weight(double *dw, double *dbias, const double *x, const double *dy, int N,
                               int D, int K)
{
    for (int n = 0; n < N; n++)
        for (int k = 0; k < K; k++) {
            if (dbias)
                dbias[k] += dy[n * K + k];
            for (int d = 0; d < D; d++)
                dw[k * D + d] += dy[n * K + k] * x[n * D + d];
        }
}

int norm_groups(const Norm *n) { return (n->x.n + n->group - 1) / n->group; }

static int group_first(const Norm *n, int g) { return g * n->group; }
static int group_end(const Norm *n, int g)
{
    return (g + 1) * n->group < n->x.n ? (g + 1) * n->group : n->x.n;
}
static double group_count(const Norm *n, int g)
{
    return (double)(group_end(n, g) - group_first(n, g)) * n->x.h * n->x.w;
}

void ref_image_moments(double *moments, const double *x, Shape s)
{
    for (int n = 0; n < s.n; n++)
        for (int c = 0; c < s.c; c++) {
            double mean = 0, squares = 0;
            for (int h = 0; h < s.h; h++)
                for (int w = 0; w < s.w; w++)
                    mean += x[shape_at(s, n, h, w, c)] / (s.h * s.w);
            for (int h = 0; h < s.h; h++)
                for (int w = 0; w < s.w; w++) {
                    double d = x[shape_at(s, n, h, w, c)] - mean;
                    squares += d * d;
                }
            moments[((size_t)n * 2 + 0) * s.c + c] = mean;
            moments[((size_t)n * 2 + 1) * s.c + c] = squares;
        }
}

/* The mean over group g and channel c of (x - centre)^power, power 1 or 2. */
static double group_mean(const Norm *n, const double *x, int g, int c, double centre, int power)
{
    double sum = 0;
    for (int i = group_first(n, g); i < group_end(n, g); i++)
        for (int h = 0; h < n->x.h; h++)
            for (int w = 0; w < n->x.w; w++) {
                double d = x[shape_at(n->x, i, h, w, c)] - centre;
                sum += power == 2 ? d * d : d;
            }
    return sum / group_count(n, g);
}

void ref_bn_statistics(const Norm *n, const double *x)
{
    for (int g = 0; g < norm_groups(n); g++)
        for (int c = 0; c < n->x.c; c++) {
            int at = g * n->x.c + c;
            n->mean[at] = group_mean(n, x, g, c, 0, 1);
            n->var[at] = group_mean(n, x, g, c, n->mean[at], 2);
        }
}

void ref_bn_running(double *running_mean, double *running_var, const Norm *n, double momentum)
{
    int G = norm_groups(n);
    for (int c = 0; c < n->x.c; c++) {
        double mean = 0, var = 0;
        for (int g = 0; g < G; g++) {
            mean += n->mean[g * n->x.c + c] / G;
            var += n->var[g * n->x.c + c] * group_count(n, g) / (group_count(n, g) - 1) / G;
        }
        running_mean[c] = (1 - momentum) * running_mean[c] + momentum * mean;
        running_var[c] = (1 - momentum) * running_var[c] + momentum * var;
    }
}

void ref_bn_forward(double *y, const Norm *n, const double *x, const double *residual)
{
    size_t i = 0;
    for (int image = 0; image < n->x.n; image++)
        for (int pixel = 0; pixel < n->x.h * n->x.w; pixel++)
            for (int c = 0; c < n->x.c; c++, i++) {
                int at = image / n->group * n->x.c + c;
                double xhat = (x[i] - n->mean[at]) / sqrt(n->var[at] + n->eps);
                double value = n->gamma[c] * xhat + n->beta[c] + (residual ? residual[i] : 0);
                y[i] = n->relu && value < 0 ? 0 : value;
            }
}

void ref_bn_backward(double *dx, double *dresidual, double *dgamma, double *dbeta, const Norm *n,
                     const double *dy, const double *y, const double *x)
{
    for (int g = 0; g < norm_groups(n); g++)
        for (int c = 0; c < n->x.c; c++) {
            double istd = 1 / sqrt(n->var[g * n->x.c + c] + n->eps), mean = n->mean[g * n->x.c + c];
            double sum_g = 0, sum_gx = 0;
            /* First sum over the group, then (second time round) use the sums. */
            for (int pass = 0; pass < 2; pass++)
                for (int image = group_first(n, g); image < group_end(n, g); image++)
                    for (int pixel = 0; pixel < n->x.h * n->x.w; pixel++) {
                        size_t i = ((size_t)image * n->x.h * n->x.w + pixel) * n->x.c + c;
                        double grad = n->relu && !(y[i] > 0) ? 0 : dy[i],
                               xhat = (x[i] - mean) * istd;
                        if (pass == 0) {
                            sum_g += grad;
                            sum_gx += grad * xhat;
                            if (dresidual)
                                dresidual[i] += grad;
                        } else
                            dx[i] += n->gamma[c] * istd *
                                     (grad - sum_g / group_count(n, g) -
                                      xhat * sum_gx / group_count(n, g));
                    }
            dgamma[c] += sum_gx;
            dbeta[c] += sum_g;
        }
}

double *random_values(uint32_t seed, size_t count, double mean, double deviation)
{
    double *v = keep(alloc(count, sizeof *v));
    Rng r = rng_at(1, RNG_TEST, seed, 0);
    for (size_t i = 0; i < count; i++)
        v[i] = (float)(mean + deviation * rng_normal(&r));
    return v;
}

double *zeros(size_t count) { return keep(alloc(count, sizeof(double))); }

void ref_relu_forward(double *y, const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
}

void ref_relu_backward(double *dx, const double *dy, const double *y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        dx[i] += y[i] > 0 ? dy[i] : 0;
}

Shape pool_shape(Shape x, int side) { return (Shape){x.n, x.h / side, x.w / side, x.c}; }

void ref_maxpool_forward(double *y, int *which, const double *x, Shape s, int side)
{
    Shape out = pool_shape(s, side);
    for (int n = 0; n < out.n; n++)
        for (int h = 0; h < out.h; h++)
            for (int w = 0; w < out.w; w++)
                for (int c = 0; c < out.c; c++) {
                    size_t at = shape_at(out, n, h, w, c);
                    for (int tap = 0; tap < side * side; tap++) { /* row after row */
                        double value =
                            x[shape_at(s, n, side * h + tap / side, side * w + tap % side, c)];
                        if (tap == 0 || value > y[at]) {
                            y[at] = value;
                            which[at] = tap;
                        }
                    }
                }
}

void ref_maxpool_backward(double *dx, const double *dy, const int *which, Shape s, int side)
{
    Shape out = pool_shape(s, side);
    for (int n = 0; n < out.n; n++)
        for (int h = 0; h < out.h; h++)
            for (int w = 0; w < out.w; w++)
                for (int c = 0; c < out.c; c++) {
                    size_t at = shape_at(out, n, h, w, c);
                    int row = side * h + which[at] / side, column = side * w + which[at] % side;
                    dx[shape_at(s, n, row, column, c)] += dy[at];
                }
}

/* of GPT-2's GELU */
static double tanh_argument(double v) { return sqrt(2 / M_PI) * (v + 0.044715 * v * v * v); }

void ref_act_forward(double *y, const double *x, const double *bias, Shape s, int f)
{
    for (size_t i = 0; i < shape_count(s); i++) {
        double v = x[i] + (bias ? bias[i % s.c] : 0);
        y[i] = f == ACTIVATION_GELU ? v * (1 + erf(v / sqrt(2))) / 2
             : f == ACTIVATION_SILU ? v / (1 + exp(-v))
             : f == ACTIVATION_RELU ? fmax(v, 0)
                                    : v * (1 + tanh(tanh_argument(v))) / 2;
    }
}

void ref_act_backward(double *dx, double *dbias, const double *dy, const double *x,
                      const double *bias, Shape s, int f)
{
    for (size_t i = 0; i < shape_count(s); i++) {
        double v = x[i] + (bias ? bias[i % s.c] : 0), p = 1 / (1 + exp(-v)), slope;
        if (f == ACTIVATION_GELU)
            slope = (1 + erf(v / sqrt(2))) / 2 + v * exp(-v * v / 2) / sqrt(2 * M_PI);
        else if (f == ACTIVATION_GELU_TANH) {
            double t = tanh(tanh_argument(v));
            slope = (1 + t) / 2 + v / 2 * (1 - t * t) * sqrt(2 / M_PI) * (1 + 3 * 0.044715 * v * v);
        } else
            slope = f == ACTIVATION_SILU ? p + v * p * (1 - p) : v > 0;
        dx[i] += dy[i] * slope;
        if (dbias)
            dbias[i % s.c] += dy[i] * slope;
    }
}

void ref_matmul(double *c, const double *a, const double *b, int m, int k, int n, bool a_transposed,
                bool b_transposed)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            c[i * n + j] = 0;
            for (int l = 0; l < k; l++)
                c[i * n + j] += a[a_transposed ? l * m + i : i * k + l] *
                                b[b_transposed ? j * k + l : l * n + j];
        }
}

void ref_avgpool_forward(double *y, const double *x, Shape s)
{
    for (int n = 0; n < s.n; n++)
        for (int c = 0; c < s.c; c++) {
            y[n * s.c + c] = 0;
            for (int h = 0; h < s.h; h++)
                for (int w = 0; w < s.w; w++)
                    y[n * s.c + c] += x[shape_at(s, n, h, w, c)] / (s.h * s.w);
        }
}

void ref_avgpool_backward(double *dx, const double *dy, Shape s)
{
    for (int n = 0; n < s.n; n++)
        for (int h = 0; h < s.h; h++)
            for (int w = 0; w < s.w; w++)
                for (int c = 0; c < s.c; c++)
                    dx[shape_at(s, n, h, w, c)] += dy[n * s.c + c] / (s.h * s.w);
}

/* The index of element (n,h,w,c) in PyTorch's flattened NCHW batch. */
static size_t flat_at(Shape s, int n, int h, int w, int c)
{
    return (((size_t)n * s.c + c) * s.h + h) * s.w + w;
}

void ref_flatten_forward(double *y, const double *x, Shape s)
{
    for (int n = 0; n < s.n; n++)
        for (int h = 0; h < s.h; h++)
            for (int w = 0; w < s.w; w++)
                for (int c = 0; c < s.c; c++)
                    y[flat_at(s, n, h, w, c)] = x[shape_at(s, n, h, w, c)];
}

void ref_flatten_backward(double *dx, const double *dy, Shape s)
{
    for (int n = 0; n < s.n; n++)
        for (int h = 0; h < s.h; h++)
            for (int w = 0; w < s.w; w++)
                for (int c = 0; c < s.c; c++)
                    dx[shape_at(s, n, h, w, c)] += dy[flat_at(s, n, h, w, c)];
}

void ref_cross_entropy(double *dlogits, double *losses, double totals[2], const double *logits,
                       const int *label, const double *weight, double scale, double smoothing,
                       int N, int K)
{
    for (int n = 0; n < N; n++) {
        const double *z = logits + (size_t)n * K;
        int best = 0;
        for (int k = 1; k < K; k++)
            if (z[k] > z[best])
                best = k;
        /* Shifted by the largest logit: exp never overflows, and the sum is at least 1. */
        double sum = 0;
        for (int k = 0; k < K; k++)
            sum += exp(z[k] - z[best]);
        losses[n] = 0;
        for (int k = 0; k < K; k++)
            losses[n] += (smoothing / K + (1 - smoothing) * (k == label[n])) *
                         (log(sum) - (z[k] - z[best]));
        double factor = weight ? weight[n] : 1;
        totals[0] += factor * losses[n];
        totals[1] += best == label[n];
        for (int k = 0; k < K; k++)
            dlogits[(size_t)n * K + k] = scale * factor *
                                         (exp(z[k] - z[best]) / sum - smoothing / K -
                                          (1 - smoothing) * (k == label[n]));
    }
}

void ref_sgd(double *w, double *v, const double *g, double rate, double momentum, double decay,
             bool nesterov, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double d = g[i] + decay * w[i];
        v[i] = momentum * v[i] + d;
        w[i] -= rate * (nesterov ? d + momentum * v[i] : v[i]);
    }
}

void ref_gather(double *x, const uint8_t *images, const Pick *pick, const double *mean,
                const double *istd, Shape s)
{
    for (int n = 0; n < s.n; n++)
        for (int h = 0; h < s.h; h++)
            for (int w = 0; w < s.w; w++)
                for (int c = 0; c < s.c; c++) {
                    const Pick *p = &pick[n];
                    int row = h + p->dy, column = w + p->dx;
                    if (p->reflect) {
                        row = row < 0 ? -row : row < s.h ? row : 2 * s.h - 2 - row;
                        column = column < 0   ? -column
                               : column < s.w ? column
                                              : 2 * s.w - 2 - column;
                    }
                    bool outside = row < 0 || row >= s.h || column < 0 || column >= s.w;
                    bool cut = h >= p->cut_y && h < p->cut_y + p->cut && w >= p->cut_x &&
                               w < p->cut_x + p->cut;
                    if (p->flip)
                        column = s.w - 1 - column;
                    double *out = &x[shape_at(s, n, h, w, c)];
                    *out = 0;
                    if (!outside && !cut)
                        *out = (images[shape_at(s, p->image, row, column, c)] / 255.0 - mean[c]) *
                               istd[c];
                }
}
