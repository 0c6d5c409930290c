/* 9a_pipeline_turn.c: whose turn is it in a pipeline? Backward mirrors forward: the last stage and
 * the last micro-batch come first. */
#include "lab1.h"

Turn pipeline_turn(int stage, int stages, int micro_batches, int tick)
{
    int half = micro_batches + stages - 1;
    bool backward = tick >= half;
    int micro = backward ? micro_batches - 1 - (tick - half - (stages - 1 - stage)) : tick - stage;
    if (micro < 0 || micro >= micro_batches)
        return (Turn){.micro = -1};
    return (Turn){micro, backward};
}
