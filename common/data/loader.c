/* loader.c: a ring of batches between a thread that fills them and the training loop that uses them
 * up.
 *
 *     batches     0 1 2 3 4 5 6 7 8 ...
 *                 released  handed    made       released <= handed <= made <= released + RING
 *
 * Three counters of the pass are the whole state: batch t lies in slot t % RING; the loop holds the
 * one that is handed but not yet released. The mutex guards the counters and the pass's
 * description; the thread fills a slot without it, as nobody else touches a slot between released
 * and made. On a GPU both sides run ahead of their queued work, so each slot has two events:
 * `filled` (the gather is done) and `used` (the loop's work on it is done).
 */
#include "loader.h"
#include "check.h"
#include "observer.h"
#include "rng.h"
#include "timer.h"
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 3, RING = AHEAD + 1 }; /* + 1: the loop's current batch */

typedef struct Slot {
    Tensor x, label; /* room for a whole batch */
    Event *filled, *used;
    Stream *user; /* its queued work reads this slot, since the loop got it */
    double made;  /* seconds: when it was filled */
} Slot;

struct Loader {
    Backend *be;
    Stream *stream; /* the thread's own */
    Tensor images, labels;
    float mean[4], istd[4];
    int batch;
    AugmentSpec augment;
    uint64_t seed;
    Slot ring[RING];
    Augment *pick; /* [batch], the thread's */
    struct {
        LoaderHook hook; /* NULL: not by stages */
        void *context;
        const Images *images;
        uint8_t *pixels, *labels;            /* one batch on the host: [batch,h,w,c], [batch] */
        Tensor device_pixels, device_labels; /* and on the device */
    } stages;
    double waited;
    pthread_t thread;

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t change;
    bool busy, quit;        /* busy: the thread is filling a slot */
    int32_t *order;         /* [count] */
    int count, room, epoch; /* room: entries that `order` has memory for */
    int batches, made, handed, released;
};

static int batch_size(const Loader *l, int t)
{
    int left = l->count - t * l->batch;
    return left < l->batch ? left : l->batch;
}

/* ---- the thread ---- */

/* Report a stage that began at `began` to the hook; returns the time now. */
static double stage_over(Loader *l, LoaderStage stage, int t, double began)
{
    l->be->op->stream_sync(l->stream);
    double now = timer_now();
    l->stages.hook(l->stages.context, stage, t, began, now);
    return now;
}

/* Copy the batch's bytes, in the batch's order, to the device; l->pick then means positions in the
 * batch. Returns the time of its end. */
static double bring(Loader *l, int t, int n)
{
    double began = timer_now();
    const Images *images = l->stages.images;
    size_t size = (size_t)images->h * images->w * images->c, T = (size_t)l->labels.c;
    for (int i = 0; i < n; i++) {
        memcpy(l->stages.pixels + i * size, images->pixels + l->pick[i].image * size, size);
        memcpy(l->stages.labels + i * T, images->labels + l->pick[i].image * T, T);
        l->pick[i].image = i;
    }
    began = stage_over(l, LOADER_READ, t, began);
    l->be->op->upload(l->stream, tensor_first(l->stages.device_pixels, n), l->stages.pixels);
    l->be->op->upload(l->stream, tensor_first(l->stages.device_labels, n), l->stages.labels);
    return stage_over(l, LOADER_TO_DEVICE, t, began);
}

/* Images [first, first + n) of the order, and what is done to them. */
static void draw(Augment *picks, const Loader *l, int first, int n)
{
    for (int i = 0; i < n; i++)
        picks[i] = augment_draw(l->augment, l->seed, l->epoch, l->order[first + i], l->images.h,
                                l->images.w);
}

static void fill(Loader *l, int t)
{
    Slot *slot = &l->ring[t % RING];
    int n = batch_size(l, t);
    bool by_stages = l->stages.hook;
    draw(l->pick, l, t * l->batch, n);
    double began = by_stages ? bring(l, t, n) : 0;
    l->be->op->event_wait(l->stream, slot->used);
    l->be->op->gather(l->stream, tensor_first(slot->x, n), tensor_first(slot->label, n),
                      by_stages ? l->stages.device_pixels : l->images,
                      by_stages ? l->stages.device_labels : l->labels, l->pick, l->mean, l->istd);
    l->be->op->event_record(slot->filled, l->stream);
    /* Made only when the device has finished with the slot's last batch: so the host is never more
     * than RING batches ahead, and its times and progress are right. */
    if (!by_stages)
        l->be->op->stream_sync(l->stream);
    else
        slot->made = stage_over(l, LOADER_PREPARE, t, began);
}

static void *run(void *argument)
{
    Loader *l = argument;
    pthread_mutex_lock(&l->lock);
    while (!l->quit) {
        if (l->made >= l->batches || l->made - l->released == RING) {
            pthread_cond_wait(&l->change, &l->lock);
            continue;
        }
        l->busy = true; /* loader_start waits for us before it changes the pass */
        int t = l->made;
        pthread_mutex_unlock(&l->lock);
        fill(l, t);
        pthread_mutex_lock(&l->lock);
        l->busy = false;
        l->made++;
        pthread_cond_broadcast(&l->change);
    }
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

/* ---- the training loop's side ---- */

/* The images, and RING batches of them as float32. */
static void require_memory(const Backend *be, const Images *images, int batch, int halo)
{
    double row = (double)(images->w + 2 * halo) * images->c;
    double bytes = (double)images->count * images->h * images->w * images->c +
                   RING * sizeof(float) * batch * (images->h + 2 * halo) * row;
    char *what = format_new("%d images, and batches of %d of them made ahead,", images->count,
                            batch);
    backend_require(be, bytes, what, "use a smaller batch");
    free(what);
}

Loader *loader_new(Backend *be, const Images *images, const float *mean, const float *istd,
                   int batch, int halo, AugmentSpec augment, uint64_t seed)
{
    ASSERT(batch >= 1 && images->count >= 1 && images->c <= 4);
    ASSERT(augment.shift >= 0 && augment.shift < SHRT_MAX && augment.cutout >= 0 &&
           augment.cutout < SHRT_MAX);
    require_memory(be, images, batch, halo);
    Loader *l = alloc(1, sizeof *l);
    l->be = be;
    l->stream = be->op->stream_new(be, 1);
    l->images = tensor_new(be, U8, images->count, images->h, images->w, images->c, 0);
    l->labels = tensor_new(be, U8, images->count, 1, 1, images_positions(images), 0);
    be->op->upload(l->stream, l->images, images->pixels);
    be->op->upload(l->stream, l->labels, images->labels);
    be->op->stream_sync(l->stream);
    memcpy(l->mean, mean, images->c * sizeof *mean);
    memcpy(l->istd, istd, images->c * sizeof *istd);
    l->batch = batch;
    l->augment = augment;
    l->seed = seed;
    l->pick = alloc(batch, sizeof *l->pick);
    for (int i = 0; i < RING; i++)
        l->ring[i] = (Slot){.x = tensor_new(be, F32, batch, images->h, images->w, images->c, halo),
                            .label = tensor_new(be, I32, batch, 1, 1, l->labels.c, 0),
                            .filled = be->op->event_new(be),
                            .used = be->op->event_new(be)};
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->change, NULL);
    REQUIRE(!pthread_create(&l->thread, NULL, run, l),
            "cannot start a thread to load images: too many processes?");
    return l;
}

void loader_by_stages(Loader *l, const Images *images, LoaderHook hook, void *context)
{
    ASSERT(hook && !l->stages.hook && l->room == 0 && images->count == l->images.n &&
           images_positions(images) == l->labels.c);
    l->stages.images = images;
    l->stages.context = context;
    l->stages.pixels = alloc((size_t)l->batch, (size_t)images->h * images->w * images->c);
    l->stages.labels = alloc((size_t)l->batch, (size_t)l->labels.c);
    l->stages.device_pixels = tensor_new(l->be, U8, l->batch, images->h, images->w, images->c, 0);
    l->stages.device_labels = tensor_new(l->be, U8, l->batch, 1, 1, l->labels.c, 0);
    l->stages.hook = hook;
}

void loader_free(Loader *l)
{
    if (!l)
        return;
    pthread_mutex_lock(&l->lock);
    l->quit = true;
    pthread_cond_broadcast(&l->change);
    pthread_mutex_unlock(&l->lock);
    pthread_join(l->thread, NULL);
    l->be->op->stream_sync(l->stream);
    for (int i = 0; i < RING; i++) {
        OBSERVE(batch, l->ring[i].x, NULL, 0, 0);
        tensor_free(l->be, l->ring[i].x);
        tensor_free(l->be, l->ring[i].label);
        l->be->op->event_free(l->ring[i].filled);
        l->be->op->event_free(l->ring[i].used);
    }
    tensor_free(l->be, l->images);
    tensor_free(l->be, l->labels);
    tensor_free(l->be, l->stages.device_pixels);
    tensor_free(l->be, l->stages.device_labels);
    free(l->stages.pixels);
    free(l->stages.labels);
    l->be->op->stream_free(l->stream);
    pthread_cond_destroy(&l->change);
    pthread_mutex_destroy(&l->lock);
    free(l->pick);
    free(l->order);
    free(l);
}

/* Give the batch in hand back, if there is one; work queued on it so far finishes first. The lock
 * is held. */
static void release(Loader *l)
{
    if (l->released == l->handed)
        return;
    Slot *slot = &l->ring[l->released % RING];
    l->be->op->event_record(slot->used, slot->user);
    l->released++;
    pthread_cond_broadcast(&l->change);
}

/* Locked: of the old pass nothing more is begun. */
static void end_pass(Loader *l)
{
    l->batches = 0;
    while (l->busy)
        pthread_cond_wait(&l->change, &l->lock);
    release(l);
}

void loader_seed(Loader *l, uint64_t seed)
{
    pthread_mutex_lock(&l->lock);
    end_pass(l);
    l->seed = seed;
    pthread_mutex_unlock(&l->lock);
}

void loader_start(Loader *l, const int32_t *order, int count, int epoch)
{
    ASSERT(count >= 0 && count <= INT_MAX - l->batch);
    for (int i = 0; i < count; i++)
        ASSERT(order[i] >= 0 && order[i] < l->images.n);
    pthread_mutex_lock(&l->lock);
    end_pass(l);
    if (count > l->room) {
        free(l->order);
        l->order = alloc(count, sizeof *order);
        l->room = count;
    }
    if (count)
        memcpy(l->order, order, count * sizeof *order);
    l->count = count;
    l->epoch = epoch;
    l->batches = (count + l->batch - 1) / l->batch;
    l->made = l->handed = l->released = 0;
    pthread_cond_broadcast(&l->change);
    pthread_mutex_unlock(&l->lock);
}

static void report(const Loader *l, const Batch *b)
{
    if (!OBSERVED(batch))
        return;
    Augment *picks = alloc((size_t)b->n, sizeof *picks);
    draw(picks, l, b->first, b->n);
    OBSERVE(batch, b->x, picks, b->first, l->epoch);
    free(picks);
}

bool loader_next(Loader *l, Stream *s, Batch *b)
{
    double began = timer_now();
    pthread_mutex_lock(&l->lock);
    release(l);
    bool more = l->handed < l->batches;
    while (more && l->made == l->handed)
        pthread_cond_wait(&l->change, &l->lock);
    int t = l->handed;
    l->handed += more;
    pthread_mutex_unlock(&l->lock);
    l->waited += timer_now() - began;
    if (!more)
        return false;
    Slot *slot = &l->ring[t % RING];
    int n = batch_size(l, t);
    slot->user = s;
    l->be->op->event_wait(s, slot->filled);
    if (l->stages.hook)
        l->stages.hook(l->stages.context, LOADER_QUEUE, t, slot->made, timer_now());
    *b = (Batch){tensor_first(slot->x, n), tensor_first(slot->label, n), n, t * l->batch};
    report(l, b);
    return true;
}

double loader_waited(const Loader *l) { return l->waited; }

/* Every number is drawn, needed or not: switching one augmentation off does not change the
 * others. */
Augment augment_draw(AugmentSpec spec, uint64_t seed, int epoch, int image, int h, int w)
{
    Rng r = rng_at(seed, RNG_AUGMENT, (uint32_t)epoch, (uint64_t)image);
    bool flip = rng_u32(&r) & 1;
    int dy = (int)rng_below(&r, 2 * spec.shift + 1) - spec.shift;
    int dx = (int)rng_below(&r, 2 * spec.shift + 1) - spec.shift;
    int centre_y = (int)rng_below(&r, h), centre_x = (int)rng_below(&r, w);
    if (spec.alternate) { /* a draw for all epochs: `epoch` is never negative */
        r = rng_at(seed, RNG_AUGMENT, UINT32_MAX, (uint64_t)image);
        flip = (rng_u32(&r) & 1) ^ (epoch & 1);
    }
    return (Augment){.image = image,
                     .dy = (int16_t)dy,
                     .dx = (int16_t)dx,
                     .flip = spec.flip && flip,
                     .cut_y = (int16_t)(centre_y - spec.cutout / 2),
                     .cut_x = (int16_t)(centre_x - spec.cutout / 2),
                     .cut = (int16_t)spec.cutout,
                     .reflect = spec.reflect};
}
