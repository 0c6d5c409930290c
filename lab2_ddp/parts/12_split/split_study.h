/* split_study.h: part 12's experiment: an MLP cut by weights (12a, 12b), and also by positions
 * (12c), and a head of ring attention (12d), on 1, 2, 4 and 8 ranks: what is sent, how long it
 * takes on the virtual clock, and how far the result is from one rank's.
 */
#ifndef SPLIT_STUDY_H
#define SPLIT_STUDY_H
#include "lab2.h"
#include "study.h"

typedef enum { LAYER_TENSOR, LAYER_SEQUENCE, LAYER_RING, SPLIT_LAYERS } SplitLayer;
enum { SPLIT_SIZES = 4 }; /* 1, 2, 4, 8 ranks */

typedef struct SplitFound {
    double seconds;    /* of the slowest rank; NAN: not measured yet */
    double sent;       /* bytes, by rank 0 */
    double difference; /* from one rank's result: largest, over the largest number in it */
} SplitFound;

typedef struct SplitStudy {
    Study study; /* first: study.h */
    int positions, width;
    Link link;
    MPI_Comm
        group[SPLIT_SIZES]; /* MPI_COMM_NULL: this rank is not in it, or the world is smaller */
    /* ---- found ---- */
    double compute[SPLIT_LAYERS]; /* seconds on one rank, which the clock is charged a share of */
    SplitFound found[SPLIT_LAYERS][SPLIT_SIZES];
} SplitStudy;

extern const char *const split_layers[SPLIT_LAYERS];
void split_open(SplitStudy *s, MPI_Comm world); /* collective */
void split_close(SplitStudy *s);
void split_work(void *study);
double split_predicted(const SplitStudy *s, SplitLayer layer, int P);         /* seconds */
double split_sent(const SplitStudy *s, SplitLayer layer, int P);              /* bytes */
BlockWork split_block(const SplitStudy *s, double samples, double positions); /* a whole block */

/* split_view.c */
void split_draw(const void *study, Plot *plot);
void split_report(const void *study);
#endif
