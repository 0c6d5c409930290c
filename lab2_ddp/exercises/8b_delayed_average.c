/* 8b_delayed_average.c: exercise: an average that comes late. */
#include "check.h"
#include "lab2.h"

/* Average without waiting. At some update a rank keeps a copy of its weights, `sent`, and starts
 * the all-reduce; it continues its own updates while the messages are in flight. When they are
 * done, `mean` is the mean over the ranks of what they sent, and the weights w have changed
 * meanwhile.
 *
 * Replace what was sent by the mean, and keep the change of w since: w - mean afterwards is what
 * w - sent was before. All are [n]; sent and mean stay as they are.
 * (Delayed averaging, as in DaSGD: Zhou et al., arXiv 2006.00441.) */
void delayed_average(float *w, const float *sent, const float *mean, int n)
{
    TODO("the mean in place of what was sent; keep the change since then");
}
