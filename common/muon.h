/* muon.h: an update that treats the slices of the parameters by group: fixed, or updated by SGD
 * or Muon, each group at its own rate.
 *
 *     Group group[] = {{GROUP_SGD, 0.9, 5e-4}, {GROUP_MUON, 0.6, 0}};
 *     int of[m->nviews];
 *     for (int v = 0; v < m->nviews; v++)
 *         of[v] = m->views[v].dims > 1;
 *     Groups *g = groups_new(m, group, 2, of, 3);
 *     … model_gradient() …; groups_step(m, g, (double[]){rate, rate});
 *     … groups_free(m, g);
 *
 * SGD is optim.h's, with Nesterov momentum. Muon (Jordan et al., kellerjordan.github.io/posts/muon,
 * 2024) moves matrices: a dense layer's, or a convolution's filters, a row each; here as in
 * airbench94_muon, which also keeps every matrix at the length √rows. Equally large matrices go
 * through each product together, as one batch. Everything stays on the device.
 */
#ifndef MUON_H
#define MUON_H
#include "model.h"

typedef enum { GROUP_FIXED, GROUP_SGD, GROUP_MUON } GroupKind;

typedef struct Group {
    GroupKind kind;
    double momentum; /* 0 … 1 */
    double decay;    /* SGD: of the weights, in units of the gradient. (Muon's have a fixed
                      * length.) */
} Group;

typedef struct Groups {
    Tensor velocity;      /* flat like params, zero at first */
    NamedVector state[2]; /* for checkpoints: the velocity, as "optimizer" */
    struct GroupsPlan *plan;
} Groups;

enum { MOST_GROUPS = 16 };

/* group [count], of [m->nviews]: each view's group; copied. iterations: Newton-Schulz steps. A
 * vector in a group of Muon's is a bug (ASSERT). */
Groups *groups_new(Model *m, const Group *group, int count, const int *of, int iterations);
void groups_free(Model *m, Groups *g); /* before model_free(m); NULL g is fine */
/* One update of m->params from m->grads, queued on m->s; rate [count]: of this update. grads stay
 * unchanged. */
void groups_step(Model *m, Groups *g, const double *rate);
#endif
