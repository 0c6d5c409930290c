/* charged.h: an update on the virtual clock, whose computing is charged instead of made: so a busy
 * machine shows the same time, and 32 ranks need two cores for the exchange alone, which is real.
 */
#ifndef CHARGED_H
#define CHARGED_H
#include "lab2.h"
#include "model.h"

/* The ranks 0 … P-1 of a world, for P = 2, 4, 8, 16, 32. */
enum { GROUPS = 5 };
typedef struct Groups {
    Comm *comm[GROUPS]; /* NULL: this rank is not in it, or the world is smaller */
    int size[GROUPS];
} Groups;
Groups groups_new(Comm *world); /* collective */
void groups_free(Groups *g);

/* Seconds of an update of comm's ranks over this link: the forward pass, then the backward pass,
 * which completes one bucket after the other; each is all-reduced from then on. All ranks of the
 * world call it; those with comm NULL only wait, and get 0. grads: work.bytes / 4 elements, F32, on
 * the CPU; ends the run if they are not summed. */
double charged_update(Comm *comm, Link link, Backend *be, Tensor grads, UpdateWork work);

/* Processor seconds of one rank's update of this network, the shortest of `passes`, on images that
 * are all 0; and the bytes of its gradient. On one thread. */
UpdateWork calibrate(Backend *be, const ModelSpec *spec, int batch, int passes);
#endif
