/* speed.h: how long an update takes, by batch size, also on a busy machine.
 *
 * All batch sizes take turns, round after round: what disturbs the machine for a while then does
 * not hit one size alone. On several ranks all measure at the same time, and the slowest counts. A
 * measurement is disturbed if its threads waited for a processor (timer_waited) for more than 5 %
 * of its time; several threads wait for each other's, too: 25 %. It is repeated, in at most
 * `rounds` more rounds. Of each size the `rounds` least disturbed ones count. Of one that is still
 * disturbed the processor's time counts, if there is one thread: that is accurate (to 2 % beside
 * twenty busy processes). With several nothing tells whose wait held up the others: then the whole
 * time counts, an upper bound.
 *
 * The time to a target is the updates to it times the median here: a training's own clock would
 * count the other processes, too.
 *
 *     Speeds speeds = {SPEED_DEFAULTS};
 *     Option options[] = {RUN_OPTIONS(run), SPEED_OPTIONS(speeds), {0}};
 *     speed_size(&speeds, 8); …
 *     speed_open(&speeds, &setup, comm, run, NULL);
 *     speed_measure(&speeds, background);
 *     Speed at_8 = speed_of(&speeds, 8);
 */
#ifndef SPEED_H
#define SPEED_H
#include "background_thread.h"
#include "run.h"
#include "sweep.h"
#include "train_to_target.h"

enum { SPEED_SIZES = 64 }; /* batch sizes at most */

typedef struct Speeds {
    int rounds;
    double slice; /* seconds per measurement */
    /* inside */
    const TargetSetup *setup;
    Comm *comm;
    Run *run;
    int batch[SPEED_SIZES], sizes; /* ascending */
    bool recorded;                 /* the file is: nothing is measured */
    Sweep *file;                   /* rank 0; else NULL: by batch and round, UpdateTime */
} Speeds;

#define SPEED_DEFAULTS .rounds = 5, .slice = 0.1
#define SPEED_OPTIONS(s) \
    {"rounds", ARG_INT,   &(s).rounds, \
     .min = 1, .max = 99, .help = "repetitions of each speed measurement"}, \
    { \
        "slice", ARG_REAL, &(s).slice, .min = 0.01, .max = 60, \
                                       .help = "seconds per speed measurement" \
    }

/* Measure this batch size, too. */
void speed_size(Speeds *s, int batch);
/* After speed_size(). setup and the others are borrowed. Results go to speed.csv in the run's
 * folder; if the folder `recorded` (NULL: none) has one, it is used, and nothing is measured. */
void speed_open(Speeds *s, const TargetSetup *setup, Comm *comm, Run *run, const char *recorded);
void speed_free(Speeds *s);

/* Measure what is missing. b: pauses it, stops it, and its lock guards the results; NULL: none.
 * False: stopped. Collective. */
bool speed_measure(Speeds *s, BackgroundThread *b);

typedef struct Speed {
    double seconds;     /* per update: the median; NaN: not measured */
    double quartile[2]; /* of the seconds */
    int disturbed;      /* number of disturbed measurements */
} Speed;
Speed speed_of(const Speeds *s, int batch);
/* How this was measured, in a line. */
void speed_say(const Speeds *s);
#endif
