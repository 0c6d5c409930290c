/* 10f_activation_bytes.c: exercise: the memory of activations, if most are computed twice. */
#include "check.h"
#include "lab2.h"

/* A network has L layers; layer i reads activation i and writes activation i + 1, of bytes[i + 1]
 * bytes. Activation 0 is the batch of images, which does not count. The backward pass through a
 * layer needs what the layer read and wrote; so an ordinary pass keeps all: bytes[1] + … +
 * bytes[L].
 *
 * Activation checkpointing cuts the layers into parts: part k is layers cut[k] … cut[k + 1] - 1,
 * with cut[0] = 0 and cut[parts] = L. In the forward pass only the activations at the cuts are
 * kept; in the backward pass each part's forward pass runs again, just before its backward pass
 * (10g).
 *
 * While part k runs, in either pass, these are in memory: all activations that it writes,
 * cut[k] + 1 … cut[k + 1], and those kept at the cuts before it, activations number cut[1], cut[2],
 * …, cut[k]. (Those after it are freed already, or not computed yet.) Return the bytes of the part
 * that needs the most. bytes has L + 1 elements, 0 … L, and cut has parts + 1.
 * Chen et al., "Training deep nets with sublinear memory cost", 2016 (arXiv 1604.06174). */
double activation_bytes(const double *bytes, const int *cut, int parts)
{
    TODO("for each part what it writes and what the cuts before it keep; the most of these");
}
