/* sweep.h: many runs over settings x seeds, resumable, with median and spread: one run is luck.
 *
 * Each finished run is a line of a CSV file, written and flushed before the next one starts:
 *
 *     # {"model": "mlp", …}            configuration as JSON; runs of different ones do not mix
 *     batch,seed,images_per_s,steps    the setting, the seed, the measured values
 *     8,1,5120.3,812
 *
 * An interrupted sweep resumes: a run that has its line is not run again. An incomplete last line
 * is removed, and its run repeated; any other line that this program would not write so ends the
 * run, and is named. One process writes: with several ranks, rank 0; the run locks the folder.
 */
#ifndef SWEEP_H
#define SWEEP_H
#include "comm.h"
#include "quantiles.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { SWEEP_VALUES = 8 };

typedef struct SweepRow {
    double setting;
    int64_t seed;
    double value[SWEEP_VALUES]; /* NaN: missing (say, the run never reached its target) */
} SweepRow;

typedef struct Sweep {
    char *path;
    int values, rows;
    SweepRow *row;
    char *device; /* recorded: on which; NULL: not known */
} Sweep;

/* Open or begin the sweep at path. columns: "batch,images_per_s,steps": names of the setting and of
 * the values. A file with another configuration or other columns is renamed to path.old (replacing
 * an older one), and the sweep starts again; a file that is not a sweep ends the run (exit 2). The
 * folder must exist. config is not consumed. */
Sweep *sweep_open(const char *path, const char *columns, const json_t *config);
/* A sweep recorded elsewhere, with any configuration: read-only, to draw it again. A
 * file that is missing, or has other columns, ends the run (exit 2). */
Sweep *sweep_open_recorded(const char *path, const char *columns);
void sweep_free(Sweep *s); /* NULL is fine */

/* What the setting, or a value, can be in these runs. */
typedef struct SweepRange {
    double low, high;
    bool whole;   /* a whole number */
    bool missing; /* NaN is fine, too */
} SweepRange;
/* End the run (exit 2), naming the line, unless every row lies within range[1 + s->values]: the
 * setting's, then the values'. NULL is fine for s. */
void sweep_require(const Sweep *s, const SweepRange *range);

/* The rows of a file's bytes go to s, whose `values` is set. Every whole line must be exactly what
 * sweep_add() writes, and no run may be there twice; an incomplete last line is left out. Returns
 * NULL, or what is wrong with which line (free() it). *good: bytes up to the end of the last row;
 * 0: the file is empty, or another sweep's. */
char *sweep_parse(Sweep *s, size_t *good, const char *bytes, size_t size, const char *header);

/* Of its file, from 1. */
int sweep_line(const Sweep *s, const SweepRow *row);

/* NULL: not run yet. Settings are compared exactly. Valid until the next sweep_add(). */
const SweepRow *sweep_find(const Sweep *s, double setting, int64_t seed);
/* values[s->values]: writes the line; a failed write ends the run (exit 2). */
void sweep_add(Sweep *s, double setting, int64_t seed, const double *values);

/* One run. */
typedef struct SweepItem {
    double setting;
    int64_t seed;
} SweepItem;
/* Keep of item[count] those not run yet, in order, the same on all ranks, and return their number.
 * s is read on rank 0 only. Collective. */
int sweep_missing(SweepItem *item, const Sweep *s, Comm *c, int count);

/* One value over the seeds of one setting. value: 0 is the first column after the seed. */
Spread sweep_spread(const Sweep *s, double setting, int value);
#endif
