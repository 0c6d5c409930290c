/* optim.h: stochastic gradient descent with momentum: one pass over the flat vectors. Semantics are
 * torch.optim.SGD's.
 *
 *     d = g + weight_decay w;   v = momentum v + d;   w -= rate (nesterov ? d + momentum v : v)
 */
#ifndef OPTIM_H
#define OPTIM_H
#include "model.h"

typedef struct Sgd {
    double momentum, weight_decay;
    bool nesterov;
    double clip;          /* sgd_step() first shortens a gradient longer than this, as
                           * torch.nn.utils.clip_grad_norm_ does; 0, as made: never */
    Tensor velocity;      /* v, flat like params, zero at first */
    Tensor rate;          /* [1] on the device */
    Tensor square;        /* F64 [1], of the gradient's length; none without `clip` */
    int64_t steps;        /* updates so far; after checkpoint_load set it to Progress.step */
    NamedVector state[2]; /* for checkpoints: the velocity, as "optimizer" */
} Sgd;

Sgd *sgd_new(Model *m, double momentum, double weight_decay, bool nesterov);
void sgd_free(Model *m, Sgd *o); /* before model_free(m); NULL o is fine */
/* One update of m->params from m->grads, queued on m->s; grads stay unchanged, unless clipped,
 * which waits for the device. */
void sgd_step(Model *m, Sgd *o, double rate);
/* The same in two halves: the rate to the device; then the update, a part of model_step (o is its
 * context), whose recordings keep the momentum and the weight decay that o had. */
void sgd_begin(Model *m, Sgd *o, double rate);
void sgd_queue(void *o, Model *m);
#endif
