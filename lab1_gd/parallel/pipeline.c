/* pipeline.c: every rank has a stage, some of the layers. Activations go to the next stage, their
 * gradients come back.
 *
 * With one micro-batch only one stage works at a time. With M of them stage 1 works on the first
 * while stage 0 is at the second: of S stages each is idle for (S-1) of (M+S-1) ticks (GPipe, Huang
 * et al., arXiv 1811.06965). Who does what when is pipeline_turn's business (exercise).
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
    double began = act_begin(ACT_RECEIVE);
    comm_recv(w->along, t, stage, tag, w->net->s);
    act_end(&w->log,
            (Act){.kind = ACT_RECEIVE,
                  .micro = micro,
                  .partner = rank_of_stage(w, stage),
                  .bytes = 4.0 * tensor_count(t)},
            began);
}

static void send(Worker *w, Tensor t, int stage, int tag, int micro)
{
    double began = act_begin(ACT_SEND);
    comm_send(w->along, t, stage, tag, w->net->s);
    act_end(&w->log,
            (Act){.kind = ACT_SEND,
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
    double began = act_begin(ACT_FORWARD);
    mlp_forward(n, micro);
    act_end(&w->log, (Act){.kind = ACT_FORWARD, .micro = micro}, began);
    if (w->stage < w->scheme.stages - 1)
        send(w, n->act[micro][n->end], w->stage + 1, TO_NEXT, micro);
}

static void backward(Worker *w, int micro)
{
    Mlp *n = w->net;
    bool last = w->stage == w->scheme.stages - 1;
    if (!last)
        receive(w, n->dact[n->end], w->stage + 1, TO_PREVIOUS, micro);
    double began = act_begin(ACT_BACKWARD);
    if (last)
        mlp_loss(n, micro, w->batch);
    mlp_backward(n, micro);
    act_end(&w->log, (Act){.kind = ACT_BACKWARD, .micro = micro}, began);
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
