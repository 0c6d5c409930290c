/* sparse_message.h: what sparse_delta (exercise 8d) chose of a vector, as bytes to send.
 *
 * Of each chunk of SPARSE_CHUNK elements `keep` are sent. With 2 bits: the largest magnitude m as a
 * float, then 16 bits each: 12 for the position, 2 for the value, ±m or ±m/2. Else 16 bits and a
 * float each. (SparseLoCo packs the positions tighter.)
 */
#ifndef SPARSE_MESSAGE_H
#define SPARSE_MESSAGE_H
#include "comm.h"

typedef struct SparseMessage SparseMessage;
SparseMessage *sparse_message_new(Backend *be, int n, int keep, bool two_bits, int ranks);
void sparse_message_free(SparseMessage *s); /* NULL is fine */
/* This rank's vector delta [n]; residual [n] as in sparse_delta. */
void sparse_message_pack(SparseMessage *s, float *residual, const float *delta, double decay);
/* Adds the mean over the ranks of what they packed to sum [n], the same bits on every rank. Returns
 * the bytes that this rank sent: its own part, P - 1 times. */
double sparse_message_exchange(SparseMessage *s, Comm *c, Stream *stream, float *sum);
#endif
