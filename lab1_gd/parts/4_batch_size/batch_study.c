/* batch_study.c: the measurements; batch_study_view.c draws them. */
#include "batch_study.h"
#include "check.h"
#include "lab1.h"
#include <math.h>
#include <stdlib.h>

int batch_study_measured(const BatchStudy *s, double batch[SPEED_SIZES], Speed speed[SPEED_SIZES])
{
    const Speeds *all = &s->sweep.speeds;
    int n = 0;
    for (int i = 0; i < all->sizes; i++) {
        batch[n] = all->batch[i];
        speed[n] = speed_of(all, all->batch[i]);
        n += !isnan(speed[n].seconds);
    }
    return n;
}

BatchStudy batch_study_fitted(const void *study)
{
    BatchStudy s = *(const BatchStudy *)study;
    double batch[SPEED_SIZES], seconds[SPEED_SIZES];
    Speed speed[SPEED_SIZES];
    int n = batch_study_measured(&s, batch, speed);
    for (int i = 0; i < n; i++)
        seconds[i] = speed[i].seconds;
    s.t0 = s.c = NAN;
    if (n >= 3 && !s.study.missing)
        time_per_update(&s.t0, &s.c, batch, seconds, n);
    return s;
}

void batch_study_work(void *study)
{
    BatchStudy *s = study;
    s->sweep.background = s->study.own;
    bool complete = batch_sweep_run(&s->sweep, s->study.lab->run);
    study_lock(&s->study, true);
    s->complete = complete;
    study_lock(&s->study, false);
    if (complete)
        run_progress(s->study.lab->run, "sweep", s->sweep.done, s->sweep.done, "runs", "all done");
}

void batch_study_table(const void *study)
{
    BatchStudy fitted = batch_study_fitted(study), *s = &fitted;
    Run *run = s->study.lab->run;
    if (s->study.missing)
        return;
    double batch[SPEED_SIZES];
    Speed speed[SPEED_SIZES];
    int n = batch_study_measured(s, batch, speed);
    speed_say(&s->sweep.speeds);
    run_say(run, "   batch   ms/update (quartiles)   images/s   t0 + c·B, ms");
    for (int i = 0; i < n; i++) {
        const Speed *v = speed + i;
        run_say(run, "%8.0f %11.3f (%.3f–%.3f) %10.0f %14.3f", batch[i], 1e3 * v->seconds,
                1e3 * v->quartile[0], 1e3 * v->quartile[1], batch[i] / v->seconds,
                1e3 * (s->t0 + s->c * batch[i]));
    }
    char *half = s->t0 > 0 ? format_new("half of that at batch %.1f", s->t0 / s->c)
                           : format_new("t0 is below the noise");
    run_say(run, "fit: t0 = %.3f ms per update, c = %.4f ms per image: at most %.0f images/s, %s",
            1e3 * s->t0, 1e3 * s->c, 1 / s->c, half);
    free(half);
    run_say(run, "to %.0f %% test accuracy:", 100 * s->sweep.target);
    batch_sweep_table(&s->sweep, run);
}
