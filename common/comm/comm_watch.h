/* comm_watch.h: a watchdog for a library that works asynchronously on a device (NCCL).
 *
 * There a collective is a kernel that waits for the other ranks' kernels. When one of them is gone
 * it hangs, and so does the host, in any call that waits for the stream. So two threads check, ten
 * times a second, for the library's errors and whether the work ends in time; else they end the run
 * through die(), with one message. Nothing is cleaned up: the end of the process stops the work in
 * flight.
 */
#ifndef COMM_WATCH_H
#define COMM_WATCH_H
#include <stdbool.h>
#include <stddef.h>

typedef struct Watch Watch;

typedef struct WatchCalls {                /* all are called on one of its threads; each may hang */
    void (*begin)(void *context);          /* once, before the others; may be NULL */
    bool (*idle)(void *context);           /* is all queued work done? */
    const char *(*failure)(void *context); /* the library's error message; NULL: none */
} WatchCalls;

/* library: its name, for the messages; borrowed, as are calls and context. rank: of this process;
 * when several ranks see the same failure, the lowest one prints it. */
Watch *watch_new(const WatchCalls *calls, void *context, const char *library, int rank);
void watch_free(Watch *w); /* NULL is fine */

/* A call of the library begins: `what` ("all-reduce") of `count` `things` ("elements"). Its work
 * may take `seconds`, or until the next call. On return no check is running: the data that
 * failure() reads may be freed. */
void watch_call(Watch *w, const char *what, size_t count, const char *things, double seconds);
void watch_queued(Watch *w); /* the call has returned, its work is queued */
#endif
