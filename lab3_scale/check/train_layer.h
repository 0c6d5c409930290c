/* train_layer.h: what the checks of the optimisers (6a to 6h) share: a small layer is trained for a
 * few updates in several settings, and its weights are noted.
 */
#ifndef TRAIN_LAYER_H
#define TRAIN_LAYER_H
#include "lab3.h"

typedef struct Setting {
    const char *what;  /* "decay = 0.2" */
    int rows, columns; /* 0: one row of three */
    double mu, decay, trust;
    AdamOptions adam;
    double scale, rate, weights; /* times the gradients, the rates, the weights; 0: 1 */
    bool zero_weights, zero_gradients, zero_first_gradient;
} Setting;

typedef struct Trained {
    const Setting *s;
    float *w, *a, *b; /* a and b: the exercise's state, zero at first */
    const float *g;
    int n, step; /* step: 1, 2, … */
    double rate;
} Trained;
/* tolerance: of a weight, relative to how far the weights moved. */
void train_layer(const Setting *settings, int n, void (*update)(Trained l), double tolerance);
#endif
