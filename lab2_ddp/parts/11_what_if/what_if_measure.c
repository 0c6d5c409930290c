/* what_if_measure.c: does the link take what the calculator says? */
#include "check.h"
#include "parts/6_network/charged.h"
#include "what_if.h"
#include <math.h>
#include <stdlib.h>

static const double LARGEST = 8e6; /* bytes of a vector */

/* Seconds of the plan's collectives, each of which begins when the one before is done. */
static double call_after_call(const StepPlan *plan, Comm *world, Link link, Backend *be)
{
    Stream *s = be->op->stream_new(be, 1);
    double most = 0;
    for (int i = 0; i < plan->calls; i++)
        most = fmax(most, plan->call[i].bytes);
    int part = (int)(most / 4 / world->size) + 1;
    Tensor whole = tensor_new(be, F32, part * world->size, 1, 1, 1, 0),
           own = tensor_new(be, F32, part, 1, 1, 1, 0);
    float *codes = alloc(2ul * part * world->size, sizeof *codes);
    link_charge_only(true);
    link_set(link);
    double began = link_now();
    link_charge(plan->work.forward + plan->work.backward);
    for (int i = 0; i < plan->calls; i++) {
        int n = (int)(plan->call[i].bytes / 4 / world->size) + 1;
        Tensor all = tensor_slice(whole, 0, n * world->size), mine = tensor_slice(own, 0, n);
        if (plan->call[i].what == LINK_ALL_TO_ALL)
            MPI_Alltoall(codes, n, MPI_FLOAT, codes + (size_t)part * world->size, n, MPI_FLOAT,
                         MPI_COMM_WORLD);
        else if (i == 0 && plan->calls > 1) /* ZeRO: the gradient; then parameters */
            comm_reduce_scatter(world, mine, all, COMM_SUM, s);
        else
            comm_all_gather(world, all, mine, s);
    }
    double seconds = link_now() - began;
    link_charge_only(false);
    link_set((Link){.bandwidth = INFINITY});
    free(codes);
    tensor_free(be, own);
    tensor_free(be, whole);
    be->op->stream_free(s);
    return seconds;
}

static double measure(StepPlan plan, Comm *world, Link link, Backend *be)
{
    if (plan.call[0].what != LINK_ALL_REDUCE)
        return call_after_call(&plan, world, link, be);
    Tensor grads = tensor_new(be, F32, (int)(plan.work.bytes / 4) + 1, 1, 1, 1, 0);
    double seconds = charged_update(world, link, be, grads, plan.work);
    tensor_free(be, grads);
    return seconds;
}

/* The same seconds from a plan that fits into memory. */
static void shrink(StepPlan *plan, Link *link)
{
    double most = plan->work.bytes;
    for (int i = 0; i < plan->calls; i++)
        most = fmax(most, plan->call[i].bytes);
    double by = most > LARGEST ? LARGEST / most : 1;
    plan->work.bytes *= by;
    for (int i = 0; i < plan->calls; i++)
        plan->call[i].bytes *= by;
    link->bandwidth *= by;
}

static double measure_one(const WhatIf *w, Comm *world, Backend *be, Run *run)
{
    StepPlan plan = step_plan(w);
    Link link = w->link;
    double predicted = plan_seconds(&plan, w->P, w->link);
    shrink(&plan, &link);
    double found = measure(plan, world, link, be), off = predicted / found - 1;
    run_say(run, "%-24s  ZeRO %d  %12.6g  %12.6g  %+7.3f %%", remedy_names[w->remedy], w->stage,
            1e3 * predicted, 1e3 * found, 100 * off);
    run_metrics(run, "%d,%d,%d,%.9g,%.9g", (int)w->remedy, w->stage, w->P, predicted, found);
    return fabs(off);
}

double what_if_measure(const WhatIf *w, Comm *world, Backend *be, Run *run)
{
    double worst = 0;
    WhatIf other = *w;
    other.P = world->size;
    run_metrics_header(run, "remedy,stage,ranks,predicted,measured");
    run_say(run, "an update that exchanges   stage  predicted ms   measured ms      error");
    for (int stage = 0; stage < ZERO_STAGES; stage++)
        for (int r = 0; r < REMEDIES; r++) {
            other.stage = stage;
            other.remedy = r;
            if (step_possible(&other))
                worst = fmax(worst, measure_one(&other, world, be, run));
        }
    return worst;
}
