/* 6f_lamb.c: LAMB. */
#include "check.h"
#include "lab3.h"
#include <math.h>
#include <stdlib.h>

void lamb(float *w, float *m, float *s, const float *g, int n, int step, double rate,
          const AdamOptions *o)
{
    float *r = alloc(n, sizeof *r);
    double first = 1 - pow(o->beta1, step), second = 1 - pow(o->beta2, step);
    for (int i = 0; i < n; i++) {
        m[i] = (float)(o->beta1 * m[i] + (1 - o->beta1) * g[i]);
        s[i] = (float)(o->beta2 * s[i] + (1 - o->beta2) * g[i] * g[i]);
        r[i] = (float)(m[i] / first / (sqrt(s[i] / second) + o->epsilon) + o->decay * w[i]);
    }
    double length = vector_norm(w, n), direction = vector_norm(r, n);
    double ratio = length > 0 && direction > 0 ? length / direction : 1;
    for (int i = 0; i < n; i++)
        w[i] = (float)(w[i] - rate * ratio * r[i]);
    free(r);
}
