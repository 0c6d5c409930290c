/* buckets.c: a few bits per element: the gradient in buckets of 1,024 elements, each with a scale
 * (one-bit: two values) followed by its codes. A bucket stays in the processor's nearest
 * cache while it is hashed, rounded and packed, so the gradient is read from memory once.
 */
#include "compressor.h"
#include "fast.h"
#include <string.h>

enum { BUCKET = 1024 };

static int head(const Compressor *c) { return c->spec->bits == 1 ? 2 : 1; } /* floats */

static size_t bucket_bytes(const Compressor *c, int n)
{
    return 4 * (size_t)head(c) + pack_bytes(n, c->spec->bits);
}

static int bucket_size(const Compressor *c, int first)
{
    return c->remedy.n - first < BUCKET ? c->remedy.n - first : BUCKET;
}

/* ---- one bucket ---- */

static void write_bucket(Compressor *c, uint8_t *packet, const float *a, int n, float *u,
                         int number)
{
    const RemedySpec *spec = c->spec;
    uint8_t code[BUCKET + 8];
    float scale[2];
    if (!spec->nearest && spec->bits > 1)
        random_fill(u, n,
                    random_key(c->seed, (uint32_t)c->wire.comm->rank, (uint32_t)c->update,
                               (uint32_t)number));
    if (spec->bits == 1)
        one_bit(code, scale, a, n);
    else if (spec->clip > 0)
        scale[0] = ternary(code, a, u, n, (float)spec->clip);
    else
        scale[0] = round_stochastic(code, a, u, n, spec->bits);
    memcpy(packet, scale, 4 * (size_t)head(c));
    pack(packet + 4 * head(c), code, n, spec->bits);
}

/* x [n], times a factor. */
static void read_bucket(const Compressor *c, float *x, float factor, const uint8_t *packet, int n)
{
    uint8_t code[BUCKET + 8];
    float scale[2] = {0};
    memcpy(scale, packet, 4 * (size_t)head(c));
    unpack(code, packet + 4 * head(c), n, c->spec->bits);
    if (c->spec->bits == 1) {
        float below = factor * scale[0], above = factor * scale[1];
        for (int i = 0; i < n; i++)
            x[i] = code[i] ? above : below;
        return;
    }
    int middle = (1 << (c->spec->bits - 1)) - 1;
    float step = factor * scale[0] / (float)middle;
    for (int i = 0; i < n; i++)
        x[i] = (float)((int)code[i] - middle) * step;
}

/* ---- the three functions ---- */

static void compress(Remedy *r, const float *a)
{
    Compressor *c = of(r);
    float u[BUCKET];
    for (int i = 0; i < BUCKET; i++)
        u[i] = 0.5f; /* nearest */
    c->bytes = 0;
    for (int first = 0, number = 0; first < r->n; first += BUCKET, number++) {
        int n = bucket_size(c, first);
        write_bucket(c, c->wire.mine + c->bytes, a + first, n, u, number);
        c->bytes += bucket_bytes(c, n);
    }
}

static void residual(Remedy *r, float *e, const float *a)
{
    Compressor *c = of(r);
    const uint8_t *packet = c->wire.mine;
    for (int first = 0; first < r->n; first += BUCKET) {
        int n = bucket_size(c, first);
        float sent[BUCKET];
        read_bucket(c, sent, 1, packet, n);
        for (int i = 0; i < n; i++)
            e[first + i] = a[first + i] - sent[i];
        packet += bucket_bytes(c, n);
    }
}

static void exchange(Remedy *r, float *g)
{
    Compressor *c = of(r);
    int P = c->wire.comm->size;
    wire_gather(&c->wire, c->bytes);
    size_t at = 0;
    for (int first = 0; first < r->n; first += BUCKET) {
        int n = bucket_size(c, first);
        float sent[BUCKET];
        read_bucket(c, g + first, 1.0f / (float)P, c->wire.all + at, n);
        for (int k = 1; k < P; k++) {
            read_bucket(c, sent, 1.0f / (float)P, c->wire.all + (size_t)k * c->bytes + at, n);
            for (int i = 0; i < n; i++)
                g[first + i] += sent[i];
        }
        at += bucket_bytes(c, n);
    }
}

void open_buckets(Compressor *c)
{
    c->remedy.compress = compress;
    c->remedy.residual = residual;
    c->remedy.exchange = exchange;
}
