/* 8_busy.c: how long was a thread busy? From `from` on, through spans and gaps in turn. */
#include "lab1.h"
#include <math.h>

double busy(const double *start, const double *end, int n, double from, double to)
{
    double covered = 0, now = from;
    while (now < to) {
        double reach = now, next = to; /* the end of the spans that cover `now`; the next start
                                        * after it */
        for (int i = 0; i < n; i++) {
            if (start[i] <= now)
                reach = fmax(reach, end[i]);
            else
                next = fmin(next, start[i]);
        }
        reach = fmin(reach, to);
        covered += reach - now;
        now = reach > now ? reach : next;
    }
    return covered;
}
