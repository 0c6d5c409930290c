/* batch_study.c: the measurements; batch_study_view.c draws them. */
#include "batch_study.h"
#include "check.h"
#include "lab1.h"
#include <math.h>
#include <stdlib.h>

int batch_study_measured(const BatchStudy *s, double *batch, double *seconds, double *low,
                         double *high)
{
    int n = 0;
    for (int size = 1; size <= s->fastest && n < BATCH_SIZES; size *= 2) {
        Spread spread = sweep_spread(s->speed, size, 0);
        if (spread.count == 0)
            continue;
        batch[n] = size;
        seconds[n] = spread.median;
        low[n] = spread.low;
        high[n++] = spread.high;
    }
    return n;
}

/* The exercise, on the medians so far. */
static void fit(BatchStudy *s)
{
    double batch[BATCH_SIZES], seconds[BATCH_SIZES], low[BATCH_SIZES], high[BATCH_SIZES];
    int n = batch_study_measured(s, batch, seconds, low, high);
    s->t0 = s->c = NAN;
    if (n >= 3 && !s->missing)
        time_per_update(&s->t0, &s->c, batch, seconds, n);
}

/* One measurement, unless it exists already. False: interrupted. */
static bool measure(BatchStudy *s, BackgroundThread *b, int batch, int round)
{
    if (sweep_find(s->speed, batch, round))
        return true;
    if (!batch_sweep_goes_on(&s->sweep))
        return false;
    double seconds = target_update_seconds(&s->sweep.setup, batch, s->slice);
    background_lock(b);
    sweep_add(s->speed, batch, round, &seconds);
    fit(s);
    background_unlock(b);
    return true;
}

/* In rounds over all sizes, so that a disturbance does not hit one size alone. */
static bool measure_all(BatchStudy *s, BackgroundThread *b)
{
    int sizes = 0, done = 0;
    for (int batch = 1; batch <= s->fastest; batch *= 2)
        sizes++;
    for (int round = 1; round <= s->rounds; round++)
        for (int batch = 1; batch <= s->fastest; batch *= 2) {
            char *note = format_new("batch %d, round %d", batch, round);
            run_progress(s->run, "speed", done++, sizes * s->rounds, "measurements", note);
            free(note);
            if (!measure(s, b, batch, round))
                return false;
        }
    run_progress(s->run, "speed", done, done, "measurements", "all done");
    return true;
}

void batch_study_work(void *study, BackgroundThread *b)
{
    BatchStudy *s = study;
    s->sweep.background = b;
    bool measured = true;
    if (s->speed) { /* rank 0 alone; the others wait */
        fit(s);     /* what an earlier run measured */
        measured = measure_all(s, b);
    }
    bool complete = batch_sweep_run(&s->sweep, s->run) && measured;
    if (b)
        background_lock(b);
    s->complete = complete;
    if (b)
        background_unlock(b);
}

void batch_study_table(const BatchStudy *s)
{
    double batch[BATCH_SIZES], seconds[BATCH_SIZES], low[BATCH_SIZES], high[BATCH_SIZES];
    int n = batch_study_measured(s, batch, seconds, low, high);
    run_say(s->run, "speed: %d rounds, without tests and the first updates", s->rounds);
    run_say(s->run, "   batch   ms/update (lowest–highest)   images/s   t0 + c·B, ms");
    for (int i = 0; i < n; i++)
        run_say(s->run, "%8.0f %11.3f (%.3f–%.3f) %10.0f %14.3f", batch[i], 1e3 * seconds[i],
                1e3 * low[i], 1e3 * high[i], batch[i] / seconds[i],
                1e3 * (s->t0 + s->c * batch[i]));
    char *half = s->t0 > 0 ? format_new("half of that at batch %.1f", s->t0 / s->c)
                           : format_new("t0 is below the noise");
    run_say(s->run,
            "fit: t0 = %.3f ms per update, c = %.4f ms per image: at most %.0f images/s, %s",
            1e3 * s->t0, 1e3 * s->c, 1 / s->c, half);
    free(half);
    run_say(s->run, "to %.0f %% test accuracy:", 100 * s->sweep.target);
    batch_sweep_table(&s->sweep, s->run);
}
