/* call_board.h: the watch: explains why a run hangs.
 *
 * Each rank writes its MPI calls (kind, size, line of source) on a board in memory that the ranks
 * of one machine share:
 *   - of two ranks whose collectives do not match, the later one ends the run with both lines of
 *     source, before MPI mixes up their messages or hangs;
 *   - a thread per rank ends the run with an explanation if a rank waits for one that has left; if
 *     all ranks wait without progress (5 s; LABS_COMM_SECONDS, default 600, if one polls); or in
 *     a collective for one that completes no call for LABS_COMM_SECONDS (0: never);
 *   - on SIGQUIT (kill -QUIT, of any rank) it prints where all ranks are, and the run continues.
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
/* In between: start and stop the thread that reads the board. */
void call_watch_begin(void);
void call_watch_end(void);

/* Around each call. call_begin ends the run (exit 1) if it does not match another rank's. */
void call_begin(const Call *call);
void call_end(const Call *call);
/* A test of requests or messages, which never waits. One that completes nothing is no progress. */
void call_polls(const Call *call, bool completes);
/* This rank makes progress. */
void board_alive(void);

/* The call that this rank is in, or was in last: "MPI_Send of 8 float to rank 4, tag 0
 * (ring.c:31)"; a new string. NULL: unknown. */
char *board_call(void);

/* LABS_COMM_SECONDS, or 600; INFINITY if it is 0. A bad value ends the run (exit 2). */
double board_patience(void);

/* comm.c: the next call is made for this function ("comm_all_reduce"), called from this address,
 * which is the one that a student wants to see. NULL, NULL: no longer. */
void call_for(const char *name, const void *site);
#endif
