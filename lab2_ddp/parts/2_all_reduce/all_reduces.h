/* all_reduces.h: the all-reduces of part 2: the five exercises, MPI's own beside them, and what is
 * still to be written.
 */
#ifndef ALL_REDUCES_H
#define ALL_REDUCES_H
#include "comm.h"
#include "lab2.h"

enum { MPI_S_OWN = ALL_REDUCES, COMPARED };

typedef struct AllReduceKind {
    const char *name;     /* "halving and doubling" */
    const char *exercise; /* for exercise_missing(); "": MPI's */
    AllReduce *call;
} AllReduceKind;
extern const AllReduceKind all_reduces[COMPARED];

#define SECONDS_EXERCISE "2f_all_reduce_seconds"
/* The lines of the exercises that are not written, and how many they are. */
int all_reduces_missing(const char *lines[ALL_REDUCES + 1]);
#endif
