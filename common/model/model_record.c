/* model_record.c: a step, or an evaluation, of one batch: queued piece by piece or replayed from a
 * recording.
 *
 * A recording holds addresses. So there is one per batch address and size: a loader has four
 * buffers for its batches, and an epoch's last batch may be shorter. A batch is recorded the second
 * time it comes: the first time libraries do their lazy loading.
 */
#include "model_build.h"
#include "observer.h"

static bool same_tensor(Tensor a, Tensor b)
{
    return a.buf == b.buf && a.at == b.at && a.n == b.n && a.halo == b.halo;
}

static bool same_work(const StepWork *a, const StepWork *b)
{
    return same_tensor(a->x, b->x) && same_tensor(a->label, b->label) &&
           same_tensor(a->totals, b->totals) && a->evaluates == b->evaluates &&
           a->after.queue == b->after.queue && a->after.context == b->after.context;
}

static void queue_work(Model *m, const StepWork *w)
{
    if (!w->evaluates) {
        model_zero_grads(m);
        m->plan->zeroed = true;
    }
    model_forward(m, w->x, w->evaluates ? MODEL_EVAL : MODEL_TRAIN);
    model_loss(m, w->totals, w->label, NO_TENSOR, !w->evaluates);
    if (!w->evaluates)
        model_backward(m);
    if (w->after.queue)
        w->after.queue(w->after.context, m);
}

static bool recordable(const Model *m, const StepWork *w)
{
    return m->be->op->record_begin && !m->layer_hook && !m->before_hook && !m->tensor_hook &&
           !m->params_at && !m->grads_at && !m->plan->holding && !OBSERVED(backward_end) &&
           (w->evaluates || (!m->stats_hook && !m->grad_hook)); /* an evaluation calls neither */
}

/* Its entry; NULL: it is new, and now has the oldest one's entry. */
static RecordedStep *find(Model *m, const StepWork *w)
{
    struct ModelPlan *p = m->plan;
    for (int i = 0; i < MAX_RECORDINGS; i++)
        if (same_work(&p->recorded[i].work, w))
            return &p->recorded[i];
    RecordedStep *oldest = &p->recorded[p->oldest];
    p->oldest = (p->oldest + 1) % MAX_RECORDINGS;
    m->be->op->recording_free(oldest->recording);
    *oldest = (RecordedStep){*w, NULL};
    return NULL;
}

static void do_work(Model *m, const StepWork *w)
{
    const BackendOps *op = m->be->op;
    RecordedStep *r = recordable(m, w) ? find(m, w) : NULL;
    if (!r) {
        queue_work(m, w);
        return;
    }
    if (!r->recording || !op->replay(m->s, r->recording)) {
        op->recording_free(r->recording);
        op->record_begin(m->s);
        queue_work(m, w);
        r->recording = op->record_end(m->s);
        if (!op->replay(m->s, r->recording)) /* another thread has just freed memory */
            queue_work(m, w);
    }
    /* model_forward's other side effects */
    m->plan->n = w->x.n;
    m->plan->act[0] = w->x;
    m->logits = tensor_first(m->plan->act[m->nlayers], w->x.n);
}

void model_step(Model *m, Tensor totals, Tensor x, Tensor label, StepPart after)
{
    StepWork w = {.x = x, .label = label, .totals = totals, .after = after};
    do_work(m, &w);
}

void model_gradient(Model *m, Tensor totals, Tensor x, Tensor label)
{
    model_step(m, totals, x, label, (StepPart){0});
}

void model_evaluate(Model *m, Tensor totals, Tensor x, Tensor label)
{
    StepWork w = {.x = x, .label = label, .totals = totals, .evaluates = true};
    do_work(m, &w);
}

void model_recordings_free(Model *m)
{
    for (int i = 0; i < MAX_RECORDINGS; i++)
        if (m->plan->recorded[i].recording)
            m->be->op->recording_free(m->plan->recorded[i].recording);
}
