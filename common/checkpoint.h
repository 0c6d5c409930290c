/* checkpoint.h: a training run on disk, as one safetensors file. Python opens it with one line:
 *
 *     model.load_state_dict(safetensors.torch.load_file(path), strict=False)
 *
 * Tensors: every view of params and of state under its name (PyTorch's shapes), and the named
 * vectors that the caller lists, such as SGD's velocity, "optimizer.<name>". Metadata (strings):
 * format "pt", model ("resnet8 28x28x1 classes=10 no-skip"), epoch, position, step, seed,
 * world_size, batch. Written under a temporary name, fsync'ed, renamed: a file under its final name
 * is whole. Same run, same bytes. Metadata also has images and epochs if the caller gives them.
 *
 *     checkpoint_save(path, m, o->state, &progress);                     SGD: optim.h
 *
 *     NamedVector more[] = {o->state[0], {"residual", all, m->views, m->nviews, P}, {0}};
 *     checkpoint_save(path, m, more, &progress);                         with error feedback, too
 *
 * A vector of which each rank has its own (NamedVector.ranks) is first gathered, on all ranks, into
 * `all` (comm_all_gather); after loading each rank takes its part of it. The file may be from
 * another number of ranks: then each part is the mean of the file's, so the mean over the ranks,
 * what error feedback still owes to the weights, is unchanged.
 */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H
#include "model.h"

/* How far the training is. */
typedef struct Progress {
    int epoch;             /* current epoch, from 0 */
    int64_t position;      /* images of this epoch's order that all ranks together have used;
                            * valid for another P, too */
    int64_t step;          /* updates done */
    uint64_t seed;         /* of order, augmentation and initial weights */
    int world_size, batch; /* P and B when it was saved; only recorded */
    int images, epochs;    /* of the training, only recorded; 0: unknown */
} Progress;

/* Write path, with the vectors of the list `more` (NULL: none). One rank calls it. A failed write
 * (exit 2) or an element that is not finite (exit 1: a diverged training must not replace a good
 * file) ends the run; path's old content then stays. */
void checkpoint_save(const char *path, Model *m, const NamedVector *more, const Progress *p);
/* The metadata "model": the kind of network. A new string; free() it. */
char *checkpoint_model_text(const ModelSpec *spec);

/* Read path into m (not collective: each rank reads for itself), and into the vectors of the list
 * `more` and into p unless they are NULL: weights alone may also come from Python. A file that is
 * truncated, not finite, of another model or of other shapes, or without the training state that
 * `more` or p needs, ends the run with one line (exit 2), and nothing is changed. The metadata's
 * model must be m's where there is any, else names and shapes decide; tensors that are not asked
 * for are skipped, unless they are layers (conv…, bn…, layer…, fc…): then the file is another
 * network's. */
void checkpoint_load(const char *path, Model *m, const NamedVector *more, Progress *p);
/* Only p and the model's text ("resnet8 28x28x1 classes=10"; free() it; NULL: not recorded) of the
 * file: what can be refused before a run begins. A bad file, or one without a training state, ends
 * the run (exit 2). */
char *checkpoint_progress(const char *path, Progress *p);
/* Ends the run (exit 2) unless a training of `epochs` epochs (0: it is only tested) on `images`
 * images can resume from p, read from path. A complete one can. */
void progress_require(const char *path, const Progress *p, int images, int epochs);
/* Which network a file holds: fills in *spec for model_new from the metadata (an mlp's hidden sizes
 * from its tensors); spec->name is a new string, free() it. Missing or invalid metadata ends the
 * run (exit 2). */
void checkpoint_model(const char *path, ModelSpec *spec);
#endif
