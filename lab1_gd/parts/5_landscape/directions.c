/* directions.c: see directions.h. */
#include "directions.h"
#include "check.h"
#include "lab1.h"
#include "rng.h"
#include "safetensors.h"
#include <math.h>
#include <stdlib.h>

static double dot(const float *a, const float *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)a[i] * b[i];
    return sum;
}

/* Subtracts from y its projection onto x. */
static void make_orthogonal(float *y, const float *x, int n)
{
    double along = dot(x, y, n) / dot(x, x, n);
    for (int i = 0; i < n; i++)
        y[i] = (float)(y[i] - along * x[i]);
}

static void draw(float *d, const View *v, uint64_t seed, int which, int view)
{
    Rng r = rng_at(seed, RNG_DIRECTION, which, view);
    for (int i = 0; i < v->count; i++)
        d[v->at + i] = rng_normal(&r);
}

/* The layer's n numbers of d, to the length of those of w. */
static void as_long_as_the_layer(float *d, const float *w, int n)
{
    double factor = sqrt(dot(w, w, n) / dot(d, d, n));
    for (int i = 0; i < n; i++)
        d[i] = (float)(d[i] * factor);
}

static void give_length(float *d, const float *w, int filters, int size, bool by_filter)
{
    if (by_filter)
        filter_normalize(d, w, filters, size);
    else
        as_long_as_the_layer(d, w, filters * size);
}

void directions_draw(const Model *m, float *x, float *y, uint64_t seed, bool by_filter)
{
    float *w = alloc(m->params.n, sizeof *w);
    m->be->op->download(m->s, w, m->params);
    for (int i = 0; i < m->params.n; i++) {
        x[i] = 0;
        if (y)
            y[i] = 0;
    }
    for (int k = 0; k < m->nviews; k++) {
        const View *v = &m->views[k];
        if (!v->decay) /* biases, gamma, beta */
            continue;
        int filters = v->shape[0], size = v->count / filters;
        draw(x, v, seed, 0, k);
        if (y) {
            draw(y, v, seed, 1, k);
            for (int f = 0; f < filters; f++)
                make_orthogonal(y + v->at + f * size, x + v->at + f * size, size);
            give_length(y + v->at, w + v->at, filters, size, by_filter);
        }
        give_length(x + v->at, w + v->at, filters, size, by_filter);
    }
    free(w);
}

void directions_save(const Model *m, const float *x, const float *y, uint64_t seed,
                     const char *path)
{
    SafeTensors file = {.tensors = alloc(2 * (unsigned long)m->nviews, sizeof *file.tensors),
                        .pairs = 1};
    char *key = "seed", *value = format_new("%llu", (unsigned long long)seed);
    for (int k = 0; k < 2 * m->nviews; k++) {
        const View *v = &m->views[k / 2];
        SafeTensor *t = &file.tensors[file.count++];
        *t = (SafeTensor){.name = format_new("%s.%s", k % 2 ? "y" : "x", v->name),
                          .dims = v->dims,
                          .data = (k % 2 ? y : x) + v->at};
        for (int d = 0; d < v->dims; d++)
            t->shape[d] = v->shape[d];
    }
    file.keys = &key;
    file.values = &value;
    char *error = safetensors_write(path, &file);
    REQUIRE(!error, "directions not saved: %s", error);
    for (int k = 0; k < file.count; k++)
        free(file.tensors[k].name);
    free(file.tensors);
    free(value);
}
