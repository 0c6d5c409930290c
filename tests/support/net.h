/* net.h: what tests of whole networks share: a model with a random batch, its loss, its vectors on
 * the host. */
#ifndef NET_H
#define NET_H
#include "data.h"
#include "device.h"
#include "model.h"
#include "optim.h"

typedef struct Net {
    Model *m;
    const BackendOps *op;
    int N;
    Tensor x, label, totals; /* [N,H,W,C], [N] or [N,1,1,T], F64 [2] */
} Net;

/* Small images of odd sides, where a kernel's border and a stride's rounding matter most. */
ModelSpec small_spec(const char *name);
/* One model of each kind: resnet20 and wrn16-2 have the same layers, more often or wider. Those
 * from NORMS to NORMS_END - 1 have batch norm; the last one reads text. */
enum { NORMS = 2, NORMS_END = 5, KINDS = 6 };
extern const char *const model_kinds[KINDS];

/* Images without content, to the end of the case. */
Images images_blank(int count, int h, int w, int c);
/* Noise: a network that has learnt nothing looks at each view of it differently. */
Images images_noise(int count, int h, int w, int c, int classes, uint64_t seed);
/* model_new, freed when the case has passed. */
Model *net_model(Backend *be, const ModelSpec *spec, int batch);
/* A model with weights from seed 1 and a batch of N normal images with random labels from `seed`;
 * planned for `batch` >= N. */
Net net_new(Backend *be, const ModelSpec *spec, int batch, int N, uint32_t seed);
void net_free(Net *n); /* now; else it is when the case has passed */
/* SGD on it (optim.h). */
Sgd *net_sgd(Net *n, double momentum, double decay, bool nesterov);
/* Another batch of the same size, drawn from another seed. */
void net_draw(Net *n, uint32_t seed);
/* Images [first, first + count) of n's batch as the batch of another net of the same spec with
 * count <= its plan. */
void net_take(Net *to, const Net *from, int first, int count);

double net_loss(Net *n, ModelMode mode); /* mean loss of one forward pass */
/* forward (frozen statistics), loss, grads zeroed and computed; returns the mean loss */
double net_gradient(Net *n);

/* model_gradient's work, piece by piece, on a part of the batch or on all of it. */
void net_pieces(Net *n, Tensor x, Tensor label);
/* Gradients, running statistics and totals of two nets have the same bits. */
void expect_same_step(Net *a, Net *b);

float *fetch(const Net *n, Tensor vector); /* on the host, to the end of the case */
void store(const Net *n, Tensor vector, const float *v);
double *fetch_double(const Net *n, Tensor vector);

/* ||t - expected|| / ||expected||. Two ways to round the same sums can put an activation on the two
 * sides of a ReLU's kink: in a deep network of small images about one batch in ten then has
 * gradients that differ in the third digit. So tests of such networks take three batches, and two
 * must agree. */
double net_apart(const Net *n, Tensor t, const double *expected);
enum { NET_BATCHES = 3, NET_AGREE = 2 };
/* The same bits; and ||t - expected|| / ||expected|| <= tolerance. Else the case fails. */
void expect_bits(const float *a, const float *b, size_t n, const char *what);
void expect_vector(const Net *n, Tensor t, const double *expected, double tolerance,
                   const char *what);
#endif
