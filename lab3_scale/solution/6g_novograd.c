/* 6g_novograd.c: NovoGrad. */
#include "lab3.h"
#include <math.h>

void novograd(float *w, float *m, float *s, const float *g, int n, int step, double rate,
              const AdamOptions *o)
{
    double squares = 0;
    for (int i = 0; i < n; i++)
        squares += (double)g[i] * g[i];
    s[0] = (float)(step == 1 ? squares : o->beta2 * s[0] + (1 - o->beta2) * squares);
    double divisor = sqrt(s[0]) + o->epsilon;
    if (divisor == 0)
        divisor = 1;
    for (int i = 0; i < n; i++) {
        m[i] = (float)(o->beta1 * m[i] + g[i] / divisor + o->decay * w[i]);
        w[i] = (float)(w[i] - rate * m[i]);
    }
}
