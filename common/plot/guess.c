/* guess.c: see guess.h. */
#include "guess.h"
#include "check.h"
#include "file.h"
#include "number.h"
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

void guess_check(Guess *g)
{
    REQUIRE(!g->text || number_real(&g->value, g->text, -1e12, 1e12),
            "--guess=%s: expected a number%s%s: your guess of the %s", g->text ? g->text : "",
            *g->unit ? " of " : "", g->unit, g->what);
}

void guess_rule(const Guess *g, PlotPanel *panel)
{
    if (g->text)
        plot_rule_y(panel, g->value,
                    (PlotStyle){.color = plot_series(1), .dashed = true, .label = "your guess"});
}

void guess_found(const Guess *g, Run *run, double found)
{
    struct stat about;
    if (!g->text || isnan(found) || !run->speaks)
        return;
    char *path = format_new("%s/../guesses.csv", run->dir), *error = NULL;
    double off = found != 0 ? 100 * (g->value / found - 1) : NAN;
    run_say(run, "your guess of the %s: %.4g %s; it is %.4g %s: %+.0f %%", g->what, g->value,
            g->unit, found, g->unit, off);
    FILE *log = file_log(path, false, &error);
    if (log) {
        bool first = fstat(fileno(log), &about) == 0 && about.st_size == 0;
        char *line = format_new("%s%s,\"%s (%s)\",%.9g,%.9g,%.4g\n",
                                first ? "program,what,guess,found,off_percent\n" : "", run->program,
                                g->what, g->unit, g->value, found, off);
        char *why = file_log_put(log, line);
        error = why ? format_new("%s: %s", path, why) : NULL;
        free(why);
        free(line);
        fclose(log);
    }
    if (error)
        run_fail(run, error);
    free(path);
}
