/* landscape_view.h: what part 5 knows of a network, and its pictures. */
#ifndef LANDSCAPE_VIEW_H
#define LANDSCAPE_VIEW_H
#include "hessian.h"
#include "landscape.h"
#include "network.h"
#include "pca.h"
#include "plot.h"
#include "roughness.h"

/* A surface over a plane, while it is being measured and after. */
typedef struct Slice {
    Plane plane;
    Surface *surface; /* NULL: not begun */
} Slice;

/* One network. */
typedef struct Look {
    Network *net;
    float *x, *y;       /* [D] filter-normalised directions */
    Slice plane;        /* around the trained weights, along x and y */
    Slice train, test;  /* along x alone: on training and on test pictures */
    Pca *pca;           /* of its path; NULL: none (yet) */
    Slice valley;       /* in the plane of the path's first two principal directions */
    HessianEdges edges; /* steps 0: not known */
} Look;

typedef struct LandscapeView {
    int looks; /* 1, or 2 to compare */
    Look look[2];
    char *title;          /* data, pictures, batch norm, directions */
    const char *measured; /* "training" or "test": pictures of `plane` and `valley` */
    char phase[128];      /* what is being done now */
    int phases;           /* how many there were */
    char *missing;        /* the exercise that is to do; NULL: none */
    PlotCamera camera;
    bool heat;  /* heat map instead of contours */
    bool lines; /* are there to be lines along x? */
} LandscapeView;

void landscape_draw(const LandscapeView *v, Plot *plot);
long landscape_changes(const LandscapeView *v); /* a number that grows with all that is known */
bool landscape_is_3d(const LandscapeView *v, int panel);
Roughness look_roughness(const Look *l); /* of the plane, what is known of it */
#endif
