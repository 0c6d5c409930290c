/* schedule.c: see schedule.h. */
#include "schedule.h"
#include "check.h"
#include <math.h>
#include <string.h>

ScheduleKind schedule_kind(const char *name)
{
    static const char *const names[] = {"constant", "step", "cosine", "onecycle"};
    for (int i = 0; i < 4; i++)
        if (!strcmp(name, names[i]))
            return (ScheduleKind)i;
    die(EXIT_USAGE, "schedule '%s': expected one of " SCHEDULE_CHOICES, name);
}

/* From a (part = 0) to b (part = 1) along half a cosine: flat at both ends. */
static double cosine(double a, double b, double part)
{
    return b + (a - b) / 2 * (1 + cos(M_PI * part));
}

/* torch.optim.lr_scheduler.OneCycleLR with its defaults; the peak is at step 0.3 steps - 1, not
 * always an integer. */
static double onecycle(const Schedule *s, int64_t step)
{
    double first = s->rate / 25, last = first / 1e4;
    double top = 0.3 * (double)s->steps - 1, end = (double)s->steps - 1;
    if ((double)step <= top)
        return cosine(first, s->rate, (double)step / top);
    return cosine(s->rate, last, ((double)step - top) / (end - top));
}

double schedule_rate(const Schedule *s, int64_t step)
{
    ASSERT(step >= 0);
    bool ends = s->kind == SCHEDULE_COSINE || s->kind == SCHEDULE_ONECYCLE;
    ASSERT(!ends || step < s->steps);
    if (s->kind == SCHEDULE_ONECYCLE)
        return onecycle(s, step);
    if (step < s->warmup) {
        double start = s->start > 0 ? s->start : s->rate / (double)(s->warmup + 1);
        return start + (s->rate - start) * (double)step / (double)s->warmup;
    }
    int64_t since = step - s->warmup;
    switch (s->kind) {
    case SCHEDULE_STEP:
        ASSERT(s->drop_every > 0);
        return s->rate * pow(s->drop_by, (double)(since / s->drop_every));
    case SCHEDULE_COSINE: return cosine(s->rate, 0, (double)since / (double)(s->steps - s->warmup));
    default: return s->rate;
    }
}
