/* pipeline.c: every rank has a stage: some of the layers. Activations go to the next stage, their
 * gradients come back.
 *
 * With one micro-batch only one stage works at a time. With M of them stage 1 works on the first
 * while stage 0 works on the second: each of S stages is idle for (S-1) of (M+S-1) ticks (GPipe,
 * Huang et al., arXiv 1811.06965). pipeline_turn decides who does what when
 * (exercises/9a_pipeline_turn.c).
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

static void forward(Worker *w, int micro)
{
    Mlp *n = w->net;
    if (w->stage > 0)
        receive(w, n->act[micro][n->first], w->stage - 1, TO_NEXT, micro);
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
    if (w->stage > 0)
        send(w, n->dact[n->first], w->stage - 1, TO_PREVIOUS, micro);
}

void pipeline_pass(Worker *w)
{
    int S = w->scheme.stages, M = w->scheme.micros;
    for (int tick = 0; tick < 2 * (M + S - 1); tick++) {
        Turn turn = pipeline_turn(w->stage, S, M, tick);
        if (turn.micro >= 0 && turn.backward)
            backward(w, turn.micro);
        else if (turn.micro >= 0)
            forward(w, turn.micro);
    }
}
