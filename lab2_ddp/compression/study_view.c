/* study_view.c: the figure and the tables. */
#include "check.h"
#include "compression_study.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void compression_draw(const CompressionStudy *s, Plot *plot)
{
    plot_begin(plot, 1, 1, "x");
}

void compression_report(const CompressionStudy *s)
{
    Run *run = s->lab->run;
    for (int row = 0; row < s->remedies; row++) {
        const RemedyResult *r = &s->result[row];
        char acc[200] = "";
        int at = 0;
        for (int k = 0; k < s->points; k += 3)
            at += snprintf(acc + at, sizeof acc - at, " %.3f", r->trained[0].accuracy[k]);
        run_say(run, "%-28s %9.0f B compute %6.2f compress %6.2f ms %6.2f ns/el last %.3f |%s",
                study_spec(s, row)->name, r->sent, 1e3 * r->compute, 1e3 * r->compress,
                1e9 * r->compress / r->elements, r->trained[0].accuracy[s->points - 1], acc);
    }
    for (int k = 0; k < s->proofs; k++)
        run_say(run, "proof %s %.0f: %.3f ms, derived %.3f ms: %+.1f %%",
                study_spec(s, s->proof[k].remedy)->name, study_bandwidth[s->proof[k].link],
                1e3 * s->proof[k].clock, 1e3 * s->proof[k].derived,
                100 * (s->proof[k].derived / s->proof[k].clock - 1));
}
