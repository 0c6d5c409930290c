/* observer.h: what a training does, reported as it happens to those that register.
 *
 * The library knows nothing of those who check it (common/judge/): they register an observer when
 * the program starts, and see what passes here. Each call may be NULL; it comes on the thread that
 * does the work, and changes nothing. Without an observer a report costs one comparison.
 */
#ifndef OBSERVER_H
#define OBSERVER_H
#include "backend.h"

typedef struct Model Model; /* model.h */

typedef struct Observer {
    /* A device was opened. cores: of the CPU; NULL: it is this GPU. */
    void (*device)(const char *name, int local_rank, int local_size, const char *cores, int gpu);
    void (*ranks)(int rank, int size); /* comm_open found them */
    /* A collective or message begins, "all_reduce": `count` elements of a type, or bytes (dtype
     * NULL), or nothing (-1). */
    void (*communication)(const char *call, int64_t count, const char *dtype);
    /* A loader hands out a batch in x's memory, made of picks [x.n], the first of which is image
     * `first` of the epoch's order; picks NULL: that memory is about to be freed. */
    void (*batch)(Tensor x, const Augment *picks, int first, int epoch);
    /* A backward pass begins; elements [first, first + count) of m->grads are complete; it ends.
     * weight: of the samples, or NO_TENSOR. */
    void (*backward_begin)(const Model *m);
    void (*gradient)(const Model *m, size_t first, int count);
    void (*backward_end)(const Model *m, Tensor x, Tensor label, Tensor weight);
    /* The optimiser is about to change m->params, or has done so. */
    void (*update)(const Model *m, int64_t step, double rate, bool is_done);
    void (*evaluation)(int first, int count, double correct); /* first: image, -1: none */
    void (*checkpoint)(const char *path, int64_t step, bool is_read);
    void (*to_do)(int step); /* of lab 2, that the program lacks */
    struct Observer *next;   /* private */
} Observer;

extern Observer *observers; /* private */
void observer_add(Observer *o);

/* Does anybody look at this? */
#define OBSERVED(event) \
    ({ \
        const Observer *seen_by = observers; \
        while (seen_by && !seen_by->event) \
            seen_by = seen_by->next; \
        seen_by != NULL; \
    })
/* Report it: OBSERVE(ranks, c->rank, c->size); */
#define OBSERVE(event, ...) \
    do { \
        for (const Observer *seen_by = observers; seen_by; seen_by = seen_by->next) \
            if (seen_by->event) \
                seen_by->event(__VA_ARGS__); \
    } while (0)
#endif
