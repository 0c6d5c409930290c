/* own_layers.h: the library's device, with your functions in the place of three of its operations:
 * a network made on it computes attention, and the gradients of attention and layer norm, by
 * exercises 10a to 10c, a head and a position at a time.
 */
#ifndef OWN_LAYERS_H
#define OWN_LAYERS_H
#include "backend.h"

/* Which of them are written; the library's stay in the place of the others. */
typedef struct OwnLayers {
    bool attention, softmax, layernorm; /* 10a; 10b, needs 10a, too; 10c */
} OwnLayers;

/* be's operations become these, until own_layers_off(). A CPU with --precision fp32. */
void own_layers_on(Backend *be, OwnLayers which);
void own_layers_off(Backend *be);

/* From now on each pass through attention leaves the probabilities of its first sample, p [heads,
 * T, T], in maps [layers, heads, T, T], layer by layer; NULL: no more. */
void own_layers_watch(float *maps);
#endif
