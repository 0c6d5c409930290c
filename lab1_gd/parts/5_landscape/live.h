/* live.h: a network in training and its loss surface, both drawn while they change.
 *
 * One thread (background_thread.h) does all the work in small slices, in turn: an update of the
 * weights, and points of a plane through weight space, coarse grid first. When a plane is complete
 * and the weights have moved on, the next plane is laid. The window changes `wish` and reads
 * `seen`, both under the thread's lock.
 */
#ifndef LIVE_H
#define LIVE_H
#include "comm.h"
#include "data.h"
#include "landscape.h"
#include "model.h"
#include "plot.h"
#include "training.h"

enum { LIVE_SIDE = 33, LIVE_SNAPSHOTS = 96, CURVE_POINTS = 1500, LIVE_STEPS = 512 };

/* A curve of limited length: when it is full, pairs of points are merged into their mean. */
typedef struct Curve {
    int count, each, waiting; /* points; values per point; values in the sums */
    double sum_x, sum_y;
    double x[CURVE_POINTS], y[CURVE_POINTS];
} Curve;

/* see live_plane.c */
typedef enum { PLANE_PATH, PLANE_START_NOW, PLANE_RANDOM, PLANE_KINDS } PlaneKind;

/* What the keys ask for. */
typedef struct LiveWish {
    double rate, momentum, speed; /* speed: at most this many updates per second */
    int batch, steps;             /* steps: single updates due while paused */
    PlaneKind plane;
    bool paused, restart, hurry; /* hurry: all updates first, then one plane, then end */
    bool sharpness;              /* measure it, too */
    /* For the show. hold: no new plane. place: put the network at (a, b) of the plane that is
     * shown. duel: a second network starts with it, from the same weights, with the other's
     * settings. */
    bool hold, place, duel;
    double a, b;
    double reach; /* of a random plane's directions each way; 0: 1 */
    struct {
        double rate, momentum;
        int batch;
    } other;
} LiveWish;

/* What the window shows. */
typedef struct LiveSeen {
    PlaneKind plane;
    int side; /* points along each side of the finest complete grid; 0: none yet */
    /* [side,side] mean loss over the plane */
    double z[LIVE_SIDE * LIVE_SIDE], a_low, a_high, b_low, b_high;
    double explained[2]; /* PLANE_PATH: fraction of the path's variance along each direction */
    int path_points;     /* the last one is now; 0: no path (an exercise is still to do) */
    double a[LIVE_SNAPSHOTS + 1], b[LIVE_SNAPSHOTS + 1]; /* [path_points] in the plane */
    double off, moved;         /* largest distance of the path from the plane; distance of now
                                * from the start */
    double start_loss;         /* on the surface's images */
    Curve batch, held, before; /* loss by update: training batch, held-out images; the latter
                                * of the run before */
    Curve sharpness, limit;    /* λ by update, and the λ beyond which updates diverge */
    int update;
    double loss, held_loss, accuracy, images_per_s;
    bool diverged;
    /* The second network's path in the plane, and its last batch's loss. */
    int other_points;
    double other_a[LIVE_STEPS], other_b[LIVE_STEPS], other_loss;
} LiveSeen;

/* Private to live.c: a network, and its training from the last restart on. */
typedef struct Runner {
    Model *m;
    Pace pace; /* of the next update */
    TrainingSpec spec;
    Training *training;
} Runner;

/* Private to live.c and live_plane.c: where the weights have been. */
typedef struct Trail {
    int count, every;         /* snapshots; one every `every` updates: when all are full, every
                               * other one is dropped */
    float *w[LIVE_SNAPSHOTS]; /* [D] each, the first is the start */
    float *now;               /* [D] the last weights with a finite loss */
    int updates;              /* made so far */
    /* [D] the last weights whose loss was not far above where it began, and the snapshots until
     * then: planes are laid through these. One that reached to where diverging weights go would
     * show nothing else. */
    float *sound;
    int sound_count;
} Trail;

/* A plane, its surface as far as it is measured, and the path on it. */
typedef struct Ground {
    bool laid;
    PlaneKind wanted, kind; /* what was asked for; what it is (before the first updates there is
                             * no path) */
    Plane plane;
    float *w, *x, *y, *from;    /* [D] origin and directions; `now` when it was laid */
    double explained[2], width; /* width: of the plane along x, in units of the weights */
    Surface *surface;
    int projected; /* snapshots on it so far: coordinates, and distance from the plane */
    double a[LIVE_SNAPSHOTS], b[LIVE_SNAPSHOTS], off[LIVE_SNAPSHOTS];
} Ground;

typedef struct LiveSetup {
    Backend *be;
    const Dataset *data;
    ModelSpec spec;
    int images, measured, updates; /* training images; images of each loss; updates without a
                                    * window */
    uint64_t seed;
    bool blunt;           /* no sharpness can be measured: hessian_refused() */
    bool by_filter, path; /* is the exercise done that each needs: filter_normalize,
                           * plane_coordinates? */
} LiveSetup;

typedef struct Live {
    LiveSetup setup;
    LiveWish wish;
    LiveSeen seen;
    int64_t changes; /* of wish and seen, so far */
    BackgroundThread *thread;
    Runner run, other; /* the network in training; the second one, its model NULL until wished */
    int other_every, other_updates; /* updates between two points of its path */
    Model *probe;                   /* a copy to measure with */
    EvalSet *ground_set, *held_set;
    Trail trail;
    Ground shown, coming;              /* coming: until its coarsest grid is known */
    int points[LIVE_SIDE * LIVE_SIDE]; /* the order in which a plane's points are measured */
    double *steepest;                  /* [D] the sharpness's direction; NULL: not measured yet */
    double sharpness_due;              /* s */
} Live;

enum { LIVE_LARGEST_BATCH = 1024 };

Live *live_new(const LiveSetup *setup, LiveWish wish);
void live_free(Live *l);
void live_work(void *live, BackgroundThread *b); /* the thread */

/* live_sharpness.c: λ at the weights as they are now. */
double live_sharpness(Live *l);

/* live_plane.c */
/* Measure a point, of a new plane if one is due and the one shown is not held. False: everything is
 * measured. */
bool ground_work(Live *l, PlaneKind wanted, bool hold);
void ground_path(Live *l);   /* project the trail onto the plane that is shown,
                                              * into `seen` */
void ground_forget(Live *l); /* the trail restarts: lay a new plane */
void ground_replay(Live *l); /* it restarts on the same plane */
/* The weights w [D] at (a, b) of the plane that is shown. */
void ground_at(const Live *l, float *w, double a, double b);
/* The coordinates of weights [D] in it. */
void ground_find(const Live *l, const float *w, double *a, double *b);
void ground_free(Ground *g);

extern const char *const live_planes[PLANE_KINDS]; /* their names, for people */

/* live_view.c: the figure as it is now. missing: the exercise that is still to do; NULL: none. */
typedef struct LiveLook {
    PlotCamera camera; /* of the surface */
    bool heat;         /* a heat map under the contours */
} LiveLook;
void live_draw(const Live *l, Plot *plot, const LiveLook *look, const char *missing);
enum { LIVE_PANEL_SURFACE = 1 };
#endif
