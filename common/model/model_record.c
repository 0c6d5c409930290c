/* model_record.c: a step, or an evaluation, of one batch: queued piece by piece or replayed from a
 * recording.
 *
 * A recording holds addresses. So there is one per batch address and size: a loader has four
 * buffers for its batches, and an epoch's last batch may be shorter. A batch is recorded the second
 * time it comes: the first time libraries do their lazy loading.
 */
#include "evidence.h"
#include "model_build.h"

static bool same_tensor(Tensor a, Tensor b)
{
    return a.buf == b.buf && a.at == b.at && a.n == b.n && a.halo == b.halo;
}

static bool same_work(const StepWork *a, const StepWork *b)
{
    for (int i = 0; i < STEP_PARTS; i++)
        if (a->part[i].queue != b->part[i].queue || a->part[i].context != b->part[i].context)
            return false;
    return same_tensor(a->x, b->x) && same_tensor(a->label, b->label) &&
           same_tensor(a->totals, b->totals) && a->evaluates == b->evaluates &&
           a->stats_hook == b->stats_hook && a->stats_context == b->stats_context &&
           a->stats_ranks == b->stats_ranks && a->grad_hook == b->grad_hook &&
           a->grad_context == b->grad_context;
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
    for (int i = 0; i < STEP_PARTS; i++)
        if (w->part[i].queue)
            w->part[i].queue(w->part[i].context, m);
}

/* Do the hooks that it calls allow it? Those of the statistics say so; that of the gradients is
 * part of a whole step. */
static bool hooks_recordable(const Model *m, const StepWork *w)
{
    if (w->evaluates)
        return true; /* it calls neither */
    bool stats = !m->stats_hook || (m->stats_record && m->stats_record(m->stats_context));
    return stats && (!m->grad_hook || w->part[0].queue);
}

static bool recordable(const Model *m, const StepWork *w)
{
    return m->be->op->record_begin && !m->layer_hook && !m->before_hook && !m->tensor_hook &&
           !m->params_at && !m->grads_at && !m->plan->holding && !evidence_on() &&
           hooks_recordable(m, w);
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

void model_step(Model *m, Tensor totals, Tensor x, Tensor label, const StepPart part[STEP_PARTS])
{
    StepWork w = {.x = x,
                  .label = label,
                  .totals = totals,
                  .stats_hook = m->stats_hook,
                  .stats_context = m->stats_context,
                  .stats_ranks = m->stats_ranks,
                  .grad_hook = m->grad_hook,
                  .grad_context = m->grad_context};
    for (int i = 0; i < STEP_PARTS; i++)
        w.part[i] = part[i];
    do_work(m, &w);
}

void model_gradient(Model *m, Tensor totals, Tensor x, Tensor label)
{
    static const StepPart none[STEP_PARTS];
    model_step(m, totals, x, label, none);
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
