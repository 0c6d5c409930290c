/* record.h: one all-reduce, watched: each rank's vector whenever it calls MPI, and the messages.
 *
 * The vector has an element per rank, and rank r gives 8^r, so that each digit of a sum says how
 * often that rank's part is in it. The link is so slow that the time of computing is nothing.
 */
#ifndef RECORD_H
#define RECORD_H
#include "all_reduces.h"
#include "plot.h"

enum { MOST_SEEN = 8, MOST_MOMENTS = 64, MOST_MESSAGES = 256, MOST_STEPS = 256 };

typedef struct Moment {
    double time; /* seconds from the start */
    float v[MOST_SEEN];
    int to;           /* a message to this rank leaves now; -1: none */
    int first, count; /* the elements that are sent; first -1: from another memory */
} Moment;

typedef struct RankRecord {
    int moments;
    Moment moment[MOST_MOMENTS];
} RankRecord;

typedef struct MessageSeen {
    int from, to, first, count;
    double leaves, arrived; /* seconds: when its first byte leaves, when its last one is there */
} MessageSeen;

typedef struct Record {
    bool done;
    Algorithm algorithm;
    int P;
    double latency, vector; /* seconds: the link's; in which a card sends the whole vector */
    double end;
    RankRecord rank[MOST_SEEN];
    int messages, steps;
    MessageSeen message[MOST_MESSAGES]; /* in the order in which they leave */
    double step[MOST_STEPS];            /* the start, and the moments at which something arrives */
} Record;

/* Collective over the run, on whose first P ranks it happens; the result is on rank 0. ratio: the
 * time in which a card sends the whole vector, in latencies. */
void record_all_reduce(Record *r, Algorithm a, int P, double ratio, Comm *all);
/* Rank `rank`'s vector [P] at a time. */
const float *record_vector(const Record *r, int rank, double time);
/* How often rank `part` is in this sum. */
int record_parts(float sum, int part);

/* record_view.c: as a figure: a row of chunks per rank, and the messages on their way between the
 * rows, at a time, in seconds from the start; missing: what is still to be written, or NULL. */
void record_draw(Plot *plot, const Record *r, double time, const char *missing, const char *footer);
#endif
