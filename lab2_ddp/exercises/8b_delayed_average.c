/* 8b_delayed_average.c: exercise: an average that comes late. */
#include "check.h"
#include "lab2.h"

/* Average without waiting. At some update a rank keeps a copy of its weights, `sent`, and starts
 * the all-reduce; it goes on with its own updates while the messages are in flight. Later `mean` is
 * here: the mean over the ranks of what they sent. By then the weights w have moved on.
 *
 * Put the mean in the place of what was sent, and keep the way that w has gone since: change w so
 * that the rank stands, relative to `mean`, where it stood relative to `sent`. All are [n]; sent
 * and mean stay as they are. (Delayed averaging, as in DaSGD: Zhou et al., arXiv 2006.00441.) */
void delayed_average(float *w, const float *sent, const float *mean, int n)
{
    TODO("the mean in the place of what was sent; the way since then stays");
}
