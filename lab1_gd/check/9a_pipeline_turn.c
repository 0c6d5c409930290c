/* 9a_pipeline_turn.c: the check of pipeline_turn: each micro-batch once in each direction, at its
 * tick. */
#include "exercise.h"
#include "lab1.h"

/* When stage s works on micro-batch m: its only tick in this direction. */
static int tick_of(int stage, int S, int M, int micro, bool backward)
{
    int found = -1, last = 2 * (M + S - 1);
    for (int t = 0; t < last; t++) {
        Turn turn = pipeline_turn(stage, S, M, t);
        WRONG_UNLESS(turn.micro >= -1 && turn.micro < M,
                     "stage %d of %d, %d micro-batches, tick %d: micro-batch %d", stage, S, M, t,
                     turn.micro);
        if (turn.micro != micro || turn.backward != backward)
            continue;
        WRONG_UNLESS(found < 0, "stage %d of %d does micro-batch %d %s twice, at ticks %d and %d",
                     stage, S, micro, backward ? "backward" : "forward", found, t);
        found = t;
    }
    WRONG_UNLESS(found >= 0, "stage %d of %d with %d micro-batches never does micro-batch %d %s",
                 stage, S, M, micro, backward ? "backward" : "forward");
    return found;
}

static void judge_pipeline(int S, int M)
{
    for (int s = 0; s < S; s++)
        for (int m = 0; m < M; m++) {
            int forward = tick_of(s, S, M, m, false), backward = tick_of(s, S, M, m, true);
            int expected = s + m, expected_back = M + S - 1 + (S - 1 - s) + (M - 1 - m);
            WRONG_UNLESS(
                forward == expected,
                "stage %d of %d, %d micro-batches: micro-batch %d forward at tick %d, expected %d",
                s, S, M, m, forward, expected);
            WRONG_UNLESS(
                backward == expected_back,
                "stage %d of %d, %d micro-batches: micro-batch %d backward at tick %d, expected %d",
                s, S, M, m, backward, expected_back);
        }
    for (int s = 0; s < S; s++)
        for (int t = -2; t < 2 * (M + S - 1) + 2; t += t == -1 ? 2 * (M + S - 1) + 1 : 1)
            WRONG_UNLESS(pipeline_turn(s, S, M, t).micro == -1,
                         "stage %d of %d, %d micro-batches: busy at tick %d, outside the schedule",
                         s, S, M, t);
}

static void judge(void *unused)
{
    judge_pipeline(1, 1);
    judge_pipeline(2, 1);
    for (int S = 1; S <= 5; S++)
        for (int M = 1; M <= 8; M++)
            judge_pipeline(S, M);
}

int main(int argc, char **argv)
{
    return exercise_check(
        argc, argv, "pipeline_turn", 5,
        "each stage's micro-batch at every tick, forward and backward; idle elsewhere", judge);
}
