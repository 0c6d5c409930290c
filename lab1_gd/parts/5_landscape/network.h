/* network.h: a network to measure: trained here by a recipe, with its path through weight space, or
 * read from a file.
 *
 * A trained network is kept: OUT/NAME.safetensors (a checkpoint, as in lab 2 and the assessment),
 * OUT/NAME.path.safetensors (its weights every few updates: tensors "update 0", "update 20", …,
 * [D]) and, written last, OUT/NAME.json, its recipe. The same recipe is not trained twice.
 */
#ifndef NETWORK_H
#define NETWORK_H
#include "background_thread.h"
#include "comm.h"
#include "data.h"
#include "eval_set.h"
#include "run.h"
#include "task_farm.h"

typedef struct Recipe {
    ModelSpec spec;
    int images, batch;                           /* training images used; images per update */
    int updates;                                 /* at most this many */
    double rate, momentum, weight_decay, target; /* stop when the loss on the subset is at
                                                  * most target (0: never) */
    int snapshots; /* about how many snapshots of the weights to keep */
    int64_t seed;
} Recipe;

typedef struct Network {
    Model *m;
    char *kind, *name; /* spec.name; for people and file names: "resnet20 without skips" */
    int updates;       /* how many it was trained for */
    float *w, *state;  /* [D], [S]: its trained weights and running statistics; state NULL: none */
    int snapshots;
    float **path; /* [snapshots] of [D], the last is w; NULL for a network read from a file */
    int *at;      /* [snapshots] after how many updates */
    double *loss; /* [snapshots] on the subset */
} Network;

/* What training needs. On rank 0 the lock of `watch` guards a network's growing path. */
typedef struct TrainingContext {
    Run *run;
    Comm *c;
    Backend *be;
    const Dataset *data;
    const EvalSet *subset; /* where the loss is measured, in `mode` */
    ModelMode mode;
    BackgroundThread *watch; /* rank 0; NULL: none */
} TrainingContext;

/* An untrained network, planned for `batch` images. name NULL: named after its kind. */
Network *network_new(Backend *be, const ModelSpec *spec, int batch, const char *name);
void network_free(Network *n); /* NULL is fine */

/* Train net[count], each by its recipe, or load what an earlier run of the same recipe kept. Each
 * is trained by one rank, several at a time on several ranks (net[0] by rank 0), and then
 * broadcast; one that another rank trains has no snapshots on rank 0 until all are trained.
 * Collective. False: stopped before the end. */
bool networks_train(Network *const *net, const TrainingContext *t, const Recipe *recipe, int count);
/* Read a checkpoint's weights into n, whose model must be that of the file: checkpoint_model(). */
void network_read(Network *n, const char *path);
/* Restore the trained weights and running statistics in its model, after a landscape has moved
 * them. */
void network_restore(Network *n);
/* The path of one of its files: "OUT/resnet20-without-skips-plane.csv"; free() it. */
char *network_path(const Run *run, const Network *n, const char *ending);

/* ---- network_files.c, for network.c ---- */

/* Keep the model's weights and statistics as the trained ones. */
void network_keep(Network *n);
/* Add a snapshot (copied). */
void network_add(Network *n, const float *w, int at, double loss);
/* Has an earlier run kept a network of this recipe? */
bool network_kept(const Run *run, const Network *n, const Recipe *r, const TrainingContext *t);
void network_save(const Run *run, Network *n, const Recipe *r, const TrainingContext *t);
void network_load(const Run *run, Network *n);
#endif
