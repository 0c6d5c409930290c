/* compressor.h: a remedy at work on a model: its settings, its memory, its packets. remedies.c has
 * the table of all; the files beside it are the families, and each sets the three functions.
 */
#ifndef COMPRESSOR_H
#define COMPRESSOR_H
#include "method.h"
#include "wire.h"

typedef struct Compressor Compressor;

/* A remedy of the table. */
typedef struct RemedySpec {
    const char *name;
    void (*open)(Compressor *c); /* sets c->remedy, takes what memory it needs */
    bool feedback, corrected;    /* with exchange_with_feedback, exchange_corrected */
    int bits;
    bool nearest;    /* rounding to nearest in place of stochastic */
    double clip;     /* > 0: ternary */
    double keep;     /* the share of the elements, or of a layer's units, that are sent */
    bool all_reduce; /* a sparse all-reduce in place of an all-gather */
    int rank;        /* of the factors */
    int hidden;      /* > 0: another network, with one hidden layer of this size */
    bool mlp;        /* for an MLP alone */
} RemedySpec;

enum { LAYERS_MOST = 64, HIDDEN_MOST = 8 };

struct Compressor {
    Remedy remedy; /* first, so that a Remedy * is one */
    const RemedySpec *spec;
    Model *m;
    Wire wire;
    uint64_t seed;
    int update, warm; /* this update; density falls over the first `warm` (deep gradient
                       * compression) */
    double momentum;
    size_t bytes;     /* of this update's packet */
    float *e, *u, *v; /* [n] feedback's memory; momentum correction's */
    float *value;     /* sparse, sums: two vectors' elements; low rank: q and what is sent whole */
    int32_t *place;
    float *p[LAYERS_MOST], *q[LAYERS_MOST]; /* low rank: of each matrix */
    size_t at[LAYERS_MOST];                 /* of a layer in the packet; 0: not known yet */
    int rows_kept[LAYERS_MOST];             /* minimal effort */
    int samples;                            /* factors: images in the batch */
    double hook_seconds;                    /* spent in the backward pass's hook */
    double seconds;                         /* compressing and decompressing, this update, the hook
                                             * included, without what the network took */
};

extern const RemedySpec remedy_specs[];
extern const int remedy_count;

/* warm: updates of the warm-up; momentum: for momentum correction. */
Compressor *compressor_new(const RemedySpec *spec, Model *m, Comm *comm, uint64_t seed, int warm,
                           double momentum);
void compressor_free(Compressor *c);
/* The exchange of a Method, context a Compressor. */
void compressor_exchange(void *compressor, Model *m);

static inline Compressor *of(const Remedy *r) { return (Compressor *)r; }
static inline float *host_floats(const Model *m, Tensor t)
{
    return (float *)m->be->op->buffer_host(t.buf) + t.at;
}

/* plain.c, buckets.c, sparse.c, low_rank.c, factors.c: */
void open_plain(Compressor *c);
void open_bf16(Compressor *c);
void open_buckets(Compressor *c);
void open_sparse(Compressor *c);
void open_low_rank(Compressor *c);
void open_factors(Compressor *c);
void open_minimal(Compressor *c);
#endif
