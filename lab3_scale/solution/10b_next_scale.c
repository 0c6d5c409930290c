/* 10b_next_scale.c: the factor on the loss, update by update. */
#include "lab3.h"
#include <math.h>

bool next_scale(Scaling *s, bool finite)
{
    if (!finite) {
        s->scale = fmax(s->scale / 2, 1);
        s->good = 0;
        return false;
    }
    if (++s->good == s->interval) {
        s->scale = fmin(s->scale * 2, 1 << 24);
        s->good = 0;
    }
    return true;
}
