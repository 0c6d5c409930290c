/* model_record.c: a training step's gradient, queued piece by piece or replayed from a recording.
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

static void queue_step(Model *m, Tensor totals, Tensor x, Tensor label)
{
    model_zero_grads(m);
    model_forward(m, x, MODEL_TRAIN);
    model_loss(m, totals, label, NO_TENSOR, true);
    model_backward(m);
}

static bool recordable(const Model *m)
{
    return m->be->op->record_begin && !m->stats_hook && !m->grad_hook && !m->layer_hook &&
           !m->plan->holding && !evidence_on();
}

/* This batch's entry; NULL: it is new, and now has the oldest one's entry. */
static RecordedStep *find(Model *m, Tensor totals, Tensor x, Tensor label)
{
    struct ModelPlan *p = m->plan;
    for (int i = 0; i < MAX_RECORDINGS; i++) {
        RecordedStep *r = &p->recorded[i];
        if (same_tensor(r->x, x) && same_tensor(r->label, label) && same_tensor(r->totals, totals))
            return r;
    }
    RecordedStep *oldest = &p->recorded[p->oldest];
    p->oldest = (p->oldest + 1) % MAX_RECORDINGS;
    m->be->op->recording_free(oldest->recording);
    *oldest = (RecordedStep){x, label, totals, NULL};
    return NULL;
}

void model_gradient(Model *m, Tensor totals, Tensor x, Tensor label)
{
    const BackendOps *op = m->be->op;
    RecordedStep *r = recordable(m) ? find(m, totals, x, label) : NULL;
    if (!r) {
        queue_step(m, totals, x, label);
        return;
    }
    if (!r->recording || !op->replay(m->s, r->recording)) {
        op->recording_free(r->recording);
        op->record_begin(m->s);
        queue_step(m, totals, x, label);
        r->recording = op->record_end(m->s);
        if (!op->replay(m->s, r->recording)) /* another thread has just freed memory */
            queue_step(m, totals, x, label);
    }
    /* model_forward's other side effects */
    m->plan->n = x.n;
    m->plan->act[0] = x;
    m->logits = tensor_first(m->plan->act[m->nlayers], x.n);
}

void model_recordings_free(Model *m)
{
    for (int i = 0; i < MAX_RECORDINGS; i++)
        if (m->plan->recorded[i].recording)
            m->be->op->recording_free(m->plan->recorded[i].recording);
}
