/* parallel.c: the schemes, a rank's part in one, and its update. */
#include "parallel.h"
#include "check.h"
#include "lab1.h"
#include <stdlib.h>

int schemes_list(Scheme list[MOST_SCHEMES], int P, int micros)
{
    int n = 0;
    list[n++] = (Scheme){"one rank", "nothing", 1, 1, 1, 1, false};
    if (P == 1)
        return n;
    list[n++] = (Scheme){"data", "gradients", P, 1, 1, 1, false};
    list[n++] = (Scheme){"naive pipeline", "activations", 1, P, 1, 1, false};
    list[n++] = (Scheme){"micro pipeline", "activations", 1, P, 1, micros, false};
    list[n++] = (Scheme){"1F1B pipeline", "activations", 1, P, 1, micros, true};
    list[n++] = (Scheme){"tensor", "partial sums", 1, 1, P, 1, false};
    if (P == 4) {
        list[n++] = (Scheme){"data + pipeline", "both", 2, 2, 1, micros, false};
        list[n++] = (Scheme){"data + tensor", "both", 2, 1, 2, 1, false};
    }
    return n;
}

Worker *worker_new(Comm *comm, Backend *be, const Scheme *scheme, const MlpSpec *spec, int batch,
                   double rate)
{
    int group = scheme->stages * scheme->shards, rank = comm ? comm->rank : 0, here = rank % group;
    Worker *w = alloc(1, sizeof *w);
    *w = (Worker){
        .scheme = *scheme, .rank = rank, .replica = rank / group, .batch = batch, .rate = rate};
    w->stage = scheme->stages > 1 ? here : 0;
    w->shard = scheme->shards > 1 ? here : 0;
    w->along = group > 1 ? comm_split(comm, w->replica, rank) : NULL;
    w->across = scheme->replicas > 1 ? comm_split(comm, here, rank) : NULL;
    w->net = mlp_new(be, spec, mlp_stage_begin(spec, w->stage, scheme->stages),
                     mlp_stage_begin(spec, w->stage + 1, scheme->stages), w->shard, scheme->shards,
                     batch / (scheme->replicas * scheme->micros), scheme->micros);
    return w;
}

void worker_free(Worker *w)
{
    mlp_free(w->net);
    comm_close(w->across);
    comm_close(w->along);
    free(w);
}

void worker_update(Worker *w)
{
    Mlp *n = w->net;
    const BackendOps *op = n->be->op;
    w->log.count = 0;
    op->zero(n->s, n->grads);
    op->zero(n->s, n->totals);
    if (w->scheme.stages > 1)
        pipeline_pass(w);
    else if (w->scheme.shards > 1)
        tensor_pass(w);
    else
        whole_pass(w);
    if (w->across)
        data_sum(w);
    double began = event_begin(EVENT_UPDATE);
    op->axpy(n->s, n->params, -(float)w->rate, n->grads);
    op->stream_sync(n->s);
    event_end(&w->log, (Event){.kind = EVENT_UPDATE}, began);
}

double worker_bytes(const Worker *w)
{
    return (w->along ? w->along->bytes : 0) + (w->across ? w->across->bytes : 0);
}

bool worker_reports_loss(const Worker *w)
{
    return w->stage == w->scheme.stages - 1 && w->shard == 0;
}

/* Four bytes per element. Gradients: one element per parameter here. Activations: rows × width to
 * the next stage, and their gradient to the previous stage. Partial sums: one per block forward,
 * and one per block backward except the first, whose input needs no gradient. */
double worker_bytes_expected(const Worker *w)
{
    const MlpSpec *spec = &w->net->spec;
    const Scheme *s = &w->scheme;
    double W = spec->width, rows = (double)w->batch / s->replicas, elements = 0, parameters = 0;
    if (s->shards > 1) {
        int first, slice;
        column_shard(&first, &slice, spec->width, w->shard, s->shards);
        parameters = spec->blocks * (2 * W * slice + slice + W) + spec->classes * (W + 1);
    } else
        for (int l = mlp_stage_begin(spec, w->stage, s->stages);
             l < mlp_stage_begin(spec, w->stage + 1, s->stages); l++)
            parameters += (W + 1) * (l == 2 * spec->blocks ? spec->classes : W);
    elements += s->replicas > 1 ? parameters : 0;
    elements += s->stages > 1 ? rows * W * ((w->stage < s->stages - 1) + (w->stage > 0)) : 0;
    elements += s->shards > 1 ? rows * W * (2 * spec->blocks - 1) : 0;
    return 4 * elements;
}
