/* task_farm.h: independent items of work, handed out to the ranks as they become free.
 *
 * Rank 0 hands out the items in order and works, too: it takes item 0, rank 1 item 1, and so on. A
 * straggler just gets fewer. An item's result must not depend on its rank.
 *
 * Short items: with `ahead` 1 every other rank has one more item queued, and so never waits for
 * rank 0. Long items (a whole training run): `ahead` 0, and their work calls task_farm_cancelled()
 * now and then, where rank 0 collects results and hands out more.
 */
#ifndef TASK_FARM_H
#define TASK_FARM_H
#include "comm.h"

enum { TASK_VALUES = 8 };

typedef struct TaskFarmRun TaskFarmRun; /* a task_farm_run in progress on this rank */

typedef struct TaskFarm {
    int items, values; /* values per item, at most TASK_VALUES */
    int ahead;         /* items queued on another rank beside its current one */
    void *context;     /* passed to the functions */
    /* Any rank: compute value[values] of an item. False: aborted (task_farm_cancelled, or a
     * signal): all ranks stop. */
    bool (*work)(void *context, int item, double *value, TaskFarmRun *farm);
    /* Rank 0: an item is done, on any rank. */
    void (*found)(void *context, int item, const double *value);
    /* Rank 0, between items and in task_farm_cancelled; NULL: always true. Once false, all ranks
     * stop. It may block: nothing is handed out meanwhile. */
    bool (*goes_on)(void *context);
} TaskFarm;

/* Collective. On every rank: true when all items are done and found; false when goes_on, or work on
 * any rank, ended it. Then the completed items are found, and no aborted one is. */
bool task_farm_run(Comm *c, Backend *be, const TaskFarm *tasks);

/* For work, between two short pieces of a long item: has this rank been told to stop? Stays
 * true. */
bool task_farm_cancelled(TaskFarmRun *farm);
#endif
