/* 7g_sparse_add.c: exercise: the sum of two sparse vectors, while that is the shorter way. */
#include "check.h"
#include "lab2.h"

/* *sum = *x + *y: the elements that either has, in ascending order of their indices, each once: an
 * index that both have gets the sum of the two values, even where that is 0. Both x and y are
 * ascending, so one walk along both of them is enough. sum is neither of them. Return true.
 *
 * If that takes more than `most` elements, for which sum has room, return false; what is in sum
 * then does not matter. (`most` of them are fine.) An element takes 8 bytes, index and value, a
 * dense vector's 4: a sparse sum of more than half of the elements is longer than the dense one,
 * and all-reduces that sum up sparse vectors must then switch.
 *
 * Renggli et al., SparCML, arXiv 1802.08021. */
bool sparse_add(Sparse *sum, const Sparse *x, const Sparse *y, int most)
{
    TODO("as long as x or y has elements left, append the one with the lower index, or both");
}
