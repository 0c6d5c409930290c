/* loader.h: batches, made ready ahead of the training loop on a thread of their own.
 *
 * The loader is given a list of picture indices (the order of an epoch: who shuffles and who gets
 * which share is the caller's business, and lab 2's lesson) and hands out batch after batch,
 * augmented and normalised, on the device. While the network works on batch t a thread prepares
 * batches t+1, t+2 and t+3. Augmentation depends on (seed, epoch, picture), so ranks and threads do
 * not change it.
 */
#ifndef LOADER_H
#define LOADER_H
#include "backend.h"
#include "data.h"

/* Which augmentations: 0 switches each off. */
typedef struct AugmentSpec {
    bool flip;  /* mirror left-right with probability 1/2 */
    int shift;  /* move by up to so many pixels in each direction; what comes in from outside is
                 * the mean grey */
    int cutout; /* grey a square of this side at a random centre (DeVries & Taylor, arXiv
                 * 1708.04552) */
} AugmentSpec;

typedef struct Batch {
    Tensor x;     /* [N,H,W,C] F32, with the halo asked for. x and label are valid until the
                   * next loader_next (even one that returns false), loader_start or
                   * loader_free; work queued on s by then is safe */
    Tensor label; /* I32 [N] */
    int n;        /* N: the batch size, or less in the last batch */
    int first;    /* position of its first picture in the order */
} Batch;

typedef struct Loader Loader;

/* A loader of `images` (copied to the device once, here). batch: pictures per batch. mean, istd: as
 * in Dataset. halo: of x. */
Loader *loader_new(Backend *be, const Images *images, const float *mean, const float *istd,
                   int batch, int halo, AugmentSpec augment, uint64_t seed);
void loader_free(Loader *l);

/* Begin a pass over order[0 … count): starts preparing at once. order is copied. epoch enters the
 * augmentation's draw. Ends a pass that is still under way. The last batch is short if batch does
 * not divide count. Every index must be in [0, images->count); count 0 is an empty pass. */
void loader_start(Loader *l, const int32_t *order, int count, int epoch);

/* The next batch, ready on stream s; false when the pass is over. */
bool loader_next(Loader *l, Stream *s, Batch *b);
/* Seconds spent in loader_next since loader_new, all passes together; on a GPU also those in which
 * the host was some batches ahead of it. */
double loader_waited(const Loader *l);

/* For timelines: what happens to a batch until the loop has it. The hook is told of each stage when
 * it ends, in seconds (timer.h): of the first three on the loader's thread, of the last, the wait
 * in the queue, on the loop's. batch counts from the start of the pass. */
typedef enum { LOADER_READ, LOADER_TO_DEVICE, LOADER_PREPARE, LOADER_QUEUE } LoaderStage;
typedef void (*LoaderHook)(void *context, LoaderStage stage, int batch, double began, double ended);
/* Before the first loader_start: the stages are taken one by one, as where a data set is too large
 * for the device: a batch's bytes are read from `images` (those of loader_new; they must live as
 * long as l) into a buffer of the host, copied to the device, and prepared there. Without it all
 * pictures lie on the device. The batches are the same. */
void loader_by_stages(Loader *l, const Images *images, LoaderHook hook, void *context);

/* The augmentation that the loader draws for picture `image` in `epoch`: for tests and figures. h,
 * w: its size. */
Augment augment_draw(AugmentSpec spec, uint64_t seed, int epoch, int image, int h, int w);
#endif
