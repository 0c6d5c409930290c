/* parallel_study.c: see parallel_study.h. */
#include "parallel_study.h"
#include "check.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What the elements of a Command are. */
enum { SCHEME = 1, MICROS, WANTED };

char *parallel_uneven(const ParallelStudy *s, int ranks, int micros)
{
    Scheme list[MOST_SCHEMES];
    int n = schemes_list(list, ranks, micros);
    for (int i = 0; i < n; i++)
        if (s->batch % (list[i].replicas * list[i].micros))
            return format_new(
                "--batch=%d: '%s' cannot cut it into %d equal parts: take a multiple of %d",
                s->batch, list[i].name, list[i].replicas * list[i].micros,
                list[i].replicas * list[i].micros);
    return NULL;
}

/* The exercise that this scheme still needs, as a line; NULL: none. */
static const char *missing_for(const ParallelStudy *s, const Scheme *scheme)
{
    return scheme->stages > 1 ? s->missing[USES_TURN]
         : scheme->shards > 1 ? s->missing[USES_SHARD]
                              : NULL;
}

static bool may_continue(void *study) { return study_goes_on(study); }

void parallel_begin(ParallelStudy *s, const Lab *lab, uint64_t seed)
{
    Comm *comm = lab->comm;
    char *why = parallel_uneven(s, comm->size, s->micros);
    REQUIRE(!why, "%s", why);
    REQUIRE(s->batch <= lab->data->train.count, "--batch=%d is above the %d training images",
            s->batch, lab->data->train.count);
    MlpSpec spec = {s->width, s->blocks, lab->data->classes, seed};
    s->task = task_new(comm, lab->be, lab->data, spec, s->batch, s->updates, s->rate);
    s->task.may_continue = may_continue;
    s->task.context = s;
    s->task.busy = !s->missing[USES_BUSY];
    parallel_again(s, s->micros);
}

void parallel_again(ParallelStudy *s, int micros)
{
    Scheme list[MOST_SCHEMES];
    s->schemes = schemes_list(list, s->task.comm->size, micros);
    for (int i = 0; i < s->schemes; i++)
        s->out[i] = (Outcome){.scheme = list[i], .missing = missing_for(s, &list[i])};
    s->micros = micros;
    s->next = 0;
    s->wanted++;
    s->clock = INFINITY;
    s->playing = false;
}

static void progress(const ParallelStudy *s)
{
    char note[48];
    snprintf(note, sizeof note, "micro-batches %d", s->micros);
    run_progress(s->study.lab->run, "measured", s->next, s->schemes, "schemes", note);
}

void parallel_wake(void *study)
{
    ParallelStudy *s = study;
    if (s->task.comm->rank != 0)
        return;
    for (bool waits = true; waits && study_goes_on(&s->study);) {
        usleep(1000);
        study_lock(&s->study, true);
        waits = s->frames < 2 && !s->study.leave;
        study_lock(&s->study, false);
    }
    commands_broadcast(&s->wake, (Command){{0}});
    progress(s);
}

bool parallel_next(const void *study, Command *todo)
{
    const ParallelStudy *s = study;
    *todo = (Command){{0, s->next, s->micros, s->wanted}};
    return s->next < s->schemes;
}

void parallel_obey(void *study, Command todo)
{
    ParallelStudy *s = study;
    const int32_t *k = todo.number;
    Scheme list[MOST_SCHEMES];
    static Outcome out;
    schemes_list(list, s->task.comm->size, k[MICROS]);
    if (!task_run(&s->task, &list[k[SCHEME]], &out) || s->task.comm->rank != 0)
        return;
    study_lock(&s->study, true);
    if (k[WANTED] == s->wanted) { /* no key has asked for others meanwhile */
        s->out[s->next++] = out;
        while (s->next < s->schemes && s->out[s->next].missing)
            s->next++;
    }
    progress(s);
    study_lock(&s->study, false);
}

double parallel_end(const ParallelStudy *s)
{
    double end = 0;
    for (int i = s->schemes > 1; i < s->schemes; i++)
        end = fmax(end, s->out[i].done ? s->out[i].end : 0);
    return s->chosen < 0 ? end : s->out[s->chosen].done ? s->out[s->chosen].end : 0;
}

/* The clock takes ten seconds for the longest schedule. */
void parallel_advance(void *study, double seconds)
{
    ParallelStudy *s = study;
    double end = parallel_end(s);
    s->frames++;
    if (s->playing)
        s->clock += seconds * end / 10;
    if (s->playing && s->clock >= end) {
        s->clock = INFINITY;
        s->playing = false;
    }
}

void parallel_report(const void *study)
{
    const ParallelStudy *s = study;
    Run *run = s->study.lab->run;
    for (int i = 0; i < USES; i++)
        if (s->missing[i])
            run_say(run, "to do: %s", s->missing[i]);
    run_say(run, "scheme            exchanged       loss     error   weights error   MB/rank    "
                 "formula    idle  bubble      ms  ms here  images kept");
    run_metrics_header(run, "scheme,micro,rank,bytes,bytes_expected,idle,bubble,loss,loss_error,"
                            "weights_error,ms,ms_here,images_kept");
    for (int i = 0; i < s->schemes; i++) {
        const Outcome *o = &s->out[i];
        if (!o->done)
            continue;
        double bytes = 0, expected = 0;
        for (int r = 0; r < o->ranks; r++) {
            bytes = fmax(bytes, o->bytes[r]);
            expected = fmax(expected, o->expected[r]);
            run_metrics(run, "%s,%d,%d,%.17g,%.17g,%.5g,%.5g,%.9g,%.3g,%.3g,%.5g,%.5g,%d",
                        o->scheme.name, o->scheme.micros, r, o->bytes[r], o->expected[r],
                        o->idle[r], outcome_bubble(&o->scheme), o->loss, o->loss_error,
                        o->weights_error, 1000 * o->end, 1000 * o->wall,
                        outcome_kept(o, r, s->batch));
        }
        char *bubble = isnan(outcome_bubble(&o->scheme))
                         ? format_new("     –") /* one column, three bytes */
                         : format_new("%.1f %%", 100 * outcome_bubble(&o->scheme));
        double fraction = outcome_idle(o);
        char *idle = isnan(fraction) ? format_new("     –") : format_new("%.1f %%", 100 * fraction);
        run_say(run, "%-17s %-12s %7.4f  %8.1e  %14.1e %9.4f  %9.4f  %6s  %6s %7.1f  %7.1f  %11d",
                o->scheme.name, o->scheme.exchanged, o->loss, o->loss_error, o->weights_error,
                bytes / 1e6, expected / 1e6, idle, bubble, 1000 * o->end, 1000 * o->wall,
                outcome_kept(o, 0, s->batch));
        free(bubble);
        free(idle);
    }
}
