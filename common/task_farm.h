/* task_farm.h: independent pieces of work, handed out to the ranks as they become free.
 *
 * Rank 0 hands out the items in their order and works, too: item 0 is its own, item 1 goes to rank
 * 1, and so on. A slower machine just gets fewer. Which rank does an item must not change its
 * result.
 *
 * Short items: with `ahead` 1 every other rank always has one item more than the one it works on,
 * and so never waits for rank 0. Long items (a whole training): `ahead` 0, and their work asks
 * task_farm_cancelled() now and then, in which rank 0 takes the results that have arrived and hands
 * out more.
 */
#ifndef TASK_FARM_H
#define TASK_FARM_H
#include "comm.h"

enum { TASK_VALUES = 8 };

typedef struct TaskFarmRun TaskFarmRun; /* a task_farm_run under way on this rank */

typedef struct TaskFarm {
    int items, values; /* values per item, at most TASK_VALUES */
    int ahead;         /* items that another rank has beside the one it works on */
    void *context;     /* given to the functions */
    /* Any rank: value[values] of an item. False: cut short (task_farm_cancelled, or a signal): all
     * ranks are to stop. */
    bool (*work)(void *context, int item, double *value, TaskFarmRun *farm);
    /* Rank 0: an item is done, here or elsewhere. */
    void (*found)(void *context, int item, const double *value);
    /* Rank 0, between items and in task_farm_cancelled; NULL: always true. Once false: all are to
     * stop. It may wait: no more is handed out meanwhile. */
    bool (*goes_on)(void *context);
} TaskFarm;

/* Collective. On every rank: true when all items are done and found; false when goes_on, or work
 * on any rank, ended it. Then each item that was done is found, and none that was cut short. */
bool task_farm_run(Comm *c, Backend *be, const TaskFarm *tasks);

/* For work, between two short pieces of a long item: has the stop reached this rank? True from
 * then on. */
bool task_farm_cancelled(TaskFarmRun *farm);
#endif
