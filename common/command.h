/* command.h: rank 0, which has the window, tells the other ranks what to do next.
 *
 * The others sleep until its next command, instead of spinning in a collective: while a person
 * looks at the figure they leave the cores free.
 */
#ifndef COMMAND_H
#define COMMAND_H
#include "comm.h"
#include "data.h"

enum { COMMAND_NUMBERS = 8 };
typedef struct Command {
    int32_t number[COMMAND_NUMBERS]; /* the program gives them their meaning */
} Command;

typedef struct Commands {
    Comm *comm;
    Stream *s;
    Tensor box; /* I32 [COMMAND_NUMBERS] */
} Commands;

Commands commands_new(Comm *c, Backend *be);
void commands_free(Commands *k, Backend *be);
/* On every rank: wait for rank 0's command and return it. */
Command commands_broadcast(Commands *k, Command from_rank_0);

/* dataset_open() on every rank. The others sleep until rank 0's next commands_broadcast(): it opens
 * a window meanwhile, and ranks may share cores. */
Dataset *commands_dataset(Commands *k, const char *name, const char *accepts, const char *data_dir);
#endif
