/* reference_layers.c: the other layers, the loss, SGD, input and random numbers of reference.h. */
#include "reference.h"
#include "check.h"
#include "rng.h"
#include <math.h>

double *random_values(uint32_t seed, size_t count, double mean, double deviation)
{
    double *v = alloc(count, sizeof *v);
    Rng r = rng_at(1, RNG_TEST, seed, 0);
    for (size_t i = 0; i < count; i++)
        v[i] = (float)(mean + deviation * rng_normal(&r));
    return v;
}

double *zeros(size_t count) { return alloc(count, sizeof(double)); }

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

Shape pool_shape(Shape x) { return (Shape){x.n, x.h / 2, x.w / 2, x.c}; }

void ref_maxpool_forward(double *y, int *which, const double *x, Shape s)
{
    Shape out = pool_shape(s);
    for (int n = 0; n < out.n; n++)
        for (int h = 0; h < out.h; h++)
            for (int w = 0; w < out.w; w++)
                for (int c = 0; c < out.c; c++) {
                    size_t at = shape_at(out, n, h, w, c);
                    for (int place = 0; place < 4; place++) { /* 0 1 / 2 3 */
                        double value = x[shape_at(s, n, 2 * h + place / 2, 2 * w + place % 2, c)];
                        if (place == 0 || value > y[at]) {
                            y[at] = value;
                            which[at] = place;
                        }
                    }
                }
}

void ref_maxpool_backward(double *dx, const double *dy, const int *which, Shape s)
{
    Shape out = pool_shape(s);
    for (int n = 0; n < out.n; n++)
        for (int h = 0; h < out.h; h++)
            for (int w = 0; w < out.w; w++)
                for (int c = 0; c < out.c; c++) {
                    size_t at = shape_at(out, n, h, w, c);
                    dx[shape_at(s, n, 2 * h + which[at] / 2, 2 * w + which[at] % 2, c)] += dy[at];
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

/* Where PyTorch's flatten of an NCHW batch puts the number that we keep at (n,h,w,c). */
static size_t flat_at(Shape s, int n, int h, int w, int c) { return (((size_t)n * s.c + c) * s.h + h) * s.w + w; }

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

void ref_cross_entropy(double *dlogits, double *losses, double totals[2], const double *logits, const int *label,
                       const double *weight, double scale, int N, int K)
{
    for (int n = 0; n < N; n++) {
        const double *z = logits + (size_t)n * K;
        int best = 0;
        for (int k = 1; k < K; k++)
            if (z[k] > z[best])
                best = k;
        double sum = 0; /* shifted by the largest logit: exp never overflows, and the sum is at least 1 */
        for (int k = 0; k < K; k++)
            sum += exp(z[k] - z[best]);
        losses[n] = log(sum) - (z[label[n]] - z[best]);
        double factor = weight ? weight[n] : 1;
        totals[0] += factor * losses[n];
        totals[1] += best == label[n];
        for (int k = 0; k < K; k++)
            dlogits[(size_t)n * K + k] = scale * factor * (exp(z[k] - z[best]) / sum - (k == label[n]));
    }
}

void ref_sgd(double *w, double *v, const double *g, double rate, double momentum, double decay, bool nesterov, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double d = g[i] + decay * w[i];
        v[i] = momentum * v[i] + d;
        w[i] -= rate * (nesterov ? d + momentum * v[i] : v[i]);
    }
}

void ref_gather(double *x, const uint8_t *images, const Pick *pick, const double *mean, const double *istd, Shape s)
{
    for (int n = 0; n < s.n; n++)
        for (int h = 0; h < s.h; h++)
            for (int w = 0; w < s.w; w++)
                for (int c = 0; c < s.c; c++) {
                    const Pick *p = &pick[n];
                    int row = h + p->dy, column = w + p->dx;
                    bool outside = row < 0 || row >= s.h || column < 0 || column >= s.w;
                    bool cut = h >= p->cut_y && h < p->cut_y + p->cut && w >= p->cut_x && w < p->cut_x + p->cut;
                    if (p->flip)
                        column = s.w - 1 - column;
                    double *out = &x[shape_at(s, n, h, w, c)];
                    *out = 0;
                    if (!outside && !cut)
                        *out = (images[shape_at(s, p->image, row, column, c)] / 255.0 - mean[c]) * istd[c];
                }
}
