/* trace.h: the timeline of a run, as a file that opens in ui.perfetto.dev or chrome://tracing
 * (Trace Event Format, JSON).
 *
 * A span is a named stretch of time on one track of one rank: forward, backward, all-reduce, update
 * … Recording a span costs two clock reads and no allocation: the table is made when the trace is
 * opened; when it is full the rest is counted and dropped. Every function takes a NULL trace and
 * does nothing. Any thread may record; spans of one track must follow each other or nest, so give
 * each thread a track of its own.
 */
#ifndef TRACE_H
#define TRACE_H
#include "comm.h"

typedef struct Trace Trace;
enum { TRACE_TRACKS = 16 };
Trace *trace_new(int spans); /* room for so many spans; 32 bytes each */
void trace_free(Trace *t);
double trace_begin(Trace *t); /* the start of a span: keep it */
/* Its end. name: a string constant; track 0 compute, 1 comm, 2 data, … */
void trace_end(Trace *t, const char *name, int track, double began);
void trace_track(Trace *t, int track, const char *name); /* its name in the picture, a string
                                                          * constant */
/* Gather all ranks' spans on rank 0, which writes them (process = rank, clocks aligned by a
 * barrier) to path by a temporary name; a failure ends the run. Collective: all ranks have a trace,
 * or none. */
void trace_write(Trace *t, Comm *c, const char *path);
#endif
