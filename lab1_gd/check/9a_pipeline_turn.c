/* 9a_pipeline_turn.c: the check of pipeline_turn: each micro-batch once in each direction, at its
 * tick. */
#include "check.h"
#include "exercise.h"
#include "lab1.h"
#include <math.h>

typedef struct Asked {
    int stage, stages, micro_batches, tick;
} Asked;

/* When a stage works on a micro-batch. */
typedef int When(const Asked *a, int micro);
static int half(const Asked *a) { return a->micro_batches + a->stages - 1; }
static int forward(const Asked *a, int micro) { return a->stage + micro; }
static int backward(const Asked *a, int micro)
{
    return half(a) + (a->stages - 1 - a->stage) + (a->micro_batches - 1 - micro);
}
static int together(const Asked *a, int micro) { return micro; }
static int stages_turned(const Asked *a, int micro) { return a->stages - 1 - a->stage + micro; }
static int same_order(const Asked *a, int micro)
{
    return half(a) + (a->stages - 1 - a->stage) + micro;
}
static int from_first_stage(const Asked *a, int micro)
{
    return half(a) + a->stage + (a->micro_batches - 1 - micro);
}
static int forward_again(const Asked *a, int micro) { return half(a) + a->stage + micro; }
static int back_together(const Asked *a, int micro)
{
    return half(a) + (a->micro_batches - 1 - micro);
}
static int back_late(const Asked *a, int micro) { return backward(a, micro) + 1; }
static int back_early(const Asked *a, int micro) { return backward(a, micro) - 1; }
static int never(const Asked *a, int micro) { return -1000; }
static int one_later(const Asked *a, int micro) { return a->stage + micro + 1; }
static int one_by_one(const Asked *a, int micro) { return a->stage + micro * a->stages; }

static int one_by_one_back(const Asked *a, int micro)
{
    return a->micro_batches * a->stages + (a->stages - 1 - a->stage) +
           (a->micro_batches - 1 - micro) * a->stages;
}
static int one_after_another(const Asked *a, int micro) { return a->stage + 2 * micro * a->stages; }
static int one_after_another_back(const Asked *a, int micro)
{
    return 2 * micro * a->stages + 2 * a->stages - 1 - a->stage;
}
static int alternating(const Asked *a, int micro)
{
    return a->stage + (micro < a->stages - a->stage ? micro : 2 * micro);
}
static int alternating_back(const Asked *a, int micro)
{
    return 2 * a->stages - 1 - a->stage + 2 * micro;
}
static int added(const Asked *a, int micro) { return micro - a->stage; }

/* The micro-batch whose tick this is; as a schedule would give it. */
static void turn(double *out, const Asked *a, When *ahead, When *back)
{
    out[0] = -1;
    out[1] = 0;
    for (int m = 0; m < a->micro_batches; m++) {
        if (ahead(a, m) == a->tick)
            out[0] = m;
        if (back(a, m) == a->tick) {
            out[0] = m;
            out[1] = 1;
        }
    }
}

#define MISTAKE(name, ahead, back) \
    static void name(double *out, const double *right, const void *asked) \
    { \
        turn(out, asked, ahead, back); \
    }
MISTAKE(not_mirrored, forward, same_order)
MISTAKE(stages_not_mirrored, forward, from_first_stage)
MISTAKE(neither_mirrored, forward, forward_again)
MISTAKE(all_stages_at_once, together, backward)
MISTAKE(all_at_once, together, back_together)
MISTAKE(back_at_once, forward, back_together)
MISTAKE(ahead_turned, stages_turned, backward)
MISTAKE(late, forward, back_late)
MISTAKE(early, forward, back_early)
MISTAKE(forward_only, forward, never)
MISTAKE(backward_only, never, backward)
MISTAKE(from_one, one_later, backward)
MISTAKE(naive, one_by_one, never)
MISTAKE(naive_both, one_by_one, one_by_one_back)
MISTAKE(naive_in_turn, one_after_another, one_after_another_back)
MISTAKE(one_ahead_one_back, alternating, alternating_back)
MISTAKE(stage_added, added, backward)

/* What it does when it works is right, but for … */
static void backward_unset(double *out, const double *right, const void *asked)
{
    out[0] = right[0];
    out[1] = 0;
}
static void turned(double *out, const double *right, const void *asked)
{
    out[0] = right[0];
    out[1] = right[0] < 0 ? 0 : !right[1];
}
static void idle_backward(double *out, const double *right, const void *asked)
{
    const Asked *a = asked;
    out[0] = right[0];
    out[1] = a->tick >= half(a);
}
static void from_micro_one(double *out, const double *right, const void *asked)
{
    out[0] = right[0] < 0 ? NAN : right[0] + 1;
    out[1] = right[1];
}
static void any_when_idle(double *out, const double *right, const void *asked)
{
    out[0] = right[0] < 0 ? NAN : right[0];
    out[1] = right[0] < 0 ? NAN : right[1];
}
static void before_start(double *out, const double *right, const void *asked)
{
    const Asked *a = asked;
    bool early = a->tick < a->stage;
    out[0] = early ? NAN : right[0];
    out[1] = early ? NAN : right[1];
}

static const Mistake mistakes[] = {
    {"backward takes the micro-batches in the order of forward: the last one comes first",
     not_mirrored},
    {"backward starts at stage 0: the last stage starts, and each hands on to the one before it",
     stages_not_mirrored},
    {"backward is forward once more: the last stage and the last micro-batch come first",
     neither_mirrored},
    {"forward has all stages start at once: each starts a tick after the one before it",
     all_stages_at_once},
    {"all stages start at once: each needs what its neighbour did a tick before", all_at_once},
    {"backward has all stages start at once: each starts a tick after the next one", back_at_once},
    {"forward starts at the last stage: stage 0 takes micro-batch 0 at tick 0", ahead_turned},
    {"off by one: backward comes a tick late; it starts at tick micro_batches + stages − 1", late},
    {"off by one: backward comes a tick early; it starts at tick micro_batches + stages − 1",
     early},
    {"backward is missing: the second half of the schedule is idle", forward_only},
    {"forward is missing: the first half of the schedule is idle", backward_only},
    {"off by one: forward comes a tick late; stage 0 starts at tick 0", from_one},
    {"one micro-batch at a time: stage 0 takes the next one at the next tick", naive},
    {"one micro-batch at a time: stage 0 takes the next one at the next tick", naive_both},
    {"one micro-batch at a time: stage 0 takes the next one at the next tick", naive_in_turn},
    {"forward and backward alternate (1F1B, which saves memory): here all go forward first",
     one_ahead_one_back},
    {"the stage is added to the tick: micro-batch m comes to it at tick stage + m", stage_added},
    {"`backward` is never true: set it in the second half", backward_unset},
    {"`backward` is the wrong way round: true in the second half", turned},
    {"`backward` is true where the stage is idle in the second half: it is false there",
     idle_backward},
    {"micro-batches count from 0, not from 1", from_micro_one},
    {"before its first micro-batch a stage is idle: micro = -1, backward = false", before_start},
    {"the idle ticks are wrong: a number below 0, or micro_batches and more, is micro = -1, "
     "backward = false",
     any_when_idle},
    {0}};

static void judge(void *unused)
{
    enum { MOST = 2048 };
    static Asked asked[MOST];
    static ExerciseCase cases[MOST];
    int n = 0;
    for (int S = 1; S <= 5; S++)
        for (int M = 1; M <= 8; M += M < 4 ? 1 : 2)
            for (int s = 0; s < S; s++)
                for (int t = -2; t < 2 * (M + S - 1) + 2; t++, n++) {
                    ASSERT(n < MOST);
                    asked[n] = (Asked){s, S, M, t};
                    ExerciseCase *c = &cases[n];
                    *c = (ExerciseCase){.asked = &asked[n]};
                    turn(c->right, &asked[n], forward, backward);
                    Turn given = pipeline_turn(s, S, M, t);
                    c->found[0] = given.micro;
                    c->found[1] = given.backward;
                    exercise_tell(c, "stage %d of %d, %d micro-batches, tick %d", s, S, M, t);
                }
    exercise_judge(&(ExerciseQuestion){.names = {"micro", "backward"}, .mistakes = mistakes}, cases,
                   n);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "pipeline_turn", 5,
                          "each stage's micro-batch at every tick; idle elsewhere", judge);
}
