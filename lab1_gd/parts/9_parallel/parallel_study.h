/* parallel_study.h: part 9's experiment: every scheme that this world size allows, one after the
 * other, again with other micro-batches when a key asks for it; and the clock of its figure.
 */
#ifndef PARALLEL_STUDY_H
#define PARALLEL_STUDY_H
#include "parallel_run.h"
#include "study.h"

enum { USES_BUSY, USES_TURN, USES_SHARD, USES };

typedef struct ParallelStudy {
    Study study;
    int width, blocks, batch, micros, updates; /* micros: as the keys have it */
    double rate;
    const char *missing[USES]; /* by exercise, a line for the window; NULL: it is there */
    Commands wake;             /* the other ranks' lab_data() waits for a command of it */
    Task task;
    Outcome out[MOST_SCHEMES];
    int schemes, next, wanted; /* next: to measure; wanted: how often all were requested */
    int frames;                /* of the window so far */
    int chosen;                /* the scheme that is drawn large; -1: all */
    double clock;              /* the clock that the keys move, s */
    bool playing;
} ParallelStudy;

/* Why some scheme cannot cut the batch evenly, a new string; NULL: all can. */
char *parallel_uneven(const ParallelStudy *s, int ranks, int micros);
/* After lab_data() and lab_run(): the network and the first list of schemes. */
void parallel_begin(ParallelStudy *s, const Lab *lab, uint64_t seed);
void parallel_again(ParallelStudy *s, int micros); /* rank 0, locked: measure all of them again */
/* The other ranks leave the cores to the window until its first frame is drawn; then they read
 * their data. */
void parallel_wake(void *study);
bool parallel_next(const void *study, Command *todo);
void parallel_obey(void *study, Command todo);
/* When the longest schedule that is shown ends, s; 0: none is measured yet. (One rank alone is
 * shown only when chosen.) */
double parallel_end(const ParallelStudy *s);
void parallel_advance(void *study, double seconds);
void parallel_report(const void *study);
/* parallel_view.c: a timeline per scheme, or what it still needs, and a table of all. Only what
 * happened before the clock. */
void parallel_draw(const void *study, Plot *plot);
#endif
