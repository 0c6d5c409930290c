/* 5c_batch_warm_up.c: exercise: a batch that begins small. */
#include "check.h"
#include "lab3.h"

/* Early gradients agree with one another, so a small batch is enough, and gives more updates;
 * later it takes a large one (the critical batch size grows: Merrill et al., arXiv 2505.23971).
 * The batch after a `share` of the training's images, 0 <= share <= 1: in the first half of the
 * training it doubles, from `small`, until it is `large`; in the second half it is `large`.
 *
 * The sizes before `large` are small, 2 small, 4 small …, as long as they are below it. There are
 * d of them, and each takes an equal part of the first half: a share of 0.5 / d of the images. At
 * the share where one ends, the next one holds: number 2 d share, rounded down, counted from 0.
 * With small 32 and large 256: 32, 64, 128 for a sixth of the images each, then 256. small =
 * large: always large. */
int batch_warm_up(int small, int large, double share)
{
    TODO("count the sizes below large; which of them is at this share?");
}
