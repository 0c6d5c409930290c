/* share.c: see share.h. Two kinds of message: an item's number to a worker (-1: no more), and its result back. */
#include "task_farm.h"
#include "check.h"

enum { ITEM = 100, RESULT = 101, DEPTH = 2 }; /* tags; items that a worker has at a time */

typedef struct Master {
    Comm *c;
    Stream *s;
    const Share *share;
    Tensor item, result; /* F64 [1]; F64 [1 + values]: the item, its values */
    CommRequest *coming; /* the receive of the next result */
    int next, end, out;  /* the next item to hand out, and where to stop; items handed to others that are not back */
} Master;

static void send_item(Master *m, int rank, double item)
{
    m->s->be->op->upload(m->s, m->item, &item);
    comm_send(m->c, m->item, rank, ITEM, m->s);
}

static void hand_to(Master *m, int rank)
{
    if (m->next >= m->end)
        return;
    send_item(m, rank, m->next++);
    m->out++;
}

/* Wait for a result, report it, and give that rank another item. */
static void take_result(Master *m)
{
    double got[1 + SHARE_VALUES];
    int rank = comm_wait(m->c, m->coming);
    m->s->be->op->download(m->s, got, m->result);
    m->out--;
    m->share->found(m->share->context, (int)got[0], got + 1);
    hand_to(m, rank);
    m->coming = m->out ? comm_recv_start(m->c, m->result, COMM_ANY, RESULT, m->s) : NULL;
}

static bool goes_on(const Share *share) { return !share->goes_on || share->goes_on(share->context); }

static void work_here(Master *m)
{
    double value[SHARE_VALUES];
    int item = m->next++;
    m->share->work(m->share->context, item, value);
    m->share->found(m->share->context, item, value);
}

static bool hand_out(Master *m)
{
    m->end = goes_on(m->share) ? m->share->items : 0;
    for (int k = 0; k < DEPTH; k++)
        for (int rank = 1; rank < m->c->size; rank++)
            hand_to(m, rank);
    m->coming = m->out ? comm_recv_start(m->c, m->result, COMM_ANY, RESULT, m->s) : NULL;
    while (m->out || m->next < m->end) {
        while (m->out && comm_test(m->c, m->coming))
            take_result(m);
        if (!goes_on(m->share))
            m->end = m->next;
        if (m->next < m->end)
            work_here(m);
        else if (m->out)
            take_result(m);
    }
    for (int rank = 1; rank < m->c->size; rank++)
        send_item(m, rank, -1);
    return m->next == m->share->items;
}

static void do_items(Comm *c, Stream *s, const Share *share, Tensor item, Tensor result)
{
    const BackendOps *op = s->be->op;
    for (;;) {
        double number, value[1 + SHARE_VALUES];
        comm_recv(c, item, 0, ITEM, s);
        op->download(s, &number, item);
        if (number < 0)
            return;
        value[0] = number;
        share->work(share->context, (int)number, value + 1);
        op->upload(s, result, value);
        comm_send(c, result, 0, RESULT, s);
    }
}

bool share_work(Comm *c, Backend *be, const Share *share)
{
    ASSERT(share->items >= 0 && share->values >= 1 && share->values <= SHARE_VALUES);
    Stream *s = be->op->stream_new(be, 0);
    Tensor item = tensor_new(be, F64, 1, 1, 1, 1, 0), result = tensor_new(be, F64, 1 + share->values, 1, 1, 1, 0);
    double complete = 0;
    if (c->rank == 0)
        complete = hand_out(&(Master){.c = c, .s = s, .share = share, .item = item, .result = result});
    else
        do_items(c, s, share, item, result);
    comm_broadcast_host(c, &complete, sizeof complete, 0);
    tensor_free(be, item);
    tensor_free(be, result);
    be->op->stream_free(s);
    return complete != 0;
}
