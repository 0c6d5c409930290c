/* predictor.h: part 8's calculator: what is measured here, what the keys choose, and what follows.
 */
#ifndef PREDICTOR_H
#define PREDICTOR_H
#include "measured.h"
#include "published.h"

enum { MOST_DEVICES = 1536 };

typedef struct Predictor {
    Study study;
    const char *model;
    int devices, per_node, batch;
    double gbits, latency, overlap, faster, watts, price; /* gbits/s; latency in µs */
    bool half; /* bf16: half the bytes, `faster` computing */
    double parameters;
    /* measured */
    bool ready;
    double image_seconds, update_seconds; /* an update is their a b + c */
    Measured measured;                    /* on this machine's ranks */
} Predictor;

double predictor_parameters(const Predictor *p, const Lab *lab);
void predictor_work(void *study);
/* predictor_view.c */
void predictor_draw(const void *study, Plot *plot);
void predictor_report(const void *study);
#endif
