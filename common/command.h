/* command.h: how rank 0, which has the window, tells the other ranks what to do next.
 *
 * The others wait for its word asleep, not in a collective: while a person looks at the picture
 * they leave the cores alone.
 */
#ifndef COMMAND_H
#define COMMAND_H
#include "comm.h"
#include "data.h"

enum { COMMAND_NUMBERS = 8 };
/* what they mean is the program's business */
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
/* On every rank: rank 0's command. Returns when it is there. */
Command commands_broadcast(Commands *k, Command from_rank_0);

/* dataset_open() on every rank; but the others wait, asleep, for rank 0's next
 * commands_broadcast(): it has a window to open, and ranks may share cores. */
Dataset *commands_dataset(Commands *k, const char *name, const char *accepts, const char *data_dir);
#endif
