/* link_ranks.h: the start of the tests of link.h that run on several ranks. */
#ifndef LINK_RANKS_H
#define LINK_RANKS_H

/* MPI on this link and clock (link_choose); this process's rank, of P. */
void link_ranks_begin(const char *link, const char *clock, int *rank, int *P);
#endif
