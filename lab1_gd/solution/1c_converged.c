/* 1c_converged.c: when to stop. */
#include "lab1.h"

bool converged(const double *loss, int count, int window, double tolerance)
{
    if (count <= window)
        return false;
    double before = loss[count - 1 - window], now = loss[count - 1];
    return now <= before && (before - now < tolerance * before || before == 0);
}
