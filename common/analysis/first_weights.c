/* first_weights.c: see first_weights.h. On the host: a few thousand numbers. */
#include "first_weights.h"
#include "check.h"
#include "eigen.h"
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* patches [columns, D] of one row: pixel (y, x + i) is the upper left corner of patch i. */
static void patches_of_row(float *patch, const float *image, const Images *all, int y, int R)
{
    int C = all->c, W = all->w;
    for (int x = 0; x + R <= W; x++)
        for (int c = 0; c < C; c++)
            for (int r = 0; r < R; r++)
                for (int s = 0; s < R; s++)
                    *patch++ = image[((size_t)(y + r) * W + x + s) * C + c];
}

static void normalise(float *to, const uint8_t *from, size_t pixels, int C, const float *mean,
                      const float *istd)
{
    for (size_t i = 0; i < pixels * (size_t)C; i++)
        to[i] = ((float)from[i] / 255 - mean[i % (size_t)C]) * istd[i % (size_t)C];
}

void patch_covariance(double *cov, const Images *images, int count, int R, const float *mean,
                      const float *istd)
{
    int D = images->c * R * R, columns = images->w - R + 1, rows = images->h - R + 1;
    size_t pixels = (size_t)images->h * (size_t)images->w, size = pixels * (size_t)images->c;
    ASSERT(count >= 1 && count <= images->count && rows >= 1 && columns >= 1);
    float *image = alloc(size, sizeof *image), *sum = alloc((size_t)D * D, sizeof *sum),
          *patch = alloc((size_t)rows * columns * D, sizeof *patch);
    memset(cov, 0, sizeof *cov * (size_t)D * D);
    for (int n = 0; n < count; n++) {
        normalise(image, images->pixels + (size_t)n * size, pixels, images->c, mean, istd);
        for (int y = 0; y < rows; y++)
            patches_of_row(patch + (size_t)y * columns * D, image, images, y, R);
        cblas_ssyrk(CblasRowMajor, CblasLower, CblasTrans, D, rows * columns, 1, patch, D, 0, sum,
                    D);
        for (int i = 0; i < D; i++)
            for (int j = 0; j <= i; j++)
                cov[i * D + j] += sum[i * D + j];
    }
    for (int i = 0; i < D; i++)
        for (int j = 0; j <= i; j++)
            cov[j * D + i] = cov[i * D + j] /= (double)count * rows * columns;
    free(patch);
    free(sum);
    free(image);
}

void start_whiten(Model *m, const Images *images, int count, const float *mean, const float *istd,
                  double eps)
{
    const Layer *l = &m->layers[0];
    int R = l->kernel, D = images->c * R * R;
    REQUIRE(l->kind == LAYER_CONV && l->fixed && l->out == 2 * D,
            "model %s: whitening needs a network that begins with fixed filters: airbench-W",
            m->spec.name);
    double *cov = alloc((size_t)D * D, sizeof *cov), *vector = alloc((size_t)D * D, sizeof *vector),
           *value = alloc((size_t)D, sizeof *value);
    float *w = alloc(2 * (size_t)D * D, sizeof *w);
    patch_covariance(cov, images, count, R, mean, istd);
    eigen_symmetric(value, vector, cov, D);
    for (int i = 0; i < D * D; i++) {
        w[i] = (float)(vector[i] / sqrt(fmax(value[i / D], 0) + eps));
        w[D * D + i] = -w[i];
    }
    m->be->op->upload(m->s, model_view(m->params, &m->views[l->w]), w);
    m->be->op->stream_sync(m->s);
    free(w);
    free(value);
    free(vector);
    free(cov);
}

/* A slice, down to the host and up again, changed between. */
static float *fetch(Model *m, const View *v)
{
    float *w = alloc((size_t)v->count, sizeof *w);
    m->be->op->download(m->s, w, model_view(m->params, v));
    return w;
}

static void store(Model *m, const View *v, float *w)
{
    m->be->op->upload(m->s, model_view(m->params, v), w);
    m->be->op->stream_sync(m->s);
    free(w);
}

void start_dirac(Model *m)
{
    for (int i = 0; i < m->nlayers; i++) {
        const Layer *l = &m->layers[i];
        if (l->kind != LAYER_CONV || l->kernel != 3 || l->stride != 1)
            continue;
        const View *v = &m->views[l->w];
        int K = v->shape[0], C = v->shape[1], own = K < C ? K : C;
        float *w = fetch(m, v);
        memset(w, 0, sizeof *w * 9 * (size_t)C * own);
        for (int k = 0; k < own; k++)
            w[((size_t)k * C + k) * 9 + 4] = 1;
        store(m, v, w);
    }
}

void start_unit_head(Model *m)
{
    const Layer *l = &m->layers[m->nlayers - 1];
    ASSERT(l->kind == LAYER_DENSE);
    const View *v = &m->views[l->w];
    float *w = fetch(m, v);
    double sum = 0, squares = 0;
    for (int i = 0; i < v->count; i++) {
        sum += w[i];
        squares += (double)w[i] * w[i];
    }
    double mean = sum / v->count, variance = squares / v->count - mean * mean;
    for (int i = 0; i < v->count; i++)
        w[i] = (float)(w[i] / sqrt(fmax(variance, 1e-30)));
    store(m, v, w);
}
