/* command.c: see command.h. */
#include "command.h"
#include "link.h"
#include "timer.h"
#include <sched.h>
#include <unistd.h>

enum { TAG = 77 };

Commands commands_new(Comm *c, Backend *be)
{
    return (Commands){c, be->op->stream_new(be, 1),
                      tensor_new(be, I32, COMMAND_NUMBERS, 1, 1, 1, 0)};
}

void commands_free(Commands *k, Backend *be)
{
    tensor_free(be, k->box);
    be->op->stream_free(k->s);
}

/* Polls continuously at first, as most commands come at once; then 500 times a second. On the
 * virtual clock, where who sleeps would never come to the time at which the command is due, the
 * wait itself sleeps. */
static void wait_asleep(Comm *c, CommRequest *request)
{
    double began = timer_real();
    while (!link_virtual() && !comm_test(c, request))
        if (timer_real() - began > 0.002)
            usleep(2000);
        else
            sched_yield();
    comm_wait(c, request);
}

Command commands_broadcast(Commands *k, Command command)
{
    const BackendOps *op = k->s->be->op;
    if (k->comm->rank == 0) {
        op->upload(k->s, k->box, command.number);
        for (int r = 1; r < k->comm->size; r++)
            comm_send(k->comm, k->box, r, TAG, k->s);
        return command;
    }
    wait_asleep(k->comm, comm_recv_start(k->comm, k->box, 0, TAG, k->s));
    op->download(k->s, command.number, k->box);
    return command;
}
