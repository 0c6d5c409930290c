/* method.c: see method.h. */
#include "method.h"
#include "observer.h"

static void gradient(const Gradient *g, Model *m, Tensor totals, const Batch *b)
{
    if (g->run)
        g->run(g->context, m, totals, b);
    else
        model_gradient(m, totals, b->x, b->label);
}

static void step(void *context, Model *m, double rate) { sgd_step(m, context, rate); }

/* As one model_step; false: it cannot be one, and nothing is done. (An observer reads the weights
 * before and after an update.) */
static bool whole_step(const Method *method, Model *m, Tensor totals, const Batch *b, double rate)
{
    const Update *u = &method->update;
    if (method->gradient.run || method->exchange.run || u->run != step || OBSERVED(update) ||
        ((const Sgd *)u->context)->clip > 0)
        return false;
    sgd_begin(m, u->context, rate);
    model_step(m, totals, b->x, b->label, (StepPart){sgd_queue, u->context});
    return true;
}

void method_step(const Method *method, Model *m, Tensor totals, const Batch *b, double rate,
                 Trace *trace)
{
    if (!trace && whole_step(method, m, totals, b, rate))
        return;
    double began = trace_begin(trace);
    gradient(&method->gradient, m, totals, b);
    trace_end(trace, "gradient", 0, began);
    if (method->exchange.run) {
        began = trace_begin(trace);
        method->exchange.run(method->exchange.context, m);
        trace_end(trace, "exchange", 1, began);
    }
    began = trace_begin(trace);
    method->update.run(method->update.context, m, rate);
    trace_end(trace, "update", 0, began);
}

Update sgd_update(Sgd *o) { return (Update){step, o}; }

static Method make_sgd(void *context, Model *m)
{
    const SgdSpec *spec = context;
    Sgd *o = sgd_new(m, spec->momentum, spec->weight_decay, spec->nesterov);
    o->clip = spec->clip;
    return (Method){.update = sgd_update(o)};
}

static void end_sgd(void *context, Model *m, const Method *method)
{
    sgd_free(m, method->update.context);
}

MethodMaker sgd_maker(SgdSpec *spec) { return (MethodMaker){make_sgd, end_sgd, spec}; }
