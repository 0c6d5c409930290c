/* evaluate.c: see evaluate.h. */
#include "evaluate.h"
#include "check.h"
#include "model_build.h"
#include "observer.h"
#include <stdlib.h>

/* The model's own, of which its recordings know: zeroed. */
static Tensor totals_of(Model *m)
{
    Tensor *t = &m->plan->evaluation;
    if (!t->buf)
        *t = tensor_new(m->be, F64, 2, 1, 1, 1, 0);
    m->be->op->zero(m->s, *t);
    return *t;
}

Metrics evaluate(Model *m, Loader *l, const int32_t *order, int count)
{
    const BackendOps *op = m->be->op;
    Tensor totals = totals_of(m);
    int32_t *all = NULL;
    if (!order) {
        all = alloc(count, sizeof *all);
        for (int i = 0; i < count; i++)
            all[i] = i;
        order = all;
    }
    loader_start(l, order, count, 0);
    for (Batch b; loader_next(l, m->s, &b);)
        model_evaluate(m, totals, b.x, b.label);
    double sum[2];
    op->download(m->s, sum, totals);
    OBSERVE(evaluation, count ? order[0] : -1, count, sum[1]);
    free(all);
    return (Metrics){sum[0], sum[1], count * model_positions(m)};
}
