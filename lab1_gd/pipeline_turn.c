/* pipeline_turn.c: exercise: whose turn it is in a pipeline. Contract: lab1.h. */
#include "check.h"
#include "lab1.h"

Turn pipeline_turn(int stage, int stages, int micro_batches, int tick)
{
    (void)stage, (void)stages, (void)micro_batches, (void)tick;
    TODO("which micro-batch this stage works on at this tick, forward or backward; micro = -1: none");
}
