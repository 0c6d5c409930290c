/* all_reduces.h: the all-reduces of part 2: the five exercises, MPI's own beside them, and what is
 * still to be written.
 */
#ifndef ALL_REDUCES_H
#define ALL_REDUCES_H
#include "comm.h"
#include "lab2.h"

enum { MPI_S_OWN = ALL_REDUCES, COMPARED };

typedef struct AllReduceKind {
    const char *name; /* "halving and doubling" */
    const char *file; /* of the exercise; NULL: MPI's */
    AllReduce *call;
} AllReduceKind;
extern const AllReduceKind all_reduces[COMPARED];

typedef struct Written {
    bool call[COMPARED], seconds;     /* which exercises are written; seconds: 2f */
    int missing;                      /* how many are not */
    char to_do[ALL_REDUCES + 1][200]; /* their lines */
} Written;

/* Try them, on rank 0; before MPI is started. */
Written written_now(void);
/* What rank 0 found, on every rank. */
void written_share(Written *w, Comm *c);
#endif
