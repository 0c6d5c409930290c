/* comm_watch.h: a second pair of eyes on a library that works on a device by itself (NCCL).
 *
 * There a collective is a kernel that waits for the other ranks' kernels. When one of them is gone
 * it waits for ever, and the host with it, in whatever call waits for the stream. So threads of its
 * own look, ten times a second, what the library says and whether the work ends in time; when it
 * does not, they end the run through die(), with one message. Nothing is cleaned up: the process's
 * end takes down what is under way.
 */
#ifndef COMM_WATCH_H
#define COMM_WATCH_H
#include <stdbool.h>
#include <stddef.h>

typedef struct Watch Watch;

typedef struct WatchCalls {       /* all are called on one thread of the watch; each may hang */
    void (*begin)(void *context); /* once, before the others; may be NULL */
    bool (*idle)(void *context);  /* is all that was queued done? */
    const char *(*failure)(void *context); /* the library's words for what went wrong; NULL:
                                            * nothing */
} WatchCalls;

/* library: its name, for the messages; borrowed, as are calls and context. rank: of this process;
 * when several ranks see the same failure, the lowest one says it. */
Watch *watch_new(const WatchCalls *calls, void *context, const char *library, int rank);
void watch_free(Watch *w); /* NULL is fine */

/* A call of the library begins: `what` ("all-reduce") of so many `things` ("numbers"). From now
 * until the work is done, or the next call begins, `seconds` may pass. When it returns, a look that
 * had begun before is over: the stream may be recorded into a graph, and what failure() was looking
 * at may go. */
void watch_call(Watch *w, const char *what, size_t count, const char *things, double seconds);
/* The call has returned, its work is queued. recorded: into a graph, for later: nothing is to be
 * waited for, and idle() must not be asked before the next call. */
void watch_queued(Watch *w, bool recorded);
#endif
