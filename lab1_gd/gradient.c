/* gradient.c: exercise: the slope of the loss. Contract: lab1.h. */
#include "check.h"
#include "lab1.h"

void gradient(double *dw, double *db, const double *x, const double *y, int n, double w, double b)
{
    (void)dw, (void)db, (void)x, (void)y, (void)n, (void)w, (void)b;
    TODO("set *dw and *db to the slope of the mean squared error over the n points");
}
