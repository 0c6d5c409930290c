/* pipeline.c: every rank has a stage: some of the layers. Activations go to the next stage, their
 * gradients come back.
 *
 * With one micro-batch only one stage works at a time. With M of them stage 1 works on the first
 * while stage 0 works on the second: each of S stages is idle for (S-1) of (M+S-1) ticks.
 *
 *   GPipe  all micro-batches forward, then all backward (Huang et al., arXiv 1811.06965):
 *          pipeline_turn decides who does what when (exercises/9a_pipeline_turn.c). Each stage
 *          keeps the activations of all M until their backward pass.
 *   1F1B   one forward, one backward, as soon as the first gradient is there (PipeDream-Flush,
 *          Narayanan et al., arXiv 2006.09503, and Megatron-LM, arXiv 2104.04473). It is idle as
 *          long, but stage s keeps the activations of only min(S - s, M) micro-batches.
 */
#include "lab1.h"
#include "parallel.h"

enum { TO_NEXT, TO_PREVIOUS }; /* tags */

static int rank_of_stage(const Worker *w, int stage)
{
    return w->replica * w->scheme.stages + stage;
}

static void receive(Worker *w, Tensor t, int stage, int tag, int micro)
{
    double began = event_begin(EVENT_RECEIVE);
    comm_recv(w->along, t, stage, tag, w->net->s);
    event_end(&w->log,
              (Event){.kind = EVENT_RECEIVE,
                      .micro = micro,
                      .partner = rank_of_stage(w, stage),
                      .bytes = 4.0 * tensor_count(t)},
              began);
}

static void send(Worker *w, Tensor t, int stage, int tag, int micro)
{
    double began = event_begin(EVENT_SEND);
    comm_send(w->along, t, stage, tag, w->net->s);
    event_end(&w->log,
              (Event){.kind = EVENT_SEND,
                      .micro = micro,
                      .partner = rank_of_stage(w, stage),
                      .bytes = 4.0 * tensor_count(t)},
              began);
}

/* What goes forward: a micro-batch's activations; the first stage has its images. */
static void take(Worker *w, int micro)
{
    if (w->stage > 0)
        receive(w, w->net->act[micro][w->net->first], w->stage - 1, TO_NEXT, micro);
}

static void forward(Worker *w, int micro)
{
    Mlp *n = w->net;
    double began = event_begin(EVENT_FORWARD);
    mlp_forward(n, micro);
    event_end(&w->log, (Event){.kind = EVENT_FORWARD, .micro = micro}, began);
    if (w->stage < w->scheme.stages - 1)
        send(w, n->act[micro][n->end], w->stage + 1, TO_NEXT, micro);
}

static void backward(Worker *w, int micro)
{
    Mlp *n = w->net;
    bool last = w->stage == w->scheme.stages - 1;
    if (!last)
        receive(w, n->dact[n->end], w->stage + 1, TO_PREVIOUS, micro);
    double began = event_begin(EVENT_BACKWARD);
    if (last)
        mlp_loss(n, micro, w->batch);
    mlp_backward(n, micro);
    event_end(&w->log, (Event){.kind = EVENT_BACKWARD, .micro = micro}, began);
}

/* What comes back: their gradient. */
static void give_back(Worker *w, int micro)
{
    if (w->stage > 0)
        send(w, w->net->dact[w->net->first], w->stage - 1, TO_PREVIOUS, micro);
}

static void gpipe(Worker *w, int S, int M)
{
    for (int tick = 0; tick < 2 * (M + S - 1); tick++) {
        Turn turn = pipeline_turn(w->stage, S, M, tick);
        if (turn.micro >= 0 && turn.backward) {
            backward(w, turn.micro);
            give_back(w, turn.micro);
        } else if (turn.micro >= 0) {
            take(w, turn.micro);
            forward(w, turn.micro);
        }
    }
}

/* Between two stages an activation goes forward, then a gradient back, then the next activation:
 * both sides agree on that order, so that no send waits for a send. */
static void one_forward_one_backward(Worker *w, int S, int M)
{
    int ahead = S - 1 - w->stage < M ? S - 1 - w->stage : M; /* forward before the first backward */
    for (int m = 0; m < M + ahead; m++) {
        if (m <= ahead && m < M)
            take(w, m);
        if (m < M)
            forward(w, m);
        if (m < ahead)
            continue;
        backward(w, m - ahead);
        if (m + 1 < M)
            take(w, m + 1);
        give_back(w, m - ahead);
    }
}

void pipeline_pass(Worker *w)
{
    (w->scheme.alternates ? one_forward_one_backward : gpipe)(w, w->scheme.stages,
                                                              w->scheme.micros);
}
