/* trace.h: the timeline of a run, as a file that opens in ui.perfetto.dev or chrome://tracing
 * (Trace Event Format, JSON).
 *
 * A span is a named interval on one track of one rank: forward, backward, all-reduce, update …
 * Recording a span costs two clock reads and no allocation: trace_new allocates the table; when it
 * is full, further spans are counted and dropped. With a NULL trace every function does nothing.
 * Any thread may record; spans of one track must follow each other or nest, so give each thread its
 * own track.
 */
#ifndef TRACE_H
#define TRACE_H
#include "comm.h"

typedef struct Trace Trace;
enum { TRACE_TRACKS = 16 };
Trace *trace_new(int spans); /* room for `spans` spans of 32 bytes */
void trace_free(Trace *t);
double trace_begin(Trace *t); /* the start of a span, for trace_end */
/* The end of a span. name: a string constant; track 0 compute, 1 comm, 2 data, … */
void trace_end(Trace *t, const char *name, int track, double began);
/* Name a track; name: a string constant. */
void trace_track(Trace *t, int track, const char *name);
/* Gather all ranks' spans on rank 0, which writes them to path, atomically (process = rank, clocks
 * aligned by a barrier); a failure ends the run. Collective: all ranks have a trace, or none. */
void trace_write(Trace *t, Comm *c, const char *path);
#endif
