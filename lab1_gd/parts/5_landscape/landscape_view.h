/* landscape_view.h: what part 5 measures of a network, and its figure. */
#ifndef LANDSCAPE_VIEW_H
#define LANDSCAPE_VIEW_H
#include "hessian.h"
#include "landscape.h"
#include "network.h"
#include "pca.h"
#include "plot.h"
#include "roughness.h"

/* A plane or a line, and the loss over it as far as it is measured. */
typedef struct Slice {
    Plane plane;
    Surface *surface; /* NULL: not started */
} Slice;

/* One network and its slices. */
typedef struct Look {
    Network *net;       /* NULL: measured before (recorded.c), so that only these are known: */
    char *name;         /* "resnet56 without skips" */
    int updates;        /* that it was trained for; 0: not known */
    double loss;        /* at its weights */
    float *x, *y;       /* [D] filter-normalised directions */
    double length;      /* of x: how far the weights move from a = 0 to 1; 0: not known */
    Slice plane;        /* around the trained weights, along x and y */
    Slice train, test;  /* along x alone, on training and on test images */
    Pca *pca;           /* of its training path; NULL: not yet */
    Slice valley;       /* in the plane of the path's first two principal directions */
    double *path_loss;  /* [pca->n,2] at each snapshot, and at the point of the plane below it; NaN:
                         * not known yet. NULL: not started */
    int path_known;     /* of them */
    HessianEdges edges; /* steps 0: not measured */
    Slice sharp;        /* along the eigenvectors of the largest and the smallest eigenvalue */
} Look;

typedef struct LandscapeView {
    int looks; /* 1, or 2 to compare */
    Look look[2];
    char *title;         /* data, images; owned */
    char *directions;    /* batch norm and directions of the random plane; owned */
    char phase[128];     /* what is in progress */
    int phases;          /* how many phases so far */
    const char *missing; /* the exercise that is still to do; NULL: none */
    PlotCamera camera;
    bool heat;  /* heat map instead of contours */
    bool sharp; /* the Hessian's directions instead of random ones */
    bool lines; /* draw the lines along x? */
} LandscapeView;

void landscape_draw(const LandscapeView *v, Plot *plot);
int64_t landscape_changes(const LandscapeView *v); /* grows with each new result */
const char *look_name(const Look *l);
bool landscape_is_3d(const LandscapeView *v, int panel);
Roughness look_roughness(const Look *l); /* of the plane, as far as it is measured */
#endif
