/* inspection.h: did the ranks train one network together, on images of the task?
 * Judged by the messages of common/evidence.h, none of which is trusted.
 *
 *   evidence_collect.c   a process that listens while the submission trains
 *   evidence_read.c      messages from the ranks' sockets
 *   evidence_update.c    messages with equal weights are one update; the ranks' side by side
 *   evidence_explain.c   do the gradients explain how the weights moved?
 *   evidence_fit.c       least squares
 *   evidence_rules.c     optimisers that are not linear in the gradient
 *   evidence_average.c   is the file what the training ended with, or an average?
 *   evidence_sample.c    the draw of updates whose gradients are computed again
 *   evidence_replay.c    batches and gradients, computed again
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
    int32_t *marked; /* [n] then: which of the marked images each is, -1: none (usage_mark) */
    float *x;        /* [n,h,w,c] the batch; NULL: it is the loader's (gather_fits) */
} Pass;
void pass_free(Pass *p); /* NULL is fine */
/* One message, about at most as many images as given, of their size; waits. NULL: the other end has
 * gone, or *fault is an error message (free() it). */
Pass *pass_read(int fd, int np, const Images *given, char **fault);

typedef struct Sockets Sockets;
/* Listens at path for np ranks. Returns NULL if that cannot be done. */
Sockets *sockets_open(const char *path, int np, const Images *given);
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
    int np, index, holders; /* holders: who else needs it, besides the first */
    int64_t params;
    float *w; /* [params], the same on all ranks */
    Work work[EVIDENCE_RANKS];
} Update;
void update_free(Update *u); /* one holder leaves; NULL is fine */

typedef struct Lineup Lineup;
Lineup *lineup_new(int np);
void lineup_free(Lineup *l);
/* Takes the pass. Returns an update that is complete on all ranks, or NULL; or *fault, a new
 * string, says in which update two ranks had other weights. */
Update *lineup_add(Lineup *l, Pass *pass, char **fault);
/* No pass comes any more: the next update, NULL: none. */
Update *lineup_finish(Lineup *l, char **fault);
int lineup_count(const Lineup *l, int rank); /* updates that this rank began */

/* ---- evidence_rules.c ---- */

/* An optimiser's recursion on the mean gradient. */
typedef enum { RULE_LINEAR, RULE_ADAPTIVE, RULE_SIGN, RULE_VOTE, RULE_MATRIX } RuleKind;
typedef struct Rule {
    const char *name; /* "Adam's" */
    RuleKind kind;
    double mean, square; /* decay rates of the running means of g and of g squared (SIGN: of g) */
    int steps;           /* MATRIX: Newton and Schulz's */
    double clip;         /* the longest gradient; 0: any */
} Rule;
enum { RULES = 18 };
extern const Rule rules[RULES];
bool rule_applies(const Rule *r, const View *v);
/* Takes a layer's mean gradient g [count]. mean, square [count]: its state, at first 0; step: 1, 2,
 * … Leaves the directions in columns [2][count] and returns how many; *own: how much of them is
 * this gradient's, 0 … 1. */
int rule_advance(const Rule *r, const View *v, float *mean, float *square, const float *g, int step,
                 double *columns, double *own);

/* ---- evidence_explain.c ---- */

enum { MOVES_KNOWN = 11 }; /* Lookahead's usual 5 and 10 updates (arXiv 1907.08610), and one */

typedef struct Explanation {
    int moves;
    bool still;                   /* no move led anywhere */
    double unexplained;           /* at most, of the whole way to the file's weights: 0 … 1 */
    double typical;               /* the share of a move's square that is explained: 0 … 1 */
    double share[EVIDENCE_RANKS]; /* of the gradients' part in the moves; they add up to 1 */
    double size[EVIDENCE_RANKS];  /* of the gradients' lengths; they add up to 1 */
    double alike;                 /* of the moves: two ranks' gradients are the same */
    double uneven;                /* of the moves: 0 the mean gradient, 1 one rank's at a time */
    double erratic;               /* of the moves' squares: by a momentum of no known value */
    double farthest;              /* from w(0), as a multiple of the way to the file's weights */
    const char *family;           /* "SGD's", "Adam's" */
} Explanation;

typedef struct Explainer Explainer;
/* views: the network's layers. */
Explainer *explainer_new(int np, int64_t params, const View *views, int nviews);
void explainer_free(Explainer *e); /* NULL is fine */
/* After the last update the weights are those of the start again; momentum may remember more. */
void explainer_restart(Explainer *e, const Update *last);
/* The weights went from u->w to `after`. */
void explainer_move(Explainer *e, const Update *u, const float *after);
/* What made a move, as lengths: its own gradients; those of the update before; an optimiser's
 * running mean of gradients; each of the moves before, which it carries on, newest first. */
enum { BY_OWN, BY_EARLIER, BY_MEAN, BY_MOVE, PARTS = BY_MOVE + MOVES_KNOWN };
typedef struct Made {
    double part[PARTS];
    double own; /* how much of the running mean is of the last gradients: 0 … 1 */
} Made;
Made explainer_made(const Explainer *e);     /* of the last move */
double explainer_length(const Explainer *e); /* of the last two moves, the longer one's */
/* file: the weights that are scored, NULL: the last ones. */
Explanation explainer_end(const Explainer *e, const float *file);

/* ---- evidence_fit.c ---- */

enum { MOST_TERMS = EVIDENCE_RANKS + MOVES_KNOWN + 4 };
/* Fits columns[k] by columns[0 … k) of n elements each, by least squares, and leaves the rest in
 * columns[k]. lengths [k]: of the columns; c [k]: their coefficients, if they were of length 1; a
 * column that the others give already has 0, as has the last one if its own coefficient is out of
 * bounds (NULL: none). */
void fit_columns(double *columns, int n, int k, double *c, double *lengths, const double bounds[2]);

/* ---- evidence_average.c ---- */

typedef struct Averages Averages;
Averages *averages_new(int64_t params);
void averages_free(Averages *a); /* NULL is fine */
void averages_add(Averages *a, const float *w, bool new_epoch);
/* Is `file` the last weights, or an average of those along the way? */
bool averages_reach(const Averages *a, const float *file);

/* ---- evidence_sample.c ---- */

enum { SAMPLE_MOST = 512 };
typedef struct Sample Sample;
/* bytes: of one update and its move, about. */
Sample *sample_new(int64_t params, double bytes);
void sample_free(Sample *s); /* NULL is fine */
/* The weights went from u->w to `after`. */
void sample_add(Sample *s, Update *u, const float *after, Made made);
/* The moves so far do not count any more, but what comes may carry on what they did; `last`: the
 * update that led back. */
void sample_restart(Sample *s, Update *last);
/* The updates whose gradients are to be recomputed, given the weights at the start and in the file.
 * Borrowed. Returns how many; *needed: how many should have been drawn from this many moves. */
int sample_choose(Sample *s, const float *first, const float *file, Update *chosen[SAMPLE_MOST],
                  int *needed);
/* A number between 0 and 1 that nobody can foresee. */
double sample_draw(void);

/* ---- evidence_replay.c ---- */

/* The images that the submission was given, on a device. */
typedef struct Gather Gather;
Gather *gather_new(Backend *be, Stream *s, const Dataset *given);
void gather_free(Gather *g);
/* Is the pass's batch of the images that its loader took? */
bool gather_fits(Gather *g, const Pass *p);

typedef struct Replay Replay;
/* Computes on the device `device` with the images that the submission was given. */
Replay *replay_new(const char *device, Precision precision, const ModelSpec *spec,
                   const Dataset *given, int batch);
void replay_free(Replay *r);
/* What is wrong with this update's gradients, a new string; NULL: nothing. *off: how far they are
 * from those, relative to their length. A pass whose batch is
 * not of the images that its loader took loses its picks: it is a batch that no loader made. */
char *replay_update(Replay *r, const Update *u, double *off);
/* The share of its images that the network got right, before it. */
double replay_right(const Replay *r);
/* How far the gradients computed so far were from those sent, relative to their length: the
 * mean. */
double replay_mean_distance(const Replay *r);
/* Does model_init draw these weights from one of np seeds, the first of which this is? */
bool replay_starts(Replay *r, const float *w, uint64_t seed, int np);

/* ---- evidence_images.c ---- */

typedef struct Usage Usage;
Usage *usage_new(int np, const Dataset *given);
/* Looks for images in a batch that no loader made: for some, which were drawn before. */
void usage_mark(const Usage *u, Pass *p);
void usage_free(Usage *u);
void usage_add(Usage *u, const Update *update);
void usage_begin_again(Usage *u); /* the training, and with it an epoch */
typedef struct UsageEnd {
    double trained;  /* images, over all ranks */
    double unknown;  /* of them, in batches that no loader made */
    double shared;   /* share of images that two ranks had in the same epoch or update */
    double at_once;  /* … in the same update */
    double again;    /* share of a rank's images that it had had in the same epoch, at most; not
                      * once more in the next update (SAM) */
    double found;    /* of the images marked, in batches that no loader made: as a part of those
                      * that a rank should have met */
    double least;    /* the rank with fewest images, or least weight: its part of an equal share */
    double counting; /* of the images: as many of equal weight make as good a mean */
} UsageEnd;
UsageEnd usage_end(const Usage *u);
/* Which image of the training set, with its label, is image i of a batch that no loader made? -1:
 * none. Shifts by up to 4 pixels, mirroring, brightness and up to four times the contrast make no
 * difference. */
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
    bool no_file;              /* no file with weights of this network could be read */
    bool absent;               /* there is no file */
    bool cut;                  /* it was killed or crashed: ranks may be an update apart */
    int drawn, needed;         /* updates whose gradients were computed again, and should be */
    double distance, off;      /* replay_mean_distance; of the gradient that is at fault */
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
