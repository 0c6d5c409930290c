/* 10a_rank_costs.c: the check of rank_costs: against element after element, and what a wrong figure
 * may come from. */
#include "exercise.h"
#include "lab2.h"
#include <math.h>
#include <stdio.h>

enum { UNITS = 4 };
static const int count[UNITS] = {1000, 7, 530, 12};

/* Of one figure: expected; and figures that a mistake gives, NaN: none. */
typedef struct Figure {
    double expected, unpadded, without_layer, other_stage;
    const char *stage_hint;
} Figure;

static double shards(int P, bool padded)
{
    double sum = 0;
    for (int i = 0; i < UNITS; i++)
        sum += padded ? (count[i] + P - 1) / P : (double)count[i] / P;
    return sum;
}

static void expect(const char *what, ZeroStage stage, int P, int micro, double found, Figure f)
{
    double x = f.expected;
    if (fabs(found - x) <= 1e-6 * x + 1e-9)
        return;
    const char *hint = "";
    if (fabs(found - x / 4) < 1e-6 * x)
        hint = ": are that elements? One has 4 bytes";
    else if (fabs(found - f.unpadded) < 1e-6 * x)
        hint = ": is the padding missing? All shards are rounded up, and the whole is P * each";
    else if (fabs(found - f.without_layer) < 1e-6 * x)
        hint = ": is the one layer missing that is whole?";
    else if (fabs(found - f.other_stage) < 1e-6 * x)
        hint = f.stage_hint;
    exercise_wrong(
        "stage %d, P = %d, %d micro-batch%s, layers of 1000, 7, 530, 12: %s: %.10g bytes, "
        "expected %.10g%s",
        stage, P, micro, micro == 1 ? "" : "es", what, found, x, hint);
}

static void judge_one(ZeroStage stage, int P, int states, int micro)
{
    double n = 1549, each = stage < ZERO_2 ? ceil(n / P) : shards(P, true);
    double layer = P * ceil(1000.0 / P), whole = stage == ZERO_0 ? n : P * each;
    double cut = stage < ZERO_2 ? n / P : shards(P, false), one = 4 * whole * (P - 1) / P;
    double times = stage < ZERO_2 ? 2 : stage == ZERO_2 ? micro + 1 : 3 * micro;
    RankCosts c = rank_costs(stage, P, count, UNITS, states, micro);
    bool sharded_params = stage == ZERO_3, sharded_grads = stage >= ZERO_2;
    expect("parameters", stage, P, micro, c.params,
           (Figure){4 * (sharded_params ? each + layer : whole),
                    4 * (sharded_params ? cut + 1000 : n), sharded_params ? 4 * each : NAN,
                    sharded_params ? 4 * whole : 4 * each,
                    sharded_params ? ": stage 3 shards the parameters, too"
                                   : ": only stage 3 shards the parameters"});
    expect("gradients", stage, P, micro, c.grads,
           (Figure){4 * (sharded_grads ? each + layer : whole),
                    4 * (sharded_grads ? cut + 1000 : n), sharded_grads ? 4 * each : NAN,
                    sharded_grads ? 4 * whole : 4 * each,
                    sharded_grads ? ": from stage 2 on the gradients are sharded"
                                  : ": the gradients are sharded from stage 2 on"});
    expect("state", stage, P, micro, c.state,
           (Figure){4.0 * states * (stage ? each : n), 4.0 * states * (stage ? cut : n), NAN,
                    stage ? 4.0 * states * whole : 4 * n,
                    stage ? ": from stage 1 on the state is sharded"
                          : ": times the number of state vectors"});
    expect("sent", stage, P, micro, c.wire,
           (Figure){times * one, times * 4 * n * (P - 1) / P, NAN, times * 4 * whole,
                    ": a ring sends (P - 1) / P of a vector, not all of it"});
}

static void judge(void *unused)
{
    for (int stage = ZERO_0; stage < ZERO_STAGES; stage++)
        for (int P = 9; P >= 1; P--) /* one rank, which sends nothing, and no state say least */
            for (int states = 2; states >= 0; states--)
                for (int micro = 1; micro <= 3; micro++)
                    judge_one(stage, P, states, micro);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "rank_costs", 6,
                          "bytes of parameters, gradients, state, and sent, at each stage", judge);
}
