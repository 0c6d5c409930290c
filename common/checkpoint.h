/* checkpoint.h: a training run on disk, as one safetensors file: opens in Python with one line,
 *
 *     model.load_state_dict(safetensors.torch.load_file(path), strict=False)
 *
 * Tensors: every view of params and of state under its name (PyTorch's shapes), and
 * "optimizer.<name>", the velocity of each parameter. Metadata (strings): format "pt", model
 * ("resnet8 28x28x1 classes=10 no-skip"), epoch, position, step, seed, world_size, batch. Written
 * under a temporary name, fsync'ed, renamed: a file under its final name is whole. Same run, same
 * bytes.
 */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H
#include "optim.h"

/* Where the training stands. */
typedef struct Progress {
    int epoch;             /* current epoch, from 0 */
    int64_t position;      /* pictures of this epoch's order that all ranks together have used:
                            * also at another P */
    int64_t step;          /* updates done */
    uint64_t seed;         /* of order, augmentation and initial weights */
    int world_size, batch; /* P and B when it was saved: for the record */
} Progress;

/* Write path (o may be NULL: no velocities). One rank calls it. Ends the run when the disk does not
 * take it (exit 2) or a number is not finite (exit 1: a diverged training must not replace a good
 * file); path's old content then stays. */
void checkpoint_save(const char *path, Model *m, const Sgd *o, const Progress *p);
/* Read path into m (not collective: each rank reads for itself), and into o and p unless they are
 * NULL: the weights alone can come from Python too. A file that is not whole, not of this model's
 * shapes, not finite, or says that it is another model's, or has no training state where o or p
 * wants it, ends the run with one line (exit 2), and m is untouched. A tensor that m does not know
 * is passed over. o->steps becomes the file's step (0 where p is NULL). */
void checkpoint_load(const char *path, Model *m, Sgd *o, Progress *p);
/* Which network a file holds, by its metadata (an mlp's hidden sizes: by its tensors): fills in
 * what model_new needs; spec->name is a new string, free() it. A file that does not say, or says
 * nonsense, ends the run (exit 2). */
void checkpoint_model(const char *path, ModelSpec *spec);
#endif
