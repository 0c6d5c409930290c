/* method.c: see method.h. */
#include "method.h"

static void gradient(const Gradient *g, Model *m, Tensor totals, const Batch *b)
{
    if (g->run)
        g->run(g->context, m, totals, b);
    else
        model_gradient(m, totals, b->x, b->label);
}

void method_step(const Method *method, Model *m, Tensor totals, const Batch *b, double rate,
                 Trace *trace)
{
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

static void step(void *context, Model *m, double rate) { sgd_step(m, context, rate); }

Update sgd_update(Sgd *o) { return (Update){step, o}; }

static Method make_sgd(void *context, Model *m)
{
    const SgdSpec *spec = context;
    return (Method){
        .update = sgd_update(sgd_new(m, spec->momentum, spec->weight_decay, spec->nesterov))};
}

static void end_sgd(void *context, Model *m, const Method *method)
{
    sgd_free(m, method->update.context);
}

MethodMaker sgd_maker(SgdSpec *spec) { return (MethodMaker){make_sgd, end_sgd, spec}; }
