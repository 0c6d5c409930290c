/* played_ranks.h: part 12's exercises on P ranks of one process: each rank runs until it makes a
 * call, and goes on when all have made it. So calls that do not match are found at once, and the
 * check can say which.
 */
#ifndef PLAYED_RANKS_H
#define PLAYED_RANKS_H
#include "lab2.h"

enum { PLAYED_RANKS = 4 };
#define PLAYED_BEHIND (-8888.5f) /* what stands behind an array */

/* What one rank does. s->rank says which it is. */
typedef void PlayedRank(Split *s, void *context);
/* Runs it on P ranks; exercise_wrong() where their calls differ. where: "P = 2" for that. */
void played_run(int P, PlayedRank *rank, void *context, const char *where);
/* The calls that rank 0 made in it, each kind a digit, in order: 1 all-reduce, 2 reduce-scatter,
 * 3 all-gather, 4 pass on; of 10 or more the first nine. */
double played_calls(void);
/* Numbers in [-1, 1) that look random: the i-th of array `array`. */
float played_number(int array, int i);
#endif
