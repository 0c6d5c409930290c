/* 9c_expected_staleness.c: how old the gradients of an asynchronous server are. */
#include "lab2.h"

double expected_staleness(const double *period, int workers, int worker)
{
    double others = 0;
    if (worker < 0)
        return workers - 1; /* for any periods */
    for (int i = 0; i < workers; i++)
        others += i == worker ? 0 : period[worker] / period[i];
    return others;
}
