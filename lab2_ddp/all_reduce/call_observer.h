/* call_observer.h: observe this rank's calls of MPI's point-to-point functions. */
#ifndef CALL_OBSERVER_H
#define CALL_OBSERVER_H

/* to: the rank in its communicator to which a message of `bytes` bytes at `data` is sent; -1: the
 * call sends nothing. Called before MPI's function. */
typedef void CallObserver(void *context, int to, const void *data, double bytes);
void call_observer_begin(CallObserver *observe, void *context);
void call_observer_end(void);
#endif
