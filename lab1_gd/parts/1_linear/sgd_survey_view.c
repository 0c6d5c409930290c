/* sgd_survey_view.c: a survey of noise floors as a plot, a table and a file. */
#include "check.h"
#include "file.h"
#include "run.h"
#include "sgd_survey.h"
#include <math.h>
#include <stdlib.h>

void sgd_survey_draw(const SgdSurvey *s, PlotPanel *panel, SgdSampling sampling, bool per_batch,
                     PlotStyle style)
{
    double *x = alloc(5ul * s->count, sizeof *x), *theory = x + s->count, *mean = theory + s->count,
           *low = mean + s->count, *high = low + s->count;
    int n = 0;
    for (int i = 0; i < s->count; i++) {
        const SgdPoint *p = &s->point[i];
        if (p->sampling != sampling)
            continue;
        double error = sgd_point_error(p);
        x[n] = per_batch ? p->rate / p->batch : p->rate;
        theory[n] = p->theory;
        mean[n] = sgd_point_mean(p);
        low[n] = fmax(mean[n] - 2 * error, mean[n] / 10);
        high[n] = mean[n] + 2 * error;
        n++;
    }
    plot_line(panel, n, x, theory,
              (PlotStyle){.color = style.color, .width = 1.75, .dashed = style.dashed});
    plot_errors(panel, n, x, low, high, (PlotStyle){.color = style.color});
    plot_scatter(
        panel, n, x, mean,
        (PlotStyle){.label = style.label, .color = style.color, .size = 8, .shape = style.shape});
    free(x);
}

void sgd_survey_report(const SgdSurvey *s, Run *run)
{
    char *path = run_path(run, "floor.csv");
    NewFile *file = file_begin(path);
    file_print(file, "sampling,rate,batch,theory,measured,error,small\n");
    run_say(run, "noise floor: mean loss above the minimum, over late updates");
    run_say(run, "sampling       rate  batch    theory  measured  ± error  η·tr(C)/(4B)");
    for (int i = 0; i < s->count; i++) {
        const SgdPoint *p = &s->point[i];
        double mean = sgd_point_mean(p), error = sgd_point_error(p),
               small = sgd_floor_small(&s->noise, p->rate, p->batch);
        file_print(file, "%s,%.9g,%d,%.9g,%.9g,%.9g,%.9g\n", sgd_sampling_word[p->sampling],
                   p->rate, p->batch, p->theory, mean, error, small);
        if (isnan(p->theory))
            run_say(run, "%-9s  %8.5g  %5d      none: its variance is not bounded",
                    sgd_sampling_word[p->sampling], p->rate, p->batch);
        else if (isnan(error))
            run_say(run, "%-9s  %8.5g  %5d  %8.5f  not measured", sgd_sampling_word[p->sampling],
                    p->rate, p->batch, p->theory);
        else
            run_say(run, "%-9s  %8.5g  %5d  %8.5f  %8.5f  %8.5f  %12.5f",
                    sgd_sampling_word[p->sampling], p->rate, p->batch, p->theory, mean, error,
                    small);
    }
    char *error = file_commit(file);
    REQUIRE(!error, "%s", error);
    free(path);
}
