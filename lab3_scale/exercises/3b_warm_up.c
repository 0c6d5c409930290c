/* 3b_warm_up.c: exercise: a learning rate that begins small. */
#include "check.h"
#include "lab3.h"

/* The rate of update number `update` = 0, 1, 2 …, where the first `updates` ones are the warm-up:
 * it is `from` at update 0, grows by the same increment from one update to the next, reaches `to`
 * at update number `updates`, and stays there, as the trainers' own does (common/schedule.h).
 * updates 0: no warm-up. `from` may be above `to`.
 * Large rates do most harm at the start, when the weights are random and the gradient's direction
 * changes most from one update to the next (Goyal et al., arXiv 1706.02677, section 2.2). */
double warm_up(double from, double to, int64_t update, int64_t updates)
{
    TODO("from + the increment times update; to from update number `updates` on");
}
