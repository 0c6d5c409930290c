/* link_ranks.h: what tests of link.h share. */
#ifndef LINK_RANKS_H
#define LINK_RANKS_H

/* MPI on this link and clock (link_choose); this process's rank, of P. */
void link_ranks_begin(const char *link, const char *clock, int *rank, int *P);
/* Seconds of this thread's own processor time. */
void burn(double seconds);
#endif
