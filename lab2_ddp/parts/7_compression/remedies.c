/* remedies.c: the table of all remedies, and a remedy at work. */
#include "check.h"
#include "compressor.h"
#include <stdlib.h>

/* The first is what all others are compared with. */
const RemedySpec remedy_specs[] = {
    {.name = "none", .open = open_plain},
    {.name = "bfloat16", .open = open_bf16},
    {.name = "8 bits", .open = open_buckets, .bits = 8},
    {.name = "4 bits", .open = open_buckets, .bits = 4},
    {.name = "2 bits", .open = open_buckets, .bits = 2},
    {.name = "2 bits nearest", .open = open_buckets, .bits = 2, .nearest = true},
    {.name = "2 bits nearest + feedback",
     .open = open_buckets,
     .bits = 2,
     .nearest = true,
     .feedback = true},
    {.name = "TernGrad clip 2.5", .open = open_buckets, .bits = 2, .clip = 2.5},
    {.name = "1 bit + feedback", .open = open_buckets, .bits = 1, .feedback = true},
    {.name = "top 0.1 %", .open = open_sparse, .keep = 0.001},
    {.name = "top 0.1 % + feedback", .open = open_sparse, .keep = 0.001, .feedback = true},
    {.name = "top 0.1 % corrected", .open = open_sparse, .keep = 0.001, .corrected = true},
    {.name = "top 1 % sparse all-reduce",
     .open = open_sparse,
     .keep = 0.01,
     .feedback = true,
     .all_reduce = true},
    {.name = "rank 4 + feedback", .open = open_low_rank, .rank = 4, .feedback = true},
    {.name = "factors x and dy", .open = open_factors, .mlp = true},
    {.name = "minimal effort 10 %", .open = open_minimal, .keep = 0.1, .mlp = true},
    {.name = "small network 128", .open = open_plain, .hidden = 128, .mlp = true},
};
const int remedy_count = sizeof remedy_specs / sizeof *remedy_specs;

Compressor *compressor_new(const RemedySpec *spec, Model *m, Comm *comm, uint64_t seed, int warm,
                           double momentum)
{
    Compressor *c = alloc(1, sizeof *c);
    int n = m->params.n;
    *c = (Compressor){
        .spec = spec, .m = m, .seed = seed, .warm = warm, .momentum = momentum, .remedy.n = n};
    c->wire = wire_new(comm, m->be, m->s, 4 * (size_t)n + 4096);
    spec->open(c);
    if (spec->feedback)
        c->e = alloc(n, sizeof *c->e);
    if (spec->corrected) {
        c->u = alloc(n, sizeof *c->u);
        c->v = alloc(n, sizeof *c->v);
    }
    return c;
}

void compressor_free(Compressor *c)
{
    if (!c)
        return;
    for (int k = 0; k < LAYERS_MOST; k++) {
        free(c->p[k]);
        free(c->q[k]);
    }
    float *vectors[] = {c->e, c->u, c->v, c->value};
    for (int k = 0; k < 4; k++)
        free(vectors[k]);
    free(c->place);
    wire_free(&c->wire);
    c->m->tensor_hook = NULL;
    free(c);
}

void compressor_exchange(void *compressor, Model *m)
{
    Compressor *c = compressor;
    Remedy *r = &c->remedy;
    float *g = host_floats(m, m->grads);
    double began = link_now();
    wire_begin(&c->wire);
    if (c->spec->corrected)
        exchange_corrected(r, g, c->u, c->v, (float)c->momentum);
    else if (c->spec->feedback)
        exchange_with_feedback(r, g, c->e);
    else {
        r->compress(r, g);
        r->exchange(r, g);
    }
    c->seconds = link_now() - began - c->wire.seconds + c->hook_seconds;
    c->update++;
}
