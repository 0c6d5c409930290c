/* step_cost.c: see step_cost.h. */
#include "step_cost.h"
#include <math.h>

const char *const remedy_names[REMEDIES] = {
    "none",   "overlap, 8 buckets", "16 batches/exchange", "BF16 gradient", "8 bits",
    "2 bits", "largest 1 %",        "DiLoCo, every 500"};
enum { BATCHES = 16, INNER = 500, BUCKETS = 8 };

/* From stage 2 on no rank has room for the whole gradient, to add up batches in. */
bool step_possible(const WhatIf *w)
{
    return w->stage == ZERO_0 || w->remedy == REMEDY_NONE ||
           (w->stage == ZERO_1 && w->remedy == REMEDY_ACCUMULATE);
}

static bool is_coded(WhatRemedy r) { return r == REMEDY_8_BITS || r == REMEDY_2_BITS; }

/* Bytes of the packet of one rank's gradient that a remedy sends. */
static double packet_bytes(const WhatIf *w)
{
    double n = w->net.parameters;
    switch (w->remedy) {
    case REMEDY_BF16: return 2 * n;
    case REMEDY_8_BITS: return n;
    case REMEDY_2_BITS: return n / 4;
    case REMEDY_TOP_K: return 0.01 * n * (4 + 4); /* index and value */
    case REMEDY_DILOCO: return 4 * n;
    default: return (w->format == FORMAT_MIXED ? 2 : 4) * n;
    }
}

static void add_call(StepPlan *plan, LinkCollective what, double bytes)
{
    plan->call[plan->calls].what = what;
    plan->call[plan->calls++].bytes = bytes;
}

/* Stage 1 and 2: the gradient is reduce-scattered, the parameters gathered; 3: these are gathered
 * twice, before the forward and before the backward pass. Arithmetic: arXiv 1910.02054, section 7.
 * */
static void plan_shards(StepPlan *plan, const WhatIf *w)
{
    double bytes = (w->format == FORMAT_MIXED ? 2 : 4) * w->net.parameters;
    for (int i = 0; i < (w->stage == ZERO_3 ? 3 : 2); i++)
        add_call(plan, LINK_REDUCE_SCATTER, bytes);
}

StepPlan step_plan(const WhatIf *w)
{
    double compute = w->net.flops * w->batch / w->machine.flops[w->format];
    StepPlan plan = {.work = {compute / 3, compute * 2 / 3, packet_bytes(w), 1},
                     .every = w->remedy == REMEDY_DILOCO ? INNER : 1};
    if (w->remedy == REMEDY_ACCUMULATE)
        plan.every = BATCHES;
    if (w->remedy == REMEDY_OVERLAP)
        plan.work.buckets = BUCKETS;
    if (w->stage > ZERO_0)
        plan_shards(&plan, w);
    else if (is_coded(w->remedy)) {
        add_call(&plan, LINK_ALL_TO_ALL, plan.work.bytes);
        add_call(&plan, LINK_REDUCE_SCATTER, plan.work.bytes);
    } else if (w->remedy == REMEDY_TOP_K)
        add_call(&plan, LINK_REDUCE_SCATTER, w->P * plan.work.bytes);
    else
        add_call(&plan, LINK_ALL_REDUCE, plan.work.bytes);
    return plan;
}

double plan_seconds(const StepPlan *plan, int P, Link link)
{
    double compute = plan->work.forward + plan->work.backward, sum = compute;
    if (P == 1)
        return compute;
    if (plan->call[0].what == LINK_ALL_REDUCE)
        return compute / efficiency(P, plan->work, link);
    for (int i = 0; i < plan->calls; i++)
        sum += link_seconds(plan->call[i].what, P, plan->call[i].bytes, link);
    return sum;
}

/* Of stage 0: 2 (P-1)/P of an all-reduced vector, (P-1)/P of a gathered or exchanged one. */
static double sent(const StepPlan *plan, int P)
{
    double bytes = 0;
    for (int i = 0; i < plan->calls; i++)
        bytes += (plan->call[i].what == LINK_ALL_REDUCE ? 2 : 1) * plan->call[i].bytes * (P - 1) /
                 P;
    return bytes;
}

/* Without a remedy: rank_costs() of layers as large as the largest; the last is what is left. */
static RankCosts shard_costs(const WhatIf *w)
{
    enum { MOST_LAYERS = 128 };
    double left = w->net.parameters;
    int count[MOST_LAYERS], layers = 0;
    for (; left > 0 && layers < MOST_LAYERS; left -= count[layers++])
        count[layers] = (int)fmin(left, w->net.largest);
    /* Adam: two moments in FP32, and in mixed precision the parameters in FP32, too. */
    int states = w->format == FORMAT_MIXED ? 3 : 2;
    RankCosts c = rank_costs(w->stage, w->P, count, layers, states, 1);
    double element = w->format == FORMAT_MIXED ? 0.5 : 1; /* of FP32's 4 bytes */
    return (RankCosts){element * c.params, element * c.grads, c.state, element * c.wire};
}

StepCost step_cost(const WhatIf *w)
{
    StepPlan plan = step_plan(w);
    RankCosts rank = shard_costs(w);
    double n = w->net.parameters, compute = plan.work.forward + plan.work.backward;
    StepCost c = {.parameters = rank.params, .gradients = rank.grads, .state = rank.state};
    c.wire = (w->stage == ZERO_0 ? sent(&plan, w->P) : rank.wire) / plan.every;
    c.seconds = compute + (plan_seconds(&plan, w->P, w->link) - compute) / plan.every;
    c.efficiency = compute / c.seconds;
    c.samples = w->P * w->batch / c.seconds;
    c.activations = w->net.activations * w->batch * (w->format == FORMAT_MIXED ? 0.5 : 1);
    if (is_coded(w->remedy) || w->remedy == REMEDY_TOP_K)
        c.state += 4 * n; /* error feedback's residual */
    if (is_coded(w->remedy))
        c.state += 4 * n / w->P; /* that of the sum of its shard */
    if (w->remedy == REMEDY_DILOCO)
        c.state += 8 * n; /* where the outer step began, and its velocity */
    return c;
}
