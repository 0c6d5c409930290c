/* 9a_pipeline_turn.c: exercise: whose turn is it in a pipeline? */
#include "check.h"
#include "lab1.h"

/* What does stage `stage` of `stages` do at clock tick `tick`, when the batch is cut into
 * `micro_batches` micro-batches (GPipe, Huang et al., arXiv 1811.06965)? The whole schedule takes
 * 2 (micro_batches + stages - 1) ticks, one micro-batch per stage and tick:
 *     first half    forward: stage 0 takes micro-batch 0 at tick 0, micro-batch 1 at tick 1, …;
 *                   each moves to the next stage at the next tick
 *     second half   backward: the last stage starts, with the last micro-batch, then the one
 *                   before it, down to 0; each moves to the previous stage at the next tick
 * Return the micro-batch and the direction. At all other ticks, also before tick 0 and after the
 * end, the stage is idle (the bubble): return micro = -1, backward = false. */
Turn pipeline_turn(int stage, int stages, int micro_batches, int tick)
{
    TODO("which micro-batch this stage works on at this tick, forward or backward; micro = -1: "
         "idle");
}
