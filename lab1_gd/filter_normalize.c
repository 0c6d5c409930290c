/* filter_normalize.c: exercise: directions that mean the same in every network. Contract: lab1.h. */
#include "check.h"
#include "lab1.h"

void filter_normalize(float *d, const float *w, int filters, int size)
{
    (void)d, (void)w, (void)filters, (void)size;
    TODO("scale each filter of d to the length of the same filter of w");
}
