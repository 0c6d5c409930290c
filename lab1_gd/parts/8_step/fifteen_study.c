/* fifteen_study.c: see fifteen_study.h. */
#include "fifteen_study.h"
#include "check.h"
#include "timer.h"
#include <stdlib.h>
#include <string.h>

/* What the elements of a Command are. */
enum { STOP, RESTART, BATCH, SHOW, STEP };

void fifteen_begin(FifteenStudy *s, const Lab *lab, int batch)
{
    timed_training_free(s->training);
    s->training = timed_training_new(lab->comm, lab->be, lab->data, s->model, batch, s->images,
                                     s->rate, s->seed);
}

/* All ranks' reports of one step, for the figure. */
static void collect(FifteenStudy *s, int64_t step)
{
    Comm *comm = s->study.lab->comm;
    StepReport mine = timed_training_report(s->training, step, !s->study.missing),
               all[FIFTEEN_RANKS];
    comm_gather_host(comm, all, &mine, sizeof mine, 0);
    if (comm->rank != 0)
        return;
    study_lock(&s->study, true);
    memcpy(s->report, all, (size_t)comm->size * sizeof *all);
    study_lock(&s->study, false);
}

/* Rank 0's next command. The figure shows a step of median length, a new one every half second;
 * while paused, the newest step. */
static Command next_command(FifteenStudy *s, double *shown)
{
    Command k = {{0}};
    bool stop = !study_goes_on(&s->study);
    study_lock(&s->study, true);
    stop |= s->study.leave && s->training->steps >= s->steps; /* all were made */
    bool newest = s->study.paused && !stop && !s->restart;
    int64_t step = newest ? s->training->steps : timed_training_median_step(s->training);
    k.number[STOP] = stop;
    k.number[RESTART] = s->restart;
    k.number[BATCH] = s->batch;
    k.number[SHOW] = !s->restart && step >= 0 && (timer_real() - *shown > 0.5 || newest || stop);
    k.number[STEP] = (int32_t)step;
    s->restart = false;
    study_lock(&s->study, false);
    if (k.number[SHOW])
        *shown = timer_real();
    return k;
}

void fifteen_work(void *study)
{
    FifteenStudy *s = study;
    double shown = 0;
    for (bool more = true; more;) {
        bool leads = s->study.lab->comm->rank == 0;
        Command k = commands_broadcast(&s->study.commands,
                                       leads ? next_command(s, &shown) : (Command){{0}});
        more = !k.number[STOP];
        if (k.number[RESTART])
            fifteen_begin(s, s->study.lab, k.number[BATCH]);
        if (more)
            timed_training_step(s->training);
        if (k.number[SHOW])
            collect(s, k.number[STEP]);
    }
}

/* Of a step, the medians of these parts, in percent. */
static double percent(const StepReport *r, Part from, Part to)
{
    double sum = 0;
    for (Part p = from; p <= to; p++)
        sum += r->spread[p].median;
    return 100 * sum / r->spread[PARTS].median;
}

void fifteen_report(const void *study)
{
    const FifteenStudy *s = study;
    Run *run = s->study.lab->run;
    const StepReport *r = s->report;
    if (!(r->spread[PARTS].median > 0)) {
        run_say(run, "%lld steps: too few for medians", (long long)r->steps);
        return;
    }
    run_say(run, "%lld steps of %.2f ms (median; middle 80 %%: %.2f to %.2f)", (long long)r->steps,
            1000 * r->spread[PARTS].median, 1000 * r->spread[PARTS].low,
            1000 * r->spread[PARTS].high);
    run_say(run, "part of the step, rank 0   median ms    middle 80 %%    fraction");
    run_metrics_header(run, "rank,part,median_ms,low_ms,high_ms,fraction");
    for (int rank = 0; rank < s->study.lab->comm->size; rank++)
        for (int p = 0; p < PARTS; p++) {
            PartSpread part = r[rank].spread[p];
            double fraction = part.median / r[rank].spread[PARTS].median;
            run_metrics(run, "%d,%s,%.6g,%.6g,%.6g,%.4g", rank, part_names[p], 1000 * part.median,
                        1000 * part.low, 1000 * part.high, fraction);
            char *text = format_new(p <= QUEUE ? "overlapped" : "%.1f %%", 100 * fraction);
            if (rank == 0)
                run_say(run, "%-25s %9.3f  %7.3f–%7.3f  %10s", part_names[p], 1000 * part.median,
                        1000 * part.low, 1000 * part.high, text);
            free(text);
        }
    run_say(run, "of a step: forward %.0f %%, backward %.0f %%; beside it, loading %.1f %%",
            percent(r, FORWARD_1, FORWARD_3), percent(r, BACKWARD_3, BACKWARD_1),
            percent(r, READ, PREPARE));
    if (!s->study.missing)
        run_say(run,
                "in the step shown, rank 0's training thread computes %.1f %% of the time; its "
                "loader's thread is busy %.1f %%",
                100 * r->computing, 100 * r->loading);
}
