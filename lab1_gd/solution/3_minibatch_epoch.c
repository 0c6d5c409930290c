/* 3_minibatch_epoch.c: one epoch, a batch at a time. */
#include "lab1.h"

void minibatch_epoch(double *w, double *b, const double *x, const double *y, const int *order,
                     int n, int batch, double rate, double *room, UpdateReport *report,
                     void *context)
{
    for (int first = 0; first < n; first += batch) {
        int size = n - first < batch ? n - first : batch;
        double *batch_x = room, *batch_y = room + batch, dw, db;
        for (int i = 0; i < size; i++) {
            batch_x[i] = x[order[first + i]];
            batch_y[i] = y[order[first + i]];
        }
        gradient(&dw, &db, batch_x, batch_y, size, *w, *b);
        update(w, b, dw, db, rate);
        report(context, first, size, *w, *b);
    }
}
