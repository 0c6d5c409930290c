/* 6e_adam.c: Adam and AdamW. */
#include "lab3.h"
#include <math.h>

void adam(float *w, float *m, float *s, const float *g, int n, int step, double rate,
          const AdamOptions *o)
{
    double first = 1 - pow(o->beta1, step), second = 1 - pow(o->beta2, step);
    for (int i = 0; i < n; i++) {
        double d = g[i];
        if (o->decoupled)
            w[i] = (float)(w[i] - rate * o->decay * w[i]);
        else
            d += o->decay * w[i];
        m[i] = (float)(o->beta1 * m[i] + (1 - o->beta1) * d);
        s[i] = (float)(o->beta2 * s[i] + (1 - o->beta2) * d * d);
        w[i] = (float)(w[i] - rate * (m[i] / first) / (sqrt(s[i] / second) + o->epsilon));
    }
}
