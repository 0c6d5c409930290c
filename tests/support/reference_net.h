/* reference_net.h: a whole network in float64: walks a Model's list of layers with the loops of
 * reference.h, forward and backward. */
#ifndef REFERENCE_NET_H
#define REFERENCE_NET_H
#include "net.h"

typedef struct RefNet {
    const Model *m;
    int N, *label;
    double *params, *grads; /* as the model's flat vectors; params may be written */
    /* Per activation (0: the images), and per layer */
    Shape *shape;
    double **act, **grad;
    int **which;             /* max pooling's choices */
    double **ones, **unused; /* gamma where it is fixed, and what is then its gradient */
    Norm *norm;              /* batch statistics */
} RefNet;

/* With n's parameters and batch; freed when the case has passed. */
RefNet *refnet_new(const Net *n);
double refnet_loss(RefNet *r);     /* the mean loss by batch statistics */
double refnet_gradient(RefNet *r); /* also its gradient, into grads */
#endif
