/* predictor.h: part 8's calculator: what is measured here, what the keys choose, and what follows.
 */
#ifndef PREDICTOR_H
#define PREDICTOR_H
#include "measured.h"

enum { MOST_DEVICES = 1536 };

typedef struct Predictor {
    Study study;
    const char *model;
    int images, test; /* used of the data */
    int devices, per_node, batch;
    double gbits, latency, overlap, faster, watts, price; /* gbits/s; latency in µs */
    bool half; /* bf16: half the bytes, `faster` computing */
    double parameters;
    /* measured */
    bool ready;
    double image_seconds, update_seconds; /* an update is their a b + c */
    Measured measured;                    /* on this machine's ranks */
} Predictor;

/* published.c: published training times, each predicted from another published row. */
typedef struct Published {
    const char *what;
    double base_hours; /* measured on base.devices … */
    Cluster base;      /* … whose compute is an update (or what comes before an exchange) there */
    int devices;       /* of the row to be predicted, */
    double hours;      /* that it took */
    double watts;      /* of a device, its data sheet's limit; the rest of the machine is not in */
    const char *reason; /* for the disagreement */
} Published;

enum { PUBLISHED_ROWS = 7 };
extern const Published published[PUBLISHED_ROWS];
/* Hours on p->devices: with the base row's images per device and update, so the number of
 * updates falls as 1 / devices. */
double published_predicted(const Published *p);

void predictor_open(void *study, const Lab *lab, uint64_t seed);
void predictor_work(void *study);
/* predictor_view.c */
void predictor_draw(const void *study, Plot *plot);
void predictor_report(const void *study);
#endif
