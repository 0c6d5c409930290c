/* task_farm.h: independent tasks, handed out to the ranks as they become free.
 *
 * Rank 0 hands out the items in order and works as well: item 0 is its own, item 1 goes to rank 1,
 * and so on. A slower machine simply gets fewer. Which rank computes an item must not change its
 * result.
 *
 * Short items: with `ahead` 1 every other rank always has one item more than the one it works on,
 * and so never waits for rank 0. Long items (a whole training): `ahead` 0, and their work calls
 * task_farm_cancelled() now and then, in which rank 0 collects the results that have arrived and
 * hands out more.
 */
#ifndef TASK_FARM_H
#define TASK_FARM_H
#include "comm.h"

enum { TASK_VALUES = 48 };

typedef struct TaskFarmRun TaskFarmRun; /* a task_farm_run in progress on this rank */

typedef struct TaskFarm {
    int items, values; /* values per item, at most TASK_VALUES */
    int ahead;         /* items queued on another rank beside the one it works on */
    void *context;     /* passed to the functions */
    /* Any rank: compute value[values] of an item. False: cut short (task_farm_cancelled, or a
     * signal); all ranks stop. */
    bool (*work)(void *context, int item, double *value, TaskFarmRun *farm);
    /* Rank 0: an item is done, here or elsewhere. */
    void (*found)(void *context, int item, const double *value);
    /* Rank 0, between items and in task_farm_cancelled; NULL: always true. False: all ranks stop.
     * It may wait; no item is handed out meanwhile. */
    bool (*goes_on)(void *context);
} TaskFarm;

/* Collective. True on every rank: all items are done and found; false: goes_on, or work on any
 * rank, ended it. Then every finished item is found, and none that was cut short. */
bool task_farm_run(Comm *c, Backend *be, const TaskFarm *tasks);

/* For work, between two short pieces of a long item: has the stop reached this rank? From then on
 * true. */
bool task_farm_cancelled(TaskFarmRun *farm);
#endif
