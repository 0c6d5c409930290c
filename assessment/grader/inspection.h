/* inspection.h: did the ranks train one network together, on images of the task?
 * Judged by the messages of common/evidence.h, none of which is trusted.
 *
 *   evidence_collect.c   a process that listens while the submission trains
 *   evidence_read.c      messages from the ranks' sockets
 *   evidence_update.c    messages with equal weights are one update; the ranks' side by side
 *   evidence_explain.c   do the gradients explain how the weights moved?
 *   evidence_average.c   is the file what the training ended with, or an average?
 *   evidence_replay.c    gradients of updates drawn at random, computed again
 *   evidence_images.c    which images each rank used
 *   evidence_judge.c     the verdicts
 *
 * The weights w(0), w(1) … are those that the ranks' backward passes began with, and the file's.
 * All ranks must have the same, w(0) be what model_init draws, and each move w(t+1) - w(t) be a
 * combination of what an optimiser knows: the ranks' gradients, the last move, the weights. The
 * gradients of some updates, drawn when nothing can be taken back, are computed again from w(t) and
 * the grader's own images.
 */
#ifndef INSPECTION_H
#define INSPECTION_H
#include "data.h"
#include "evidence.h"
#include "grade.h"
#include "model.h"

enum { EVIDENCE_RANKS = 64 };

/* ---- evidence_read.c ---- */

/* One backward pass of one rank. */
typedef struct Pass {
    EvidenceHead head;
    float *w, *g;    /* [params]: the weights, what it added to the gradient */
    int32_t *labels; /* [n] */
    float *weights;  /* [n] of the samples; NULL: all 1 */
    Augment *picks;  /* [n] the images that the loader took; NULL: no loader made it */
    float *x;        /* [n,h,w,c] the batch */
} Pass;
void pass_free(Pass *p); /* NULL is fine */
/* One message; waits. NULL: the other end has gone, or *fault is an error message (free() it). */
Pass *pass_read(int fd, int np, char **fault);

typedef struct Sockets Sockets;
/* Listens at path for np ranks. Returns NULL if that cannot be done. */
Sockets *sockets_open(const char *path, int np);
void sockets_close(Sockets *s);
/* The next message of any rank; waits. NULL: all ranks have gone and `stop`, a pipe's end, was
 * closed; or *fault, a new string, describes a bad
 * message; its sender is ignored from then on. */
Pass *sockets_next(Sockets *s, int stop, char **fault);

/* ---- evidence_update.c ---- */

/* What one rank did for one update: one pass, or several that accumulate. */
typedef struct Work {
    Pass *pass[64];
    int passes;
    float *g; /* [params]: the sum of their gradients */
} Work;

typedef struct Update {
    int np, index;
    int64_t params;
    float *w; /* [params], the same on all ranks */
    Work work[EVIDENCE_RANKS];
} Update;
void update_free(Update *u); /* NULL is fine */

typedef struct Lineup Lineup;
Lineup *lineup_new(int np);
void lineup_free(Lineup *l);
/* Takes the pass. Returns an update that is complete on all ranks, or NULL; or *fault, a new
 * string, says in which update two ranks had other weights. */
Update *lineup_add(Lineup *l, Pass *pass, char **fault);
/* No pass comes any more: the next update, NULL: none. */
Update *lineup_finish(Lineup *l, char **fault);
int lineup_count(const Lineup *l, int rank); /* updates that this rank began */

/* ---- evidence_explain.c ---- */

typedef struct Explanation {
    int moves;
    bool still;                   /* no move led anywhere */
    double unexplained;           /* at most, of the whole way to the file's weights: 0 … 1 */
    double typical;               /* the share of a move's square that is explained: 0 … 1 */
    double share[EVIDENCE_RANKS]; /* of the gradients' part in the moves; they add up to 1 */
    double size[EVIDENCE_RANKS];  /* of the gradients' lengths; they add up to 1 */
    double alike;                 /* of the moves: by gradients that are the same on all ranks */
    double uneven;                /* of the moves: 0 the mean gradient, 1 one rank's at a time */
    double farthest;              /* from w(0), as a multiple of the way to the file's weights */
    const char *family;           /* "SGD's", "Adam's" */
} Explanation;

typedef struct Explainer Explainer;
/* views: the network's layers. */
Explainer *explainer_new(int np, int64_t params, const View *views, int nviews);
void explainer_free(Explainer *e);
/* The weights went from u->w to `after`. */
void explainer_move(Explainer *e, const Update *u, const float *after);
/* file: the weights that are scored, NULL: the last ones. */
Explanation explainer_end(const Explainer *e, const float *file);

/* Fits columns[k] by columns[0 … k) of n elements each, which become of length 1, by least squares,
 * and leaves the rest in columns[k]. c [k]: the coefficients; a term that the others give already
 * has 0. */
void fit_columns(double *columns, int n, int k, double *c);

/* ---- evidence_average.c ---- */

typedef struct Averages Averages;
Averages *averages_new(int64_t params);
void averages_free(Averages *a);
void averages_add(Averages *a, const float *w);
/* Is `file` the last weights, or an average of those along the way? */
bool averages_reach(const Averages *a, const float *file);

/* ---- evidence_replay.c ---- */

typedef struct Replay Replay;
/* Computes on the device `device` with the images that the submission was given. */
Replay *replay_new(const char *device, const ModelSpec *spec, const Dataset *given, int batch);
void replay_free(Replay *r);
/* What is wrong with this update's gradients, a new string; NULL: nothing. A pass whose batch is
 * not of the images that its loader took loses its picks: it is a batch that no loader made. */
char *replay_update(Replay *r, const Update *u);
/* The share of its images that the network got right, before it. */
double replay_right(const Replay *r);
/* How far the gradients computed so far were from those sent, relative to their length: the
 * mean. */
double replay_mean_distance(const Replay *r);
/* Does model_init draw these weights from one of np seeds, the first of which this is? */
bool replay_starts(Replay *r, const float *w, uint64_t seed, int np);

/* ---- evidence_images.c ---- */

typedef struct Usage Usage;
Usage *usage_new(int np, int images);
void usage_free(Usage *u);
void usage_add(Usage *u, const Update *update);
typedef struct UsageEnd {
    double trained; /* images, over all ranks */
    double unknown; /* of them, in batches that no loader made */
    double shared;  /* share of images that two ranks had in the same epoch or update */
    double again;   /* share of images that the same rank had had in the same epoch */
    double least;   /* the rank with fewest: its part of an equal share */
} UsageEnd;
UsageEnd usage_end(const Usage *u);
/* Which image of the training set, with its label, is image i of a batch that no loader made? -1:
 * none. Shifts by up to 4 pixels, mirroring, brightness and contrast make no difference. */
int known_image(const Dataset *given, const Pass *p, int i);
/* Is it this one? */
bool is_image(const Dataset *given, int image, const Pass *p, int i);

/* ---- evidence_collect.c, evidence_judge.c ---- */

/* All that was collected. */
typedef struct Evidence {
    int np, updates, begun[EVIDENCE_RANKS]; /* updates that each rank began */
    double trained;                         /* images, over all ranks */
    int world[EVIDENCE_RANKS]; /* what each rank's comm_open found, 0: not called; as it reports */
    bool starts, ends;         /* at what model_init draws; in the file's weights */
    bool no_file;              /* that could be read */
    int drawn;                 /* updates whose gradients were computed again */
    double distance;           /* replay_mean_distance */
    Explanation explained;
    UsageEnd used;
    int recognised, looked_at; /* images in batches that no loader made */
    int doubled;               /* of them, on another rank in the same update, too */
    /* What ended the collection, "": nothing: a message or weights that do not fit, an update whose
     * gradients are not. */
    char stream_fault[256], equal_fault[256], number_fault[256], replay_fault[256];
} Evidence;

typedef struct EvidenceVerdict {
    bool passed, pending;
    char found[512], advice[512];
} EvidenceVerdict;
/* evidence_judge.c */
EvidenceVerdict judge_equal(const Evidence *e);
EvidenceVerdict judge_gradients(const Evidence *e);
EvidenceVerdict judge_images(const Evidence *e);

typedef struct Collector Collector;
/* Starts to listen at path, in a separate process, which ends when this one does. A failure ends
 * the run. */
Collector *collector_start(const char *path, const GradeOptions *o, const Dataset *given,
                           double budget);
/* The submission's processes are gone; weights: its file, NULL: none. Waits for the findings EQUAL,
 * GRADIENTS and IMAGES, and the course. Returns the images trained on. */
double collector_end(Collector *c, const char *weights, Finding *findings, Course *course);
#endif
