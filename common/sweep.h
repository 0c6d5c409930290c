/* sweep.h: many runs over settings x seeds, resumable, with median and spread: one run is luck.
 *
 * Each finished run is a line of a CSV file, written and flushed before the next one starts:
 *     # {"model": "mlp", …}               the configuration, as JSON: never mixed with another
 *     batch,seed,images_per_s,steps       the setting, the seed, the measured values
 *     8,1,5120.3,812
 * An interrupted sweep resumes: a run that has its line is not repeated. A truncated last line is
 * removed, and its run repeated. One process writes: in a run of several ranks, rank 0.
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
    double value[SWEEP_VALUES]; /* NaN: missing (say, the run missed its target) */
} SweepRow;

typedef struct Sweep {
    char *path;
    int values, rows;
    SweepRow *row;
} Sweep;

/* Open or begin the sweep at path. columns: "batch,images_per_s,steps": the setting's name, then
 * the values'. A file of another configuration or with other columns is renamed to path.old
 * (replacing an older one) and the sweep starts from scratch; a file that is not a sweep ends the
 * run (exit 2). The folder must exist. config is not consumed. */
Sweep *sweep_open(const char *path, const char *columns, const json_t *config);
void sweep_free(Sweep *s);

/* NULL: not run yet. */
const SweepRow *sweep_find(const Sweep *s, double setting, int64_t seed);
/* Write a finished run's line; values [s->values]. */
void sweep_add(Sweep *s, double setting, int64_t seed, const double *values);

/* One run of the sweep. */
typedef struct SweepItem {
    double setting;
    int64_t seed;
} SweepItem;
/* Keep of item[count] the runs that are still missing, in their order, on all ranks. s: read on
 * rank 0 only. Collective. Returns their count. */
int sweep_missing(SweepItem *item, const Sweep *s, Comm *c, int count);

/* Over the seeds of one setting: the median of one value (of an even number: the mean of the middle
 * two), the lowest and the highest. `runs` have a value; `missed` have none (NaN) and are left
 * out. */
typedef struct SweepSpread {
    int runs, missed;
    double median, low, high; /* NaN where no run has a value */
} SweepSpread;
/* value: 0 is the first column after the seed */
SweepSpread sweep_spread(const Sweep *s, double setting, int value);
#endif
