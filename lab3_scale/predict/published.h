/* published.h: published training times, each predicted from another published row. */
#ifndef PUBLISHED_H
#define PUBLISHED_H
#include "lab3.h"

typedef struct Published {
    const char *what;
    double base_hours; /* measured on base.devices … */
    Cluster base;      /* … whose compute is an update (or what comes before an exchange) there */
    int devices;       /* of the row to be predicted, */
    double hours;      /* which took so long */
    double watts;      /* of a device, its data sheet's limit; the rest of the machine is not in */
    const char *reason; /* for the disagreement */
} Published;

enum { PUBLISHED_ROWS = 7 };
extern const Published published[PUBLISHED_ROWS];
/* Hours on p->devices: as many images per device and update as in the base row, so as many fewer
 * updates as there are more devices. */
double published_predicted(const Published *p);
#endif
