/* reference_text.c: the layers of a language model, as in reference.h. */
#include "reference.h"
#include <math.h>

void ref_embedding_forward(double *y, const double *x, const double *tokens,
                           const double *positions, Shape s)
{
    for (int row = 0; row < s.n * s.w; row++)
        for (int c = 0; c < s.c; c++)
            y[row * s.c + c] = tokens[(int)x[row] * s.c + c] + positions[row % s.w * s.c + c];
}

void ref_embedding_backward(double *dtokens, double *dpositions, const double *x, const double *dy,
                            Shape s)
{
    for (int row = 0; row < s.n * s.w; row++)
        for (int c = 0; c < s.c; c++) {
            dtokens[(int)x[row] * s.c + c] += dy[row * s.c + c];
            dpositions[row % s.w * s.c + c] += dy[row * s.c + c];
        }
}

/* Of C channels: xhat, and 1 / the standard deviation. */
static double standardise(double *xhat, const double *x, double eps, int C)
{
    double mean = 0, variance = 0;
    for (int c = 0; c < C; c++)
        mean += x[c] / C;
    for (int c = 0; c < C; c++)
        variance += (x[c] - mean) * (x[c] - mean) / C;
    for (int c = 0; c < C; c++)
        xhat[c] = (x[c] - mean) / sqrt(variance + eps);
    return 1 / sqrt(variance + eps);
}

void ref_layernorm_forward(double *y, const double *x, const double *gamma, const double *beta,
                           double eps, Shape s)
{
    double xhat[s.c];
    for (int row = 0; row < s.n * s.h * s.w; row++) {
        standardise(xhat, x + row * s.c, eps, s.c);
        for (int c = 0; c < s.c; c++)
            y[row * s.c + c] = gamma[c] * xhat[c] + beta[c];
    }
}

/* xhat_c depends on x_k by istd ((c == k) - 1/C - xhat_c xhat_k / C). */
void ref_layernorm_backward(double *dx, double *dgamma, double *dbeta, const double *dy,
                            const double *x, const double *gamma, double eps, Shape s)
{
    double xhat[s.c];
    for (int row = 0; row < s.n * s.h * s.w; row++) {
        const double *g = dy + row * s.c;
        double istd = standardise(xhat, x + row * s.c, eps, s.c);
        for (int c = 0; c < s.c; c++) {
            dgamma[c] += g[c] * xhat[c];
            dbeta[c] += g[c];
            for (int k = 0; k < s.c; k++)
                dx[row * s.c + k] += g[c] * gamma[c] * istd *
                                     ((c == k) - 1.0 / s.c - xhat[c] * xhat[k] / s.c);
        }
    }
}

/* Head h of sample n: where channel c of the query (which = 0), key (1) or value (2) at t lies. */
static size_t part_at(Shape s, int heads, int n, int h, int which, int t, int c)
{
    return ((size_t)(n * s.w + t) * 3 + which) * s.c + h * (s.c / heads) + c;
}

/* p [i + 1]: what query i takes of each key. */
static void probabilities(double *p, const double *qkv, Shape s, int heads, int n, int h, int i)
{
    int d = s.c / heads;
    double most = -INFINITY, sum = 0;
    for (int j = 0; j <= i; j++) {
        p[j] = 0;
        for (int c = 0; c < d; c++)
            p[j] += qkv[part_at(s, heads, n, h, 0, i, c)] * qkv[part_at(s, heads, n, h, 1, j, c)] /
                    sqrt(d);
        most = fmax(most, p[j]);
    }
    for (int j = 0; j <= i; j++)
        sum += p[j] = exp(p[j] - most);
    for (int j = 0; j <= i; j++)
        p[j] /= sum;
}

void ref_attention_forward(double *y, const double *qkv, Shape s, int heads)
{
    int d = s.c / heads;
    double p[s.w];
    for (int n = 0; n < s.n; n++)
        for (int h = 0; h < heads; h++)
            for (int i = 0; i < s.w; i++) {
                probabilities(p, qkv, s, heads, n, h, i);
                for (int c = 0; c < d; c++) {
                    double *to = &y[(size_t)(n * s.w + i) * s.c + h * d + c];
                    *to = 0;
                    for (int j = 0; j <= i; j++)
                        *to += p[j] * qkv[part_at(s, heads, n, h, 2, j, c)];
                }
            }
}

/* Of query i: g is dy's part. */
static void query_backward(double *dqkv, const double *g, const double *qkv, Shape s, int heads,
                           int n, int h, int i)
{
    int d = s.c / heads;
    double p[s.w], dp[s.w], mean = 0;
    probabilities(p, qkv, s, heads, n, h, i);
    for (int j = 0; j <= i; j++) {
        dp[j] = 0;
        for (int c = 0; c < d; c++) {
            dqkv[part_at(s, heads, n, h, 2, j, c)] += p[j] * g[c];
            dp[j] += g[c] * qkv[part_at(s, heads, n, h, 2, j, c)];
        }
        mean += p[j] * dp[j];
    }
    for (int j = 0; j <= i; j++)
        for (int c = 0; c < d; c++) {
            size_t q = part_at(s, heads, n, h, 0, i, c), k = part_at(s, heads, n, h, 1, j, c);
            double ds = p[j] * (dp[j] - mean) / sqrt(d);
            dqkv[q] += ds * qkv[k];
            dqkv[k] += ds * qkv[q];
        }
}

void ref_attention_backward(double *dqkv, const double *dy, const double *qkv, Shape s, int heads)
{
    for (int n = 0; n < s.n; n++)
        for (int h = 0; h < heads; h++)
            for (int i = 0; i < s.w; i++)
                query_backward(dqkv, dy + (size_t)(n * s.w + i) * s.c + h * (s.c / heads), qkv, s,
                               heads, n, h, i);
}
