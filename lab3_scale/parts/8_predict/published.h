/* published.h: published training times, each predicted from another published row. */
#ifndef PUBLISHED_H
#define PUBLISHED_H
#include "lab3.h"

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
#endif
