/* live.h: a network in training, and the surface that it moves on, both drawn while they change.
 *
 * One thread (background_thread.h) does all the work in small slices, in turn: an update of the
 * weights, and points of a plane through weight space, coarse grid first. When a plane is done and
 * the weights have moved on, the next plane is laid. The window changes `wish` and reads `seen`,
 * both under the thread's lock.
 */
#ifndef LIVE_H
#define LIVE_H
#include "comm.h"
#include "data.h"
#include "landscape.h"
#include "model.h"
#include "optim.h"
#include "plot.h"

enum { LIVE_SIDE = 33, LIVE_SNAPSHOTS = 96, CURVE_POINTS = 1500 };

/* A curve that never has too many points: when it is full two become one, their mean. */
typedef struct Curve {
    int count, each, waiting; /* points; values per point; values in the sums */
    double sum_x, sum_y;
    double x[CURVE_POINTS], y[CURVE_POINTS];
} Curve;
void curve_add(Curve *c, double x, double y);

/* see live_plane.c */
typedef enum { PLANE_PATH, PLANE_START_NOW, PLANE_RANDOM, PLANE_KINDS } PlaneKind;

typedef struct LiveWish {         /* what the keys ask for */
    double rate, momentum, speed; /* speed: updates per second at most */
    int batch, steps;             /* steps: single updates that are due while paused */
    PlaneKind plane;
    bool paused, restart, hurry; /* hurry: all updates first, then one plane, then end */
} LiveWish;

typedef struct LiveSeen { /* what there is to see */
    PlaneKind plane;
    int side; /* points along each side of the finest whole grid; 0: none yet */
    /* [side,side] mean loss over the plane */
    double z[LIVE_SIDE * LIVE_SIDE], a_low, a_high, b_low, b_high;
    double share[2]; /* PLANE_PATH: of the path's variance, what each direction explains */
    int places;      /* of the path, the last one is now; 0: not drawn (an exercise is to do) */
    double a[LIVE_SNAPSHOTS + 1], b[LIVE_SNAPSHOTS + 1]; /* [places] in the plane */
    double off, moved;         /* largest distance of the path from the plane; distance of `now`
                                * from the start */
    double start_loss;         /* on the surface's pictures */
    Curve batch, held, before; /* loss by update: training batch, held-out pictures; those of
                                * the run before */
    int update;
    double loss, held_loss, accuracy, images_per_s;
    bool diverged;
} LiveSeen;

/* Private to live.c and live_plane.c */
typedef struct Trail {        /* where the weights have been */
    int count, every;         /* snapshots; one every so many updates: when all are full every
                               * other one goes */
    float *w[LIVE_SNAPSHOTS]; /* [D] each, the first is the start */
    float *now;               /* [D] the last weights that gave a finite loss */
    int updates;              /* made by then */
} Trail;

typedef struct Ground { /* a plane, what is known of its surface, and the path on it */
    bool laid;
    PlaneKind wanted, kind; /* what was asked for; what it is: before the first updates there is
                             * no path yet */
    Plane plane;
    float *w, *x, *y, *from; /* [D] origin and directions; `now` when it was laid */
    double share[2], width;  /* width: of the plane along x, in units of the weights */
    Surface *surface;
    int places; /* snapshots whose place is known */
    /* and its distance from the plane */
    double a[LIVE_SNAPSHOTS], b[LIVE_SNAPSHOTS], off[LIVE_SNAPSHOTS];
} Ground;

typedef struct LiveSetup {
    Backend *be;
    const Dataset *data;
    ModelSpec spec;
    int images, measured, updates; /* training pictures; pictures of each loss; updates without
                                    * a window */
    uint64_t seed;
    bool surface, path; /* is the exercise there that each needs: filter_normalize,
                         * plane_coordinates */
} LiveSetup;

typedef struct Live {
    LiveSetup setup;
    LiveWish wish;
    LiveSeen seen;
    int64_t changes; /* of wish and seen so far */
    BackgroundThread *thread;
    Model *m, *probe; /* the network in training; the same to measure with */
    Sgd *sgd;
    Loader *loader;
    EvalSet *ground_set, *held_set;
    Tensor totals;
    int32_t *order; /* [images] */
    int at, epoch;  /* position in it */
    Trail trail;
    Ground shown, coming;              /* coming: until its coarsest grid is known */
    int points[LIVE_SIDE * LIVE_SIDE]; /* the order in which a plane's points are measured */
} Live;

enum { LIVE_LARGEST_BATCH = 1024 };

Live *live_new(const LiveSetup *setup, LiveWish wish);
void live_free(Live *l);
void live_work(void *live, BackgroundThread *b); /* the thread */

/* live_plane.c */
bool ground_work(Live *l, PlaneKind wanted); /* measure one point, of a new plane where one is
                                              * due. False: all is known */
void ground_path(Live *l);                   /* where the trail is in the plane that is shown,
                                              * for `seen` */
void ground_forget(Live *l);                 /* the trail begins anew */
void ground_free(Ground *g);

extern const char *const live_planes[PLANE_KINDS]; /* their names, for people */

/* live_view.c: the picture as it is now. missing: which exercise is to do, NULL: none. */
typedef struct LiveLook {
    PlotCamera camera; /* of the surface */
    bool heat;         /* the map: heat map under its contours */
} LiveLook;
void live_draw(const Live *l, Plot *plot, const LiveLook *look, const char *missing);
enum { LIVE_PANEL_SURFACE = 1 };
#endif
