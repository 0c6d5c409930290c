/* 4a_ghost_norm.c: batch norm whose statistics come from small parts of the batch. */
#include "lab3.h"
#include <math.h>

void ghost_norm(float *y, const float *x, const float *gamma, const float *beta, int rows,
                int channels, int group)
{
    for (int first = 0; first < rows; first += group) {
        int end = group < rows - first ? first + group : rows, count = end - first;
        for (int c = 0; c < channels; c++) {
            double mean = 0, variance = 0;
            for (int r = first; r < end; r++)
                mean += x[(size_t)r * channels + c] / (double)count;
            for (int r = first; r < end; r++)
                variance += pow(x[(size_t)r * channels + c] - mean, 2) / count;
            double scale = gamma[c] / sqrt(variance + 1e-5);
            for (int r = first; r < end; r++) {
                size_t at = (size_t)r * channels + c;
                y[at] = (float)(scale * (x[at] - mean) + beta[c]);
            }
        }
    }
}
