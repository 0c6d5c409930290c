/* 8a_local_due.c: exercise: when do the ranks average their weights? */
#include "check.h"
#include "lab2.h"

/* Each rank makes `steps` updates of its own weights, and from time to time all ranks replace them
 * by their average (local SGD: Stich, arXiv 1805.09767). Called after each update; `step` of them
 * are made, 1 … steps. True means "average now":
 *
 *   - after each of the first `plain` updates: training starts as usual (post-local SGD, Lin et
 *     al., arXiv 1808.07217);
 *   - then after every `every` updates, counted from there: plain + every, plain + 2 every, …;
 *   - after the last one, step == steps, in any case: all ranks end with the same network.
 *
 * steps >= 1, every >= 1, plain >= 0; `every` may be more than steps. Each rank calls this by
 * itself, and all must get the same answer: it depends on the arguments alone. */
bool local_due(int64_t step, int64_t steps, int64_t every, int64_t plain)
{
    TODO("three cases: the beginning, every so often, the end");
}
