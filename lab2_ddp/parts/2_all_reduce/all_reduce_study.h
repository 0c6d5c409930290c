/* all_reduce_study.h: part 2's experiment: every all-reduce is timed once on every number of ranks;
 * a record that a key asks for is made before the next of these. Three pages show it.
 */
#ifndef ALL_REDUCE_STUDY_H
#define ALL_REDUCE_STUDY_H
#include "compare.h"
#include "record.h"
#include "study.h"

typedef enum { PAGE_STEPS, PAGE_TIMES, PAGE_MAP, PAGES } Page;

typedef struct AllReduceStudy {
    Study study;
    Comparison compared;
    int measured; /* of the comparison, in the order of the work */
    Record record;
    Page page;
    Algorithm algorithm; /* wanted in the record, */
    int P, ratio;        /* with this many ranks, and a vector of 2^ratio latencies */
    int world, size;     /* of the times */
    double time;         /* of the record that is shown, s */
    bool playing;
} AllReduceStudy;

bool all_reduce_next(const void *study, Command *todo);
void all_reduce_obey(void *study, Command todo);
void all_reduce_advance(void *study, double seconds);
void all_reduce_draw(const void *study, Plot *plot);
void all_reduce_report(const void *study); /* the pages as files, too */
#endif
