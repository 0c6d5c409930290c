/* update.c: exercise: one step downhill. Contract: lab1.h. */
#include "check.h"
#include "lab1.h"

void update(double *w, double *b, double dw, double db, double rate)
{
    (void)w, (void)b, (void)dw, (void)db, (void)rate;
    TODO("move *w and *b against the slope, rate times as far as the slope is steep");
}
