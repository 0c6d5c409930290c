/* 5_filter_normalize.c: directions that are comparable between networks. */
#include "lab1.h"
#include <math.h>

void filter_normalize(float *d, const float *w, int filters, int size)
{
    for (int f = 0; f < filters; f++, d += size, w += size) {
        double dd = 0, ww = 0;
        for (int i = 0; i < size; i++) {
            dd += (double)d[i] * d[i];
            ww += (double)w[i] * w[i];
        }
        double scale = dd > 0 ? sqrt(ww / dd) : 0;
        for (int i = 0; i < size; i++)
            d[i] = (float)(scale * d[i]);
    }
}
