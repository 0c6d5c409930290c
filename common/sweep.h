/* sweep.h: many runs over settings x seeds, resumable, with median and spread: one run is luck.
 *
 * Each finished run is a line of a CSV file, written and flushed before the next one starts:
 *     # {"model": "mlp", …}               the configuration, as JSON: runs of another one do not
 *     mix
 *     batch,seed,images_per_s,steps       the setting, the seed, the measured values
 *     8,1,5120.3,812
 * A sweep that was interrupted goes on where it was: a run that has its line is not run again. A
 * last line that was cut off is removed, and that run done again. One process writes: in a run of
 * several ranks, rank 0.
 */
#ifndef SWEEP_H
#define SWEEP_H
#include "comm.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { SWEEP_VALUES = 8 };

typedef struct SweepRow {
    double setting;
    int64_t seed;
    double value[SWEEP_VALUES]; /* NaN: this run gave none (say, it never reached its target) */
} SweepRow;

typedef struct Sweep {
    char *path;
    int values, rows;
    SweepRow *row;
} Sweep;

/* Open or begin the sweep at path. columns: "batch,images_per_s,steps": the setting's name, then
 * the values'. A file of another configuration or of other columns is renamed to path.old (an older
 * one is lost) and the sweep begins anew; one that is no sweep at all ends the run (exit 2). The
 * folder must exist. config is not consumed. */
Sweep *sweep_open(const char *path, const char *columns, const json_t *config);
void sweep_free(Sweep *s);

/* NULL: still to run */
const SweepRow *sweep_find(const Sweep *s, double setting, int64_t seed);
/* values[values]: writes the line */
void sweep_add(Sweep *s, double setting, int64_t seed, const double *values);

/* One run: what it is of. */
typedef struct SweepItem {
    double setting;
    int64_t seed;
} SweepItem;
/* Of item[count], leave those that are still to run, in their order, and say so to all ranks. s:
 * rank 0's, elsewhere not read. Collective. Returns how many they are. */
int sweep_missing(SweepItem *item, const Sweep *s, Comm *c, int count);

/* Over the seeds of one setting: the median of one value (of an even number: the mean of the middle
 * two), and its lowest and highest. `runs` gave a value; `missed` gave none (NaN) and are left
 * out. */
typedef struct SweepSpread {
    int runs, missed;
    double median, low, high; /* NaN where no run gave a value */
} SweepSpread;
/* value: 0 is the first column after the seed */
SweepSpread sweep_spread(const Sweep *s, double setting, int value);
#endif
