/* task_farm.c: see task_farm.h. Three kinds of message: an item's index to a worker (-1: no more),
 * its result back, and to each worker exactly one stop: when the work is cancelled, else at its
 * end. The worker's receive for it is pending from the start, so a stop that arrives during an item
 * means: cancelled. */
#include "task_farm.h"
#include "check.h"
#include <unistd.h>

enum { ITEM = 100, RESULT = 101, STOP = 102 }; /* tags */

struct TaskFarmRun {
    Comm *c;
    Stream *s;
    const TaskFarm *tasks;
    Tensor item, result, stop; /* F64 [1]; [2 + values]: the item, is it done, its values; [1] */
    CommRequest *coming;       /* rank 0: the receive of the next result; the others: of the stop */
    int next, out, done;       /* rank 0: the next item; items on other ranks; items found */
    bool stopped;              /* rank 0: the stop is sent */
};

/* ---- rank 0 ---- */

static void tell(TaskFarmRun *g, int rank, int tag, double value)
{
    g->s->be->op->upload(g->s, g->item, &value);
    comm_send(g->c, g->item, rank, tag, g->s);
}

static void stop(TaskFarmRun *g)
{
    for (int rank = 1; rank < g->c->size && !g->stopped; rank++)
        tell(g, rank, STOP, 0);
    g->stopped = true;
}

static bool goes_on(TaskFarmRun *g)
{
    if (!g->stopped && g->tasks->goes_on && !g->tasks->goes_on(g->tasks->context))
        stop(g);
    return !g->stopped;
}

/* The next item; -1: no more. */
static int next_item(TaskFarmRun *g)
{
    return g->stopped || g->next == g->tasks->items ? -1 : g->next++;
}

static void hand_to(TaskFarmRun *g, int rank)
{
    int item = next_item(g);
    if (item < 0)
        return;
    tell(g, rank, ITEM, item);
    g->out++;
}

static void expect_result(TaskFarmRun *g)
{
    g->coming = g->out ? comm_recv_start(g->c, g->result, COMM_ANY, RESULT, g->s) : NULL;
}

static void enter(TaskFarmRun *g, int item, bool done, const double *value)
{
    if (done)
        g->tasks->found(g->tasks->context, item, value);
    else
        stop(g);
    g->done += done;
}

/* Collect the results that have arrived, and give those ranks new items. */
static void take_results(TaskFarmRun *g)
{
    while (g->out && comm_test(g->c, g->coming)) {
        double got[2 + TASK_VALUES];
        int rank = comm_wait(g->c, g->coming);
        g->s->be->op->download(g->s, got, g->result);
        g->out--;
        enter(g, (int)got[0], got[1] != 0, got + 2);
        hand_to(g, rank);
        expect_result(g);
    }
}

/* Finish: collect the remaining results. Returns: is every item done? */
static bool lead(TaskFarmRun *g)
{
    int own = goes_on(g) ? next_item(g) : -1;
    for (int k = 0; k <= g->tasks->ahead; k++)
        for (int rank = 1; rank < g->c->size; rank++)
            hand_to(g, rank);
    expect_result(g);
    while (own >= 0 || g->out) {
        double value[TASK_VALUES];
        if (own >= 0)
            enter(g, own, g->tasks->work(g->tasks->context, own, value, g), value);
        else
            usleep(200); /* the other ranks work on their last items */
        take_results(g);
        own = goes_on(g) ? next_item(g) : -1;
    }
    stop(g);
    for (int rank = 1; rank < g->c->size; rank++)
        tell(g, rank, ITEM, -1);
    return g->done == g->tasks->items;
}

/* ---- the others ---- */

static void follow(TaskFarmRun *g)
{
    const BackendOps *op = g->s->be->op;
    g->coming = comm_recv_start(g->c, g->stop, 0, STOP, g->s);
    for (;;) {
        double item, value[2 + TASK_VALUES];
        comm_recv(g->c, g->item, 0, ITEM, g->s);
        op->download(g->s, &item, g->item);
        if (item < 0)
            break;
        value[0] = item;
        value[1] = !task_farm_cancelled(g) &&
                   g->tasks->work(g->tasks->context, (int)item, value + 2, g);
        op->upload(g->s, g->result, value);
        comm_send(g->c, g->result, 0, RESULT, g->s);
    }
    comm_wait(g->c, g->coming);
}

bool task_farm_cancelled(TaskFarmRun *g)
{
    if (g->c->rank != 0)
        return comm_test(g->c, g->coming);
    take_results(g);
    return !goes_on(g);
}

bool task_farm_run(Comm *c, Backend *be, const TaskFarm *tasks)
{
    ASSERT(tasks->items >= 0 && tasks->ahead >= 0 && tasks->values >= 1 &&
           tasks->values <= TASK_VALUES);
    TaskFarmRun g = {.c = c, .s = be->op->stream_new(be, 0), .tasks = tasks};
    g.item = tensor_new(be, F64, 1, 1, 1, 1, 0);
    g.result = tensor_new(be, F64, 2 + tasks->values, 1, 1, 1, 0);
    g.stop = tensor_new(be, F64, 1, 1, 1, 1, 0);
    double complete = 0;
    if (c->rank == 0)
        complete = lead(&g);
    else
        follow(&g);
    comm_broadcast_host(c, &complete, sizeof complete, 0);
    tensor_free(be, g.item);
    tensor_free(be, g.result);
    tensor_free(be, g.stop);
    be->op->stream_free(g.s);
    return complete != 0;
}
