/* loader.h: batches, prepared by a thread ahead of the training loop.
 *
 * The loader takes a list of image indices (the order of an epoch: shuffling and sharding are the
 * caller's business, and lab 2's lesson) and returns batch after batch, augmented and normalised,
 * on the device. While the network works on batch t, a thread prepares batches t+1, t+2 and t+3.
 * Augmentation depends on (seed, epoch, image), not on ranks or threads.
 */
#ifndef LOADER_H
#define LOADER_H
#include "backend.h"
#include "data.h"

/* 0 switches an augmentation off. */
typedef struct AugmentSpec {
    bool flip;      /* mirror left-right with probability 1/2 */
    int shift;      /* move by up to `shift` pixels in each direction; the mean grey moves in from
                 * outside */
    int cutout;     /* grey a square of this side at a random centre (DeVries & Taylor, arXiv
                 * 1708.04552) */
    bool alternate; /* flip: half of the images in even epochs, the other half in odd ones, so
                     * that two epochs see both sides of each (Jordan, arXiv 2404.00498) */
    bool reflect;   /* shift: what moves in from outside is the image, reflected at its edge */
} AugmentSpec;

typedef struct Batch {
    Tensor x;     /* [N,H,W,C] F32, with loader_new's halo. x and label are valid until the next
                   * loader_next (even one that returns false), loader_start or loader_free;
                   * work queued on s by then is safe */
    Tensor label; /* I32 [N], of text [N,T] */
    int n;        /* N: the batch size, or less in the last batch */
    int first;    /* position of its first image in the order */
} Batch;

typedef struct Loader Loader;

/* A loader of `images` (copied to the device once, here). batch: images per batch. mean, istd: as
 * in Dataset. halo: of x. */
Loader *loader_new(Backend *be, const Images *images, const float *mean, const float *istd,
                   int batch, int halo, AugmentSpec augment, uint64_t seed);
void loader_free(Loader *l);

/* Begin a pass over order[0 … count), which is copied; the thread starts at once. epoch enters the
 * augmentation's draw. An unfinished pass ends. The last batch is short if batch does not divide
 * count. Every index must be in [0, images->count); count 0 is an empty pass. */
void loader_start(Loader *l, const int32_t *order, int count, int epoch);

/* Augment by this seed from now on, as a new loader would. The batches keep their memory, so work
 * recorded on them stays valid. An unfinished pass ends. */
void loader_seed(Loader *l, uint64_t seed);

/* The next batch, ready on stream s; false when the pass is over. */
bool loader_next(Loader *l, Stream *s, Batch *b);
/* Seconds spent in loader_next since loader_new, over all passes; on a GPU this includes waits of
 * a host that is some batches ahead. */
double loader_waited(const Loader *l);

/* For timelines: the stages of a batch on its way to the loop. The hook is called when a stage
 * ends, with its times in seconds (timer.h): the first three on the loader's thread, the last, the
 * wait in the queue, on the loop's. batch counts from the start of the pass. */
typedef enum { LOADER_READ, LOADER_TO_DEVICE, LOADER_PREPARE, LOADER_QUEUE } LoaderStage;
typedef void (*LoaderHook)(void *context, LoaderStage stage, int batch, double began, double ended);
/* Call it before the first loader_start. The stages then run one by one, as where a data set is too
 * large for the device: a batch's bytes are read from `images` (loader_new's; they must outlive l)
 * into a host buffer, copied to the device, and prepared there. Otherwise all images lie on the
 * device. The batches are the same. */
void loader_by_stages(Loader *l, const Images *images, LoaderHook hook, void *context);

/* The augmentation that the loader draws for `image` in `epoch`: for tests and figures. h, w: the
 * image's size. */
Augment augment_draw(AugmentSpec spec, uint64_t seed, int epoch, int image, int h, int w);
#endif
