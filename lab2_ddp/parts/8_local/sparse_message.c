/* sparse_message.c: see sparse_message.h. */
#include "sparse_message.h"
#include "check.h"
#include "lab2.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct SparseMessage {
    Backend *be;
    int n, keep;
    bool two_bits;
    Tensor mine, all; /* U8 [bytes], [P bytes] */
    uint8_t *own, *everyone;
};

/* Of the chunk that begins at element `first`: its elements, and how many are sent. */
static int chunk_size(const SparseMessage *s, int first)
{
    return s->n - first < SPARSE_CHUNK ? s->n - first : SPARSE_CHUNK;
}

static int chunk_keep(const SparseMessage *s, int first)
{
    int k = (int)((int64_t)chunk_size(s, first) * s->keep / SPARSE_CHUNK);
    return k ? k : 1;
}

static size_t chunk_bytes(const SparseMessage *s, int first)
{
    size_t k = (size_t)chunk_keep(s, first);
    return s->two_bits ? 4 + 2 * k : 6 * k;
}

static size_t bytes_of(const SparseMessage *s)
{
    size_t bytes = 0;
    for (int first = 0; first < s->n; first += SPARSE_CHUNK)
        bytes += chunk_bytes(s, first);
    return bytes;
}

SparseMessage *sparse_message_new(Backend *be, int n, int keep, bool two_bits, int ranks)
{
    SparseMessage *s = alloc(1, sizeof *s);
    *s = (SparseMessage){.be = be, .n = n, .keep = keep, .two_bits = two_bits};
    size_t bytes = bytes_of(s);
    s->mine = tensor_new(be, U8, (int)bytes, 1, 1, 1, 0);
    s->all = tensor_new(be, U8, (int)bytes * ranks, 1, 1, 1, 0);
    s->own = alloc(bytes, 1);
    s->everyone = alloc(bytes * (size_t)ranks, 1);
    return s;
}

void sparse_message_free(SparseMessage *s)
{
    if (!s)
        return;
    tensor_free(s->be, s->mine);
    tensor_free(s->be, s->all);
    free(s->own);
    free(s->everyone);
    free(s);
}

/* ---- one chunk ---- */

enum { LARGE = 1 << 12, NEGATIVE = 1 << 13 };

/* What a student wrote: what cannot be sent ends the run with a message. */
static void must_be_good(const SparseMessage *s, int k, int n, const int32_t *at,
                         const float *value, float m)
{
    bool good = isfinite(m);
    for (int i = 0; i < k; i++) {
        good = good && at[i] >= 0 && at[i] < n && (i == 0 || at[i] > at[i - 1]);
        if (s->two_bits)
            good = good && (fabsf(value[i]) == m || fabsf(value[i]) == m / 2);
    }
    if (!good)
        die(EXIT_WRONG, "sparse_delta gives positions or values that cannot be sent (or the "
                        "training diverges): make check LAB=lab2 ONLY=8d");
}

static void write_chunk(const SparseMessage *s, uint8_t *to, int k, const int32_t *at,
                        const float *value, float m)
{
    uint16_t code[SPARSE_CHUNK];
    for (int i = 0; i < k; i++)
        code[i] = (uint16_t)(at[i] | (s->two_bits && fabsf(value[i]) == m ? LARGE : 0) |
                             (value[i] < 0 ? NEGATIVE : 0));
    if (s->two_bits)
        memcpy(to, &m, 4);
    else
        memcpy(to + 2 * (size_t)k, value, 4 * (size_t)k);
    memcpy(to + (s->two_bits ? 4 : 0), code, 2 * (size_t)k);
}

static void add_chunk(const SparseMessage *s, float *sum, const uint8_t *from, int k, float share)
{
    float value[SPARSE_CHUNK], m = 0;
    uint16_t code[SPARSE_CHUNK];
    memcpy(code, from + (s->two_bits ? 4 : 0), 2 * (size_t)k);
    if (s->two_bits)
        memcpy(&m, from, 4);
    else
        memcpy(value, from + 2 * (size_t)k, 4 * (size_t)k);
    for (int i = 0; i < k; i++) {
        float size = code[i] & LARGE ? m : m / 2;
        float v = s->two_bits ? (code[i] & NEGATIVE ? -size : size) : value[i];
        sum[code[i] & (SPARSE_CHUNK - 1)] += share * v;
    }
}

/* ---- the vector ---- */

void sparse_message_pack(SparseMessage *s, float *residual, const float *delta, double decay)
{
    int32_t at[SPARSE_CHUNK];
    float value[SPARSE_CHUNK];
    uint8_t *to = s->own;
    for (int first = 0; first < s->n; first += SPARSE_CHUNK) {
        int n = chunk_size(s, first), k = chunk_keep(s, first);
        float m = 0;
        sparse_delta(at, value, residual + first, delta + first, n, k, decay, s->two_bits);
        for (int i = 0; i < k; i++)
            m = fmaxf(m, fabsf(value[i]));
        must_be_good(s, k, n, at, value, m);
        write_chunk(s, to, k, at, value, m);
        to += chunk_bytes(s, first);
    }
}

double sparse_message_exchange(SparseMessage *s, Comm *c, Stream *stream, float *sum)
{
    const BackendOps *op = s->be->op;
    op->upload(stream, s->mine, s->own);
    comm_all_gather(c, s->all, s->mine, stream);
    op->download(stream, s->everyone, s->all);
    const uint8_t *from = s->everyone;
    for (int r = 0; r < c->size; r++)
        for (int first = 0; first < s->n; first += SPARSE_CHUNK) {
            add_chunk(s, sum + first, from, chunk_keep(s, first), 1.0f / (float)c->size);
            from += chunk_bytes(s, first);
        }
    return (double)(c->size - 1) * (double)bytes_of(s);
}
