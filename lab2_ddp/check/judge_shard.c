/* judge_shard.c: see judge_shard.h. */
#include "judge_shard.h"
#include "check.h"
#include "exercise.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Element i of rank r's gradient, of which the padding is 0; of its parameters, after a step. */
static float grad_of(int rank, int i)
{
    return i < JUDGED_COUNT ? (float)((rank + 1) * 100 + 3 * i) : 0;
}

static float param_of(int rank, int i) { return (float)(1000 * (rank + 1) + i); }

bool judged_live(const ShardJudge *j, const Buffer *buf)
{
    for (int i = 0; i < j->buffers; i++)
        if (j->live[i] == buf)
            return true;
    return false;
}

static void on_memory(void *context, const Buffer *buf, size_t bytes)
{
    ShardJudge *j = context;
    if (bytes) {
        WRONG_UNLESS(j->buffers < JUDGED_BUFFERS, "it takes memory again and again");
        j->live[j->buffers++] = buf;
        return;
    }
    for (int i = 0; i < j->buffers; i++)
        if (j->live[i] == buf) {
            j->live[i] = j->live[--j->buffers];
            return;
        }
    exercise_wrong("%s: it frees memory twice", j->at);
}

float *judged_values(const ShardJudge *j, Tensor t)
{
    return (float *)j->z.be->op->buffer_host(t.buf) + t.at;
}

void judged_note(const ShardJudge *j, const char *name, Tensor t, int n)
{
    bool there = judged_live(j, t.buf);
    for (int i = 0; i < n; i++)
        exercise_value(name, there && i < t.n ? judged_values(j, t)[i] : NAN);
}

void judged_note_calls(const ShardJudge *j, int buffers)
{
    exercise_fact("the number of reduce-scatters", j->reduces);
    exercise_fact("the number of all-gathers", j->gathers);
    exercise_fact("the number of tensors taken and not given back", j->buffers - buffers);
}

/* ---- the other ranks ---- */

static void reduce_scatter(Comm *c, Tensor out, Tensor in, CommOp op, Stream *s)
{
    ShardJudge *j = (ShardJudge *)c;
    int n = JUDGED_EACH, P = c->size;
    float sum[JUDGED_EACH], *whole = judged_values(j, in), *part = judged_values(j, out);
    j->reduces++;
    WRONG_UNLESS(op == COMM_SUM, "%s: the reduce-scatter is not with COMM_SUM", j->at);
    WRONG_UNLESS(in.buf == j->u.grads.buf && in.at == j->u.grads.at,
                 "%s: it reduces something else than u->grads", j->at);
    for (int k = 0; k < n; k++) {
        int i = c->rank * n + k;
        sum[k] = whole[i];
        for (int r = 0; r < P; r++)
            sum[k] += r == c->rank ? 0 : grad_of(r, i);
    }
    for (int i = 0; part == whole + c->rank * n && i < P * n; i++)
        whole[i] = -7e7f; /* undefined from here on */
    memcpy(part, sum, sizeof sum);
}

static void all_gather(Comm *c, Tensor out, Tensor in, Stream *s, CommRequest **request)
{
    if (request)
        *request = NULL;
    ShardJudge *j = (ShardJudge *)c;
    float mine[JUDGED_EACH], *all = judged_values(j, out);
    j->gathers++;
    memcpy(mine, judged_values(j, in), sizeof mine);
    memcpy(j->sent, mine, sizeof mine);
    j->gathered_own = in.buf == j->u.my_params.buf && in.at == j->u.my_params.at;
    for (int i = 0; i < c->size * JUDGED_EACH; i++) {
        int r = i / JUDGED_EACH;
        all[i] = r == c->rank ? mine[i % JUDGED_EACH] : param_of(r, i % JUDGED_EACH);
    }
}

static void all_reduce(Comm *c, Tensor t, CommOp op, Stream *s, CommRequest **request)
{
    exercise_wrong(
        "%s: an all-reduce: it sends twice what a reduce-scatter or an all-gather sends, "
        "and each rank needs only its shard of the sum",
        ((ShardJudge *)c)->at);
}

static void broadcast(Comm *c, Tensor t, int root, Stream *s)
{
    exercise_wrong("%s: a broadcast: one all-gather brings all ranks' shards",
                   ((ShardJudge *)c)->at);
}

static void barrier(Comm *c)
{
    exercise_wrong("%s: a barrier: the collectives wait for each other as it is",
                   ((ShardJudge *)c)->at);
}

static const CommOps ops = {.name = "judge",
                            .all_reduce = all_reduce,
                            .broadcast = broadcast,
                            .reduce_scatter = reduce_scatter,
                            .all_gather = all_gather,
                            .barrier = barrier};

/* ---- one rank ---- */

static Tensor filled(ShardJudge *j, int n, int rank, float (*value)(int, int), int from)
{
    Tensor t = tensor_new(j->z.be, F32, n, 1, 1, 1, 0);
    for (int i = 0; value && i < n; i++)
        judged_values(j, t)[i] = value(rank, from + i);
    return t;
}

void judge_open(ShardJudge *j, ZeroStage stage, int P, int rank)
{
    int local = P > 1 ? 2 : 1; /* ranks of a machine */
    *j = (ShardJudge){.comm = {&ops, rank, P, rank % local, local, 0}};
    Backend *be = backend_open("cpu", 0, 1, 1);
    be->memory_hook = on_memory;
    be->memory_context = j;
    snprintf(j->at, sizeof j->at, "stage %d, rank %d of %d", stage, rank, P);
    j->sent = alloc(JUDGED_EACH, sizeof *j->sent);
    j->z = (Sharded){.stage = stage, .comm = &j->comm, .be = be, .unit = &j->u, .units = 1};
    j->z.s = be->op->stream_new(be, 1);
    j->z.momentum = 0.5;
    j->z.rate = tensor_new(be, F32, 1, 1, 1, 1, 0);
    ShardUnit *u = &j->u;
    int n = JUDGED_EACH, first = rank * n;
    u->count = JUDGED_COUNT;
    u->each = n;
    u->grads = filled(j, P * n, rank, grad_of, 0);
    u->my_grads = stage < ZERO_2 ? tensor_slice(u->grads, first, n) : filled(j, n, rank, NULL, 0);
    if (stage < ZERO_3) {
        u->params = filled(j, P * n, rank, NULL, 0);
        u->my_params = tensor_slice(u->params, first, n);
        for (int k = 0; k < n; k++)
            judged_values(j, u->my_params)[k] = param_of(rank, k);
    } else
        u->my_params = filled(j, n, rank, param_of, 0);
    u->my_velocity = filled(j, n, rank, NULL, 0);
}
