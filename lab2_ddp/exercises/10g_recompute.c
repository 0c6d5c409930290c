/* 10g_recompute.c: exercise: activation checkpointing: a gradient in little memory. */
#include "check.h"
#include "lab2.h"

/* Compute a gradient, and keep in the forward pass only the activations at the cuts (10f). The
 * calls, each with p->context as its first argument:
 *
 *   p->take(…, a)                     allocate activation a, 1 … L; before a layer writes to it
 *   p->drop(…, a)                     free it
 *   p->forward(…, first, end, again)  layers first … end - 1: activation `first` must be there;
 *                                     again: not the first time (batch norm's running statistics
 *                                     are not updated a second time)
 *   p->loss(…)                        after the last layer, whose output must be there
 *   p->backward(…, first, end)        through layers end - 1 … first: all activations first … end
 *                                     must be there
 *
 * Part k is layers cut[k] … cut[k + 1] - 1, cut[0] = 0, cut[parts] = L. At the start no activation
 * has memory but number 0, the images, which is always there: never take or drop it.
 *
 *   forward    part by part: take what it writes; run it; then drop all that it wrote but its last,
 *              the cut. The last part keeps everything: its backward pass comes next.
 *   loss
 *   backward   from the last part to the first: except for the last part, take what was dropped
 *              a second time and run the part again; the backward pass; drop all that the part
 *              wrote, the cut too.
 *
 * In the end nothing has memory. One part: an ordinary pass, with nothing computed twice. */
void recompute(const Passes *p, const int *cut, int parts)
{
    TODO("forward part by part, keep the cuts; loss; backward part by part, computed again first");
}
