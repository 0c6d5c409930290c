/* sparse.c: a few elements with their indices: 8 bytes each. All-gathered, or all-reduced: by
 * recursive doubling over sums of sparse vectors, which go over to dense ones when those are
 * shorter (SparCML).
 */
#include "check.h"
#include "compressor.h"
#include <math.h>
#include <string.h>

/* Deep gradient compression begins with a quarter of the elements, and takes a quarter of that in
 * each fifth of the warm-up. */
static double share_now(const Compressor *c)
{
    double share = c->spec->keep;
    if (c->spec->corrected && c->update < c->warm)
        share = fmax(share, pow(0.25, 1 + 5 * c->update / c->warm));
    return share;
}

/* NaN has no largest elements: any k will do, and the others see NaN, too. */
static bool diverged(const float *a, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(a[i]))
            return true;
    return false;
}

static void compress(Remedy *r, const float *a)
{
    Compressor *c = of(r);
    int k = (int)ceil(share_now(c) * r->n);
    Sparse top = {.at = (int32_t *)c->wire.mine, .value = (float *)c->wire.mine + k};
    top_k(&top, a, r->n, k);
    if (top.count != k && diverged(a, r->n))
        for (top.count = 0; top.count < k; top.count++) {
            top.at[top.count] = top.count;
            top.value[top.count] = NAN;
        }
    if (top.count != k)
        die(EXIT_WRONG, "top_k chooses %d elements, expected %d: make check LAB=lab2 ONLY=7e",
            top.count, k);
    r->kept = k;
    r->at = top.at;
    c->bytes = 8 * (size_t)k;
}

static void residual(Remedy *r, float *e, const float *a)
{
    if (e != a)
        memcpy(e, a, (size_t)r->n * sizeof *e);
    for (int k = 0; k < r->kept; k++)
        e[r->at[k]] = 0;
}

/* v += factor * x */
static void add_to_dense(float *v, float factor, const Sparse *x)
{
    for (int k = 0; k < x->count; k++)
        v[x->at[k]] += factor * x->value[k];
}

static Sparse read_sparse(uint8_t *packet, size_t bytes)
{
    int count = (int)(bytes / 8);
    return (Sparse){count, (int32_t *)packet, (float *)packet + count};
}

static void gather(Remedy *r, float *g)
{
    Compressor *c = of(r);
    int P = c->wire.comm->size;
    wire_gather(&c->wire, c->bytes);
    memset(g, 0, (size_t)r->n * sizeof *g);
    for (int k = 0; k < P; k++) {
        Sparse x = read_sparse(c->wire.all + (size_t)k * c->bytes, c->bytes);
        add_to_dense(g, 1.0f / (float)P, &x);
    }
}

/* ---- the sparse all-reduce ---- */

enum { TAG_SPARSE, TAG_DENSE };

/* The packet's elements, as those of a dense vector. */
static void densify(Compressor *c)
{
    Sparse x = read_sparse(c->wire.mine, c->bytes);
    memset(c->value, 0, (size_t)c->remedy.n * sizeof *c->value);
    add_to_dense(c->value, 1, &x);
    c->bytes = 4 * (size_t)c->remedy.n;
    memcpy(c->wire.mine, c->value, c->bytes);
}

/* The packet += the vector that has arrived. Adding two numbers gives the same bits in either
 * order, so both partners have the same. Returns the sum's tag. */
static int add_arrived(Compressor *c, int tag, size_t bytes, int arrived_tag)
{
    int n = c->remedy.n;
    Sparse x = read_sparse(c->wire.mine, c->bytes), y = read_sparse(c->wire.all, bytes),
           sum = {.at = c->place, .value = c->value};
    if (tag == TAG_SPARSE && arrived_tag == TAG_SPARSE && sparse_add(&sum, &x, &y, n / 2)) {
        memcpy(c->wire.mine, sum.at, 4 * (size_t)sum.count);
        memcpy((float *)c->wire.mine + sum.count, sum.value, 4 * (size_t)sum.count);
        c->bytes = 8 * (size_t)sum.count;
        return TAG_SPARSE;
    }
    if (tag == TAG_SPARSE)
        densify(c);
    float *v = (float *)c->wire.mine;
    const float *w = (float *)c->wire.all;
    if (arrived_tag == TAG_SPARSE)
        add_to_dense(v, 1, &y);
    for (int i = 0; i < n && arrived_tag == TAG_DENSE; i++)
        v[i] += w[i];
    return TAG_DENSE;
}

static void all_reduce(Remedy *r, float *g)
{
    Compressor *c = of(r);
    int P = c->wire.comm->size, rank = c->wire.comm->rank, tag = TAG_SPARSE;
    for (int d = 1; d < P; d *= 2) {
        int arrived = tag;
        size_t bytes = wire_swap(&c->wire, rank ^ d, c->bytes, &arrived);
        tag = add_arrived(c, tag, bytes, arrived);
    }
    if (tag == TAG_SPARSE) {
        Sparse sum = read_sparse(c->wire.mine, c->bytes);
        memset(g, 0, (size_t)r->n * sizeof *g);
        add_to_dense(g, 1.0f / (float)P, &sum);
    } else
        for (int i = 0; i < r->n; i++)
            g[i] = ((float *)c->wire.mine)[i] / (float)P;
}

void open_sparse(Compressor *c)
{
    int P = c->wire.comm->size;
    c->remedy.compress = compress;
    c->remedy.residual = residual;
    c->remedy.exchange = c->spec->all_reduce ? all_reduce : gather;
    if (!c->spec->all_reduce)
        return;
    REQUIRE((P & (P - 1)) == 0, "the sparse all-reduce takes 2, 4, 8 … ranks, not %d", P);
    c->value = alloc(c->remedy.n, sizeof *c->value);
    c->place = alloc(c->remedy.n, sizeof *c->place);
}
