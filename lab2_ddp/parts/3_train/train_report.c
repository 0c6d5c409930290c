/* train_report.c: what the trainer prints and writes: the set-up, a table row per epoch, the
 * result.
 *
 * All of it goes through a Run, which prints on one rank and is silent on the others.
 */
#include "generate.h"
#include "lab2.h"
#include "link.h"
#include "observer.h"
#include "timer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An image's name here, and the training's sums over images as sums over labels. */
static bool of_text(const Run *r) { return model_positions(r->context) > 1; }
static const char *images(const Run *r) { return of_text(r) ? "windows" : "images"; }
static Metrics per_label(const Run *r, Metrics sums)
{
    sums.count *= model_positions(r->context);
    return sums;
}

void report_to_do(Run *r, const char *file, const int *to_do)
{
    char list[128] = "";
    int used = 0;
    for (int i = 0; to_do[i] && used < (int)sizeof list - 16; i++) {
        used += snprintf(list + used, sizeof list - (size_t)used, " %d", to_do[i]);
        OBSERVE(to_do, to_do[i]);
    }
    if (used)
        run_say(r, "still to do in %s: steps%s", file, list);
}

/* The link and the clock, where there is something to say. */
static void say_link(Run *r, const TrainOptions *o)
{
    char text[64];
    Link link = link_now_used();
    bool asked = strcmp(o->link, "none") || strcmp(o->clock, "real");
    link_text(text, sizeof text, link);
    if (isfinite(link.bandwidth) || link_virtual())
        run_say(r, "link between the ranks: %s; %s clock", text,
                link_virtual() ? "virtual" : "real");
    else if (asked)
        run_say(r, "--link and --clock do nothing before step 1: there is no communication yet");
}

static void say_changed(Run *r, const char *option, int then, int now)
{
    if (then > 0 && then != now)
        run_say(r, "  changed: --%s %d, was %d: from here on this is a different training", option,
                now, then);
}

/* The options that decide what an update is; Progress knows the rest of them. */
static void say_changed_options(Run *r, const TrainOptions *o)
{
    static const char *const names[] = {"rate",       "schedule", "warmup",   "drop-every",
                                        "drop-by",    "momentum", "nesterov", "weight-decay",
                                        "flip",       "shift",    "cutout",   "ghost",
                                        "accumulate", "precision"};
    json_t *now = args_json(o->table);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_t *was = json_object_get(o->resumed->options, names[i]),
               *is = json_object_get(now, names[i]);
        bool same = json_is_number(was) ? fabs(json_number_value(was) - json_number_value(is)) <=
                                              1e-12 * fabs(json_number_value(was))
                                        : json_equal(was, is);
        bool idle = (!strcmp(names[i], "warmup") && !strcmp(o->schedule, "onecycle")) ||
                    (!strncmp(names[i], "drop-", 5) && strcmp(o->schedule, "step") != 0);
        if (!was || same || idle)
            continue;
        char *new = json_dumps(is, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        char *old = json_dumps(was, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        run_say(r, "  changed: --%s %s, was %.40s: from here on this is a different training",
                names[i], new, old);
        free(new);
        free(old);
    }
    json_decref(now);
}

/* Where it resumes, and which options have changed. */
static void say_resume(Run *r, const TrainOptions *o)
{
    const Progress *p = &o->resumed->from;
    bool to_the_end = strcmp(o->schedule, "constant") != 0 && strcmp(o->schedule, "step") != 0;
    run_say(r, "resumed from %s: epoch %d, %lld images of it, update %lld, on %d rank%s", o->resume,
            p->epoch + 1, (long long)p->position, (long long)p->step, p->world_size,
            p->world_size == 1 ? "" : "s");
    say_changed(r, "batch", p->batch, o->batch);
    say_changed(r, "images", p->images, o->resumed->images);
    if (to_the_end) /* its rate depends on how far that is */
        say_changed(r, "epochs", p->epochs, o->epochs);
    say_changed_options(r, o);
}

void report_start(Run *r, const TrainOptions *o, Model *m, int global_batch, int per_epoch)
{
    r->context = m;
    run_say(r, "%s: %d parameters, %.1f MFLOP per %s (forward); schedule %s", o->model, m->params.n,
            model_flops(m) / 1e6, of_text(r) ? "window" : "image", o->schedule);
    int on_each = o->batch * o->accumulate, ranks = global_batch / on_each;
    char parts[48] = "";
    if (o->accumulate > 1)
        snprintf(parts, sizeof parts, ", in %d micro-batches", o->accumulate);
    run_say(r, "%d %s per update (%d on each of %d rank%s%s), %d updates per epoch", global_batch,
            images(r), on_each, ranks, ranks > 1 ? "s" : "", parts, per_epoch);
    say_link(r, o);
    if (o->resume)
        say_resume(r, o);
    run_say(r, "%7s  %9s  %7s  %9s  %9s  %9s  %9s  %8s", "epoch", "rate", "loss", "train acc",
            "test loss", "test acc", of_text(r) ? "windows/s" : "images/s", "seconds");
    run_metrics_header(r, TRAIN_COLUMNS);
    if (o->resumed && o->resumed->earlier)
        run_metrics(r, "%s", o->resumed->earlier);
}

void report_progress(Run *r, const EpochRow *row, int64_t done, int64_t total, Metrics own)
{
    char what[32], note[32];
    snprintf(what, sizeof what, "epoch %d/%d", row->epoch, row->epochs);
    snprintf(note, sizeof note, "loss %.3f", metrics_loss(per_label(r, own)));
    run_progress(r, what, (double)done, (double)total, images(r), note);
}

/* 64 characters; what cannot be printed, as a dot. */
static void say_sample(Run *r, int epoch)
{
    enum { SAMPLE = 64 };
    static const char dot[] = "\302\267"; /* U+00B7 */
    uint8_t text[SAMPLE];
    char shown[2 * SAMPLE + 1] = "";
    int count = model_positions(r->context) < SAMPLE ? model_positions(r->context) : SAMPLE;
    generate(r->context, text, count, '\n', (uint64_t)epoch);
    for (int i = 0, at = 0; i < count; i++)
        at += snprintf(shown + at, sizeof shown - (size_t)at, "%.*s",
                       text[i] >= ' ' && text[i] < 127 ? 1 : 2,
                       text[i] >= ' ' && text[i] < 127 ? (const char *)&text[i] : dot);
    run_say(r, "   writes: %s", shown);
}

void report_epoch(Run *r, const EpochRow *row)
{
    /* Of an epoch whose images a run before this one has used nothing is known. */
    bool trained = row->train.count > 0;
    Metrics train = per_label(r, row->train);
    double speed = !trained ? NAN : row->seconds > 0 ? row->train.count / row->seconds : 0;
    double rate = trained ? row->rate : NAN, loss = trained ? metrics_loss(train) : NAN,
           accuracy = trained ? metrics_accuracy(train) : NAN;
    run_say(r, "%3d/%-3d  %9.3g  %7.4f  %9.4f  %9.4f  %9.4f  %9.1f  %8.2f", row->epoch, row->epochs,
            rate, loss, accuracy, metrics_loss(row->test), metrics_accuracy(row->test), speed,
            row->seconds);
    run_metrics(r, "%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.1f,%.3f,%.3f", row->epoch, rate, loss, accuracy,
                metrics_loss(row->test), metrics_accuracy(row->test), speed, row->seconds,
                row->waited);
    if (r->speaks && of_text(r))
        say_sample(r, row->epoch);
}

void report_end(Run *r, const TrainOptions *o, Metrics test, double count, double seconds,
                int ranks)
{
    double speed = seconds > 0 ? count / seconds : 0;
    if (count == 0 && o->resume)
        run_say(r, "nothing left to train: %s is complete; to continue, give more --epochs than %d",
                o->resume, o->epochs);
    run_say(r, "test accuracy %.4f (%.0f of %.0f) after %.1f s", metrics_accuracy(test),
            test.correct, test.count, timer_now() - r->started);
    run_say(r, "training alone: %.0f %s in %.1f s, %.1f %s/s on %d rank%s", count, images(r),
            seconds, speed, images(r), ranks, ranks > 1 ? "s" : "");
    if (o->baseline > 0 && ranks > 1)
        run_say(r, "speed-up %.2f, efficiency %.2f (against the %.1f images/s of --baseline)",
                speed / o->baseline, speed / o->baseline / ranks, o->baseline);
}

void report_stop(Run *r, int64_t step)
{
    char *path = run_path(r, "checkpoint.safetensors");
    run_say(r, "stopped after update %lld; resume with --resume %s", (long long)step, path);
    free(path);
}
