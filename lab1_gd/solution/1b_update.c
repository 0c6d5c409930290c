/* 1b_update.c: one step downhill. */
#include "lab1.h"

void update(double *w, double *b, double dw, double db, double rate)
{
    *w -= rate * dw;
    *b -= rate * db;
}
