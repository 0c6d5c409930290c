/* step_cost.c: see step_cost.h. */
#include "step_cost.h"
#include <math.h>

const char *const remedy_names[REMEDIES] = {
    "none",   "overlap, 8 buckets", "16 batches per exchange", "BF16 gradient", "8 bits",
    "2 bits", "largest 1 %",        "DiLoCo, every 500"};
enum { BATCHES = 16, INNER = 500, BUCKETS = 8 };

bool step_possible(const WhatIf *w)
{
    return w->stage == STAGE_0 || w->remedy == REMEDY_NONE || w->remedy == REMEDY_ACCUMULATE;
}

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
    for (int i = 0; i < (w->stage == STAGE_3 ? 3 : 2); i++)
        add_call(plan, LINK_REDUCE_SCATTER, bytes);
}

StepPlan step_plan(const WhatIf *w)
{
    double compute = w->net.flops * w->batch / w->machine.flops[w->format];
    StepPlan plan = {.work = {compute / 3, compute * 2 / 3, packet_bytes(w), 1},
                     .every = w->remedy == REMEDY_DILOCO ? INNER : 1};
    bool gathered = w->remedy == REMEDY_8_BITS || w->remedy == REMEDY_2_BITS ||
                    w->remedy == REMEDY_TOP_K;
    if (w->remedy == REMEDY_ACCUMULATE)
        plan.every = BATCHES;
    if (w->remedy == REMEDY_OVERLAP)
        plan.work.buckets = BUCKETS;
    if (w->stage > STAGE_0)
        plan_shards(&plan, w);
    else if (gathered)
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

/* 2 (P-1)/P of an all-reduced vector, (P-1)/P of a scattered or gathered one. */
static double sent(const StepPlan *plan, int P)
{
    double bytes = 0;
    for (int i = 0; i < plan->calls; i++)
        bytes += (plan->call[i].what == LINK_ALL_REDUCE ? 2 : 1) * plan->call[i].bytes * (P - 1) /
                 P;
    return bytes / plan->every;
}

StepCost step_cost(const WhatIf *w)
{
    StepPlan plan = step_plan(w);
    double n = w->net.parameters, element = w->format == FORMAT_MIXED ? 2 : 4, P = w->P;
    double compute = plan.work.forward + plan.work.backward;
    StepCost c = {.wire = sent(&plan, w->P)};
    c.seconds = compute + (plan_seconds(&plan, w->P, w->link) - compute) / plan.every;
    c.efficiency = compute / c.seconds;
    c.samples = P * w->batch / c.seconds;
    /* Adam: two moments in FP32, and in mixed precision the parameters in FP32, too. */
    c.state = (w->format == FORMAT_MIXED ? 12 : 8) * n / (w->stage >= STAGE_1 ? P : 1);
    c.gradients = element * n / (w->stage >= STAGE_2 ? P : 1);
    c.parameters = element * n / (w->stage >= STAGE_3 ? P : 1);
    c.activations = w->net.activations * w->batch * element / 4;
    if (w->remedy == REMEDY_8_BITS || w->remedy == REMEDY_2_BITS || w->remedy == REMEDY_TOP_K)
        c.state += 4 * n; /* error feedback's residual */
    if (w->remedy == REMEDY_DILOCO)
        c.state += 8 * n; /* where the outer step began, and its velocity */
    return c;
}
