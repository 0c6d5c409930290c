/* command.h: how rank 0, which has the window, tells the other ranks what to do next.
 *
 * The others sleep until its command arrives instead of waiting in a collective: while a person
 * looks at the figure, the cores stay free.
 */
#ifndef COMMAND_H
#define COMMAND_H
#include "comm.h"

enum { COMMAND_NUMBERS = 8 };
/* the program defines their meaning */
typedef struct Command {
    int32_t number[COMMAND_NUMBERS];
} Command;

typedef struct Commands {
    Comm *comm;
    Stream *s;
    Tensor box; /* I32 [COMMAND_NUMBERS] */
} Commands;

Commands commands_new(Comm *c, Backend *be);
void commands_free(Commands *k, Backend *be);
/* Collective: returns rank 0's command on every rank. */
Command commands_broadcast(Commands *k, Command from_rank_0);
#endif
