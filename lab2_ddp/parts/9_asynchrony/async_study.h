/* async_study.h: part 9's experiment: a parameter server that waits for all workers, for all but
 * one, or for none, while the last worker is 1, 2, 4, 8 times as slow as the others; with one that
 * is 4 times as slow also from several seeds, with momentum and without.
 */
#ifndef ASYNC_STUDY_H
#define ASYNC_STUDY_H
#include "server.h"
#include "study.h"

enum {
    STUDY_SLOWS = 4,
    SLOW_SHOWN = 2, /* in study_slow: 4 times */
    STUDY_MOMENTA = 2,
    STUDY_SEEDS = 10
};

typedef enum { SERVE_SYNC, SERVE_BACKUP, SERVE_ASYNC, SERVE_AWARE, SERVE_KINDS } ServeKind;

typedef struct AsyncStudy {
    Study study; /* first: study.h. Its lock guards what has been found */
    const char *model;
    int batch, images, test, gradients, seeds;
    double rate, momentum, compute; /* compute: ms */
    Link link;
    Server *server;
    uint64_t seed;
    /* ---- found ---- */
    int done; /* runs */
    /* seconds 0: not run yet */
    ServerResult result[SERVE_KINDS][STUDY_MOMENTA][STUDY_SLOWS][STUDY_SEEDS];
} AsyncStudy;

extern const int study_slow[STUDY_SLOWS];
extern const char *const serve_names[SERVE_KINDS];

void async_open(void *study, const Lab *lab, uint64_t seed);
void async_close(void *study);
int async_runs(const AsyncStudy *s);
void async_work(void *study);
/* Seconds that all gradients take, as a model says: computing and sending, nobody waits for the
 * server. */
double async_predicted(const AsyncStudy *s, ServeKind kind, double slow);
/* Seconds from a worker's weights to its next. */
double async_period(const AsyncStudy *s, double slow);

/* async_view.c: the figure, and the results as a table and a file. */
void async_draw(const void *study, Plot *plot);
void async_report(const void *study);
#endif
