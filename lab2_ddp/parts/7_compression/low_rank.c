/* low_rank.c: PowerSGD: of each layer's weights the factors p and q; biases as they are. The
 * factors of all ranks are averaged, so this remedy is an all-reduce and not a gather: its bytes do
 * not grow with P.
 */
#include "check.h"
#include "compressor.h"
#include "rng.h"
#include <string.h>

void matrix_times(float *p, const float *m, const float *q, int rows, int columns, int rank)
{
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < rank; k++) {
            const float *row = m + (size_t)i * columns, *factor = q + (size_t)k * columns;
            float sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int j = 0; j < columns; j++)
                sum += row[j] * factor[j];
            p[(size_t)k * rows + i] = sum;
        }
}

void transposed_times(float *q, const float *m, const float *p, int rows, int columns, int rank)
{
    memset(q, 0, (size_t)rank * columns * sizeof *q);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < rank; k++) {
            const float *row = m + (size_t)i * columns, factor = p[(size_t)k * rows + i];
            float *sum = q + (size_t)k * columns;
            for (int j = 0; j < columns; j++)
                sum[j] += factor * row[j];
        }
}

/* m += factor * p qᵀ */
static void add_product(float *m, float factor, const float *p, const float *q, int rows,
                        int columns, int rank)
{
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < rank; k++) {
            float *row = m + (size_t)i * columns, f = factor * p[(size_t)k * rows + i];
            const float *column = q + (size_t)k * columns;
            for (int j = 0; j < columns; j++)
                row[j] += f * column[j];
        }
}

/* ---- the three functions ---- */

/* Weights as [outputs][inputs]; factors are shorter than they. */
static bool is_matrix(const Compressor *c, const View *v)
{
    int rows = v->shape[0], columns = v->count / rows;
    return v->dims > 1 && c->spec->rank * (rows + columns) < v->count;
}

static const View *matrix(const Compressor *c, int k, int *rows, int *columns)
{
    const View *v = &c->m->views[k];
    *rows = v->shape[0];
    *columns = v->count / *rows;
    return v;
}

static void compress(Remedy *r, const float *a)
{
    Compressor *c = of(r);
    int rows, columns;
    for (int k = 0; k < c->m->nviews; k++)
        if (c->p[k]) {
            const View *v = matrix(c, k, &rows, &columns);
            low_rank(c->p[k], c->q[k], a + v->at, rows, columns, c->spec->rank, wire_mean,
                     &c->wire);
        }
}

static void residual(Remedy *r, float *e, const float *a)
{
    Compressor *c = of(r);
    int rows, columns;
    if (e != a)
        memcpy(e, a, (size_t)r->n * sizeof *e);
    for (int k = 0; k < c->m->nviews; k++) {
        const View *v = matrix(c, k, &rows, &columns);
        if (c->p[k])
            add_product(e + v->at, -1, c->p[k], c->q[k], rows, columns, c->spec->rank);
        else
            memset(e + v->at, 0, (size_t)v->count * sizeof *e);
    }
}

/* The q of all matrices, and the vectors, in one all-reduce. */
static void exchange(Remedy *r, float *g)
{
    Compressor *c = of(r);
    int rows, columns, count = 0;
    for (int k = 0; k < c->m->nviews; k++) {
        const View *v = matrix(c, k, &rows, &columns);
        int length = c->p[k] ? c->spec->rank * columns : v->count;
        memcpy(c->value + count, c->p[k] ? c->q[k] : g + v->at, (size_t)length * sizeof *g);
        count += length;
    }
    wire_mean(&c->wire, c->value, count);
    memset(g, 0, (size_t)r->n * sizeof *g);
    count = 0;
    for (int k = 0; k < c->m->nviews; k++) {
        const View *v = matrix(c, k, &rows, &columns);
        int length = c->p[k] ? c->spec->rank * columns : v->count;
        memcpy(c->p[k] ? c->q[k] : g + v->at, c->value + count, (size_t)length * sizeof *g);
        if (c->p[k])
            add_product(g + v->at, 1, c->p[k], c->q[k], rows, columns, c->spec->rank);
        count += length;
    }
}

void open_low_rank(Compressor *c)
{
    Rng rng = rng_at(c->seed, RNG_NOISE, 7, 0); /* the same on all ranks */
    int rows, columns;
    REQUIRE(c->m->nviews <= LAYERS_MOST, "%d tensors of parameters, at most %d here", c->m->nviews,
            LAYERS_MOST);
    for (int k = 0; k < c->m->nviews; k++) {
        const View *v = matrix(c, k, &rows, &columns);
        if (!is_matrix(c, v))
            continue;
        c->p[k] = alloc((size_t)c->spec->rank * rows, sizeof(float));
        c->q[k] = alloc((size_t)c->spec->rank * columns, sizeof(float));
        for (int i = 0; i < c->spec->rank * columns; i++)
            c->q[k][i] = rng_normal(&rng);
    }
    c->value = alloc(c->remedy.n, sizeof *c->value);
    c->remedy.compress = compress;
    c->remedy.residual = residual;
    c->remedy.exchange = exchange;
}
