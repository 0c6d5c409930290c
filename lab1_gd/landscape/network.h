/* network.h: a network to look at: trained here by a recipe, with its path through weight space, or
 * read from a file.
 *
 * A network that is trained is kept: OUT/NAME.safetensors (a checkpoint, as lab 2 and the
 * assessment write it), OUT/NAME.path.safetensors (its weights every few updates: tensors "update
 * 0", "update 20", … [D]) and, written last, OUT/NAME.json, its recipe. The same recipe is not
 * trained again.
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
    int updates;                                 /* at most so many */
    double rate, momentum, weight_decay, target; /* stop when the loss on the subset is not
                                                  * above target (0: never) */
    int snapshots; /* how often the weights are kept on the way, about */
    int64_t seed;
} Recipe;

typedef struct Network {
    Model *m;
    char *kind, *name; /* spec.name; for people and files: "resnet20 without skips" */
    int updates;       /* that it was trained for */
    float *w, *state;  /* [D], [S]: its trained weights and running statistics; state NULL: none */
    int snapshots;
    float **path; /* [snapshots] of [D], the last one is w; none for a network read from a file */
    int *at;      /* [snapshots] after which update */
    double *loss; /* [snapshots] on the subset */
} Network;

/* What training needs, and who watches it: the lock guards a network while it grows on rank 0. */
typedef struct TrainingContext {
    Run *run;
    Comm *c;
    Backend *be;
    const Dataset *data;
    const EvalSet *subset; /* where the loss is measured, in `mode` */
    ModelMode mode;
    BackgroundThread *watch; /* rank 0; NULL: none */
} TrainingContext;

/* An untrained network, planned for `batch` pictures. name NULL: after its kind. */
Network *network_new(Backend *be, const ModelSpec *spec, int batch, const char *name);
void network_free(Network *n); /* NULL is fine */

/* Train net[count], each by its recipe, or take what an earlier run of the same recipe kept.
 * Each is trained by one rank, several at a time where there are several ranks (net[0] by rank
 * 0), and is then the same on all of them; one that another rank trains has no snapshots on rank
 * 0 until all are trained. Collective. False: stopped before the end. */
bool networks_train(Network *const *net, const TrainingContext *t, const Recipe *recipe, int count);
/* A checkpoint's weights into n (whose model must be that file's: checkpoint_model()). */
void network_read(Network *n, const char *path);
/* Its trained weights and running statistics into its model again, after a landscape has used
 * that. */
void network_restore(Network *n);
/* The file of this network's with that ending: "OUT/resnet20-without-skips-plane.csv"; free()
 * it. */
char *network_path(const Run *run, const Network *n, const char *ending);
#endif
