/* overhear.h: hear of each call of MPI's point-to-point functions that this rank makes. */
#ifndef OVERHEAR_H
#define OVERHEAR_H

/* to: the rank in its communicator to which a message of `bytes` bytes at `data` is sent; -1: the
 * call sends nothing. Heard before the call does anything. */
typedef void Overheard(void *context, int to, const void *data, double bytes);
void overhear_begin(Overheard *heard, void *context);
void overhear_end(void);
#endif
