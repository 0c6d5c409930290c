/* 9a_pipeline_turn.c: exercise: whose turn it is in a pipeline. */
#include "check.h"
#include "lab1.h"

/* What stage `stage` of `stages` does at clock tick `tick` when the batch comes in `micro_batches`
 * pieces (GPipe, Huang et al., arXiv 1811.06965). All of it takes 2 (micro_batches + stages - 1)
 * ticks:
 *   first half   forward: stage 0 takes micro-batch 0 at tick 0, 1 at tick 1 …; each goes to the
 *                next stage at the next tick;
 *   second half  backward: the last stage begins, with the last micro-batch; then the one before
 *                it, down to 0; each goes to the stage before at the next tick.
 * At any other tick, before 0 and after the end too, the stage is idle: the bubble. */
Turn pipeline_turn(int stage, int stages, int micro_batches, int tick)
{
    TODO("which micro-batch this stage works on at this tick, forward or backward; micro = -1: "
         "none");
}
