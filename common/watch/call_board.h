/* call_board.h: the watch: who is in which call, known to all ranks of a machine, so that a run
 * that hangs can say why.
 *
 * Each rank writes its MPI calls on a board in memory that the ranks of one machine share: the
 * kind, the size, the line of the source. Three things come of it:
 *   - of two ranks whose collectives do not match, the later one says so before MPI mixes their
 *     messages up (or hangs), with both lines of source;
 *   - a thread per rank ends the run with an explanation if a rank waits for one that has left; if
 *     all ranks wait and none gets anywhere (5 s; LABS_COMM_SECONDS, default 600, if one polls); or
 *     in a collective for one that completes no call for LABS_COMM_SECONDS (0: never);
 *   - on SIGQUIT (kill -QUIT, of any rank) it prints where all ranks are, and the run goes on.
 *
 * The ranks of another machine are not on this one's board. A process that is stopped, polls or
 * computes forever, is named as such.
 */
#ifndef CALL_BOARD_H
#define CALL_BOARD_H
#include "mpi_call.h"

/* After MPI_Init, before MPI_Finalize; all ranks call them. Without a board (one rank, no shared
 * memory) the rest does nothing. */
void board_open(void);
void board_close(void);
/* In between: the thread that looks at the board. */
void call_watch_begin(void);
void call_watch_end(void);

/* Around each call. call_begin ends the run (exit 1) if it does not match another rank's. */
void call_begin(const Call *call);
void call_end(const Call *call);
/* A test of requests or messages, which never waits. One that completes nothing gets nowhere: a
 * loop of them looks like a rank that computes. */
void call_polls(const Call *call, bool completes);
/* This rank gets somewhere. */
void board_alive(void);

/* LABS_COMM_SECONDS, or 600; INFINITY if it is 0. A bad value ends the run (exit 2). */
double board_patience(void);

/* The next call is made for this function ("comm_all_reduce"), called from this address; NULL,
 * NULL: no longer. In comm.c, whose callers are what a student wants to see. */
void call_for(const char *name, const void *site);
#endif
