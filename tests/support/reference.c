/* reference.c: convolution, dense layer and batch norm of reference.h. */
#include "reference.h"
#include <math.h>

ConvShape conv_shape(Shape x, int K, int R, int stride)
{
    Shape y = {x.n, (x.h + stride - 1) / stride, (x.w + stride - 1) / stride, K};
    return (ConvShape){x, y, R, stride};
}

size_t conv_weights(const ConvShape *c) { return (size_t)c->y.c * c->x.c * c->R * c->R; }

/* A convolution is a sum of products x * w = y over all places (iy, ix, iw) that meet; the three passes differ only
 * in who is summed. */
typedef enum { SUM_Y, SUM_X, SUM_W } Summed;

static void conv_products(double *sum, const double *a, const double *b, Summed which, const ConvShape *c)
{
    for (int n = 0; n < c->y.n; n++)
        for (int oh = 0; oh < c->y.h; oh++)
            for (int ow = 0; ow < c->y.w; ow++)
                for (int k = 0; k < c->y.c; k++)
                    for (int ch = 0; ch < c->x.c; ch++)
                        for (int r = 0; r < c->R; r++)
                            for (int s = 0; s < c->R; s++) {
                                int h = oh * c->stride + r - c->R / 2, w = ow * c->stride + s - c->R / 2;
                                if (h < 0 || h >= c->x.h || w < 0 || w >= c->x.w)
                                    continue;
                                size_t iy = shape_at(c->y, n, oh, ow, k), ix = shape_at(c->x, n, h, w, ch);
                                size_t iw = (((size_t)k * c->x.c + ch) * c->R + r) * c->R + s;
                                if (which == SUM_Y)
                                    sum[iy] += a[ix] * b[iw];
                                else if (which == SUM_X)
                                    sum[ix] += a[iy] * b[iw];
                                else
                                    sum[iw] += a[ix] * b[iy];
                            }
}

void ref_conv_forward(double *y, const double *x, const double *w, const double *residual, const ConvShape *c)
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

void ref_dense_forward(double *y, const double *x, const double *w, const double *bias, int N, int D, int K)
{
    for (int n = 0; n < N; n++)
        for (int k = 0; k < K; k++) {
            y[n * K + k] = bias[k];
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

void ref_dense_backward_weight(double *dw, double *dbias, const double *x, const double *dy, int N, int D, int K)
{
    for (int n = 0; n < N; n++)
        for (int k = 0; k < K; k++) {
            dbias[k] += dy[n * K + k];
            for (int d = 0; d < D; d++)
                dw[k * D + d] += dy[n * K + k] * x[n * D + d];
        }
}

int norm_groups(const Norm *n) { return (n->x.n + n->group - 1) / n->group; }

static int group_first(const Norm *n, int g) { return g * n->group; }
static int group_end(const Norm *n, int g) { return (g + 1) * n->group < n->x.n ? (g + 1) * n->group : n->x.n; }
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
                for (int w = 0; w < s.w; w++)
                    squares += pow(x[shape_at(s, n, h, w, c)] - mean, 2);
            moments[((size_t)n * 2 + 0) * s.c + c] = mean;
            moments[((size_t)n * 2 + 1) * s.c + c] = squares;
        }
}

/* The mean over group g and channel c of f(x) = (x - centre)^power. */
static double group_mean(const Norm *n, const double *x, int g, int c, double centre, int power)
{
    double sum = 0;
    for (int i = group_first(n, g); i < group_end(n, g); i++)
        for (int h = 0; h < n->x.h; h++)
            for (int w = 0; w < n->x.w; w++)
                sum += pow(x[shape_at(n->x, i, h, w, c)] - centre, power);
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

void ref_bn_backward(double *dx, double *dresidual, double *dgamma, double *dbeta, const Norm *n, const double *dy,
                     const double *y, const double *x)
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
                        double grad = n->relu && !(y[i] > 0) ? 0 : dy[i], xhat = (x[i] - mean) * istd;
                        if (pass == 0) {
                            sum_g += grad;
                            sum_gx += grad * xhat;
                            if (dresidual)
                                dresidual[i] += grad;
                        } else
                            dx[i] += n->gamma[c] * istd *
                                     (grad - sum_g / group_count(n, g) - xhat * sum_gx / group_count(n, g));
                    }
            dgamma[c] += sum_gx;
            dbeta[c] += sum_g;
        }
}
