/* evidence_judge.c: the verdicts on the evidence. Missing evidence is never called cheating: what
 * cannot be explained waits for a person. */
#include "inspection.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const double MOST_UNEXPLAINED = 0.05; /* of the way from w(0) to w(T) */
static const double LEAST_EXPLAINED = 0.99;  /* of a move's square */
static const double MOST_DISTANCE = 0.005;   /* of gradients computed again, on average */
static const double OTHER_LOSS = 0.3;        /* apart: of a gradient like that of its images */
static const double MOST_UNEQUAL = 0.1;      /* below 1 / np, a rank's share, as a part of it */
static const double LEAST_SIZE = 0.2;        /* a rank's gradient, as a part of an equal length */
static const double MOST_ALIKE = 0.5, MOST_UNEVEN = 0.5, MOST_ERRATIC = 0.5;
static const double MOST_FAR = 10; /* from w(0), in ways to the file's weights */
static const double MOST_SHARED = 0.02, LEAST_BALANCE = 0.9, MOST_DOUBLED = 0.1;
static const double MOST_AGAIN = 0.3; /* a part of the images */
/* Images of batches that no loader made are recognised by samples. */
static const double MOST_SHARED_SEEN = 0.1, LEAST_FOUND = 0.3, LEAST_COUNTING = 0.5;
/* Beyond these it is the work of fewer ranks. */
static const double MOST_AT_ONCE = 0.25, LEAST_WORK = 0.5;

#define DIVERGED "has it diverged? Try a lower rate"
#define UNKNOWN \
    "an unknown optimiser, or updates or gradients that the grader did not see: an instructor " \
    "has to look at it"

static void say(char text[512], const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(char text[512], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, 512, format, arguments);
    va_end(arguments);
}

/* Advice for ranks that do not communicate; by their own report, so for advice only. */
static const char *alone(const Evidence *e)
{
    for (int r = 0; r < e->np; r++)
        if (e->world[r] <= 1)
            return e->world[r]
                     ? "a rank runs alone: open one over all ranks (step 1)"
                     : "start the communication library with comm_open (step 1), broadcast "
                       "(step 5), average the gradients (step 6)";
    return NULL;
}

EvidenceVerdict judge_equal(const Evidence *e)
{
    EvidenceVerdict v = {0};
    int idle = -1, other = -1, allowed = e->cut ? 1 : 0;
    for (int r = 0; r < e->np; r++) {
        idle = !e->begun[r] && idle < 0 ? r : idle;
        other = abs(e->begun[r] - e->begun[0]) > allowed && other < 0 ? r : other;
    }
    if (e->stream_fault[0]) {
        v.pending = true;
        say(v.found, "%s", e->stream_fault);
        say(v.advice, "only the library's backward pass may send evidence");
    } else if (idle >= 0 && e->number_fault[0]) {
        say(v.found, "%s", e->number_fault);
        say(v.advice, DIVERGED);
    } else if (idle >= 0 && e->begun[idle == 0] == 0) {
        say(v.found, "no rank computed a gradient");
        say(v.advice, "train: model_gradient on each batch, then an update");
    } else if (idle >= 0) {
        say(v.found,
            "rank %d computed no gradient: was one process per rank started, and do all of "
            "them train?",
            idle);
        say(v.advice,
            "start the communication library (step 1), and give each rank a slice of each "
            "global batch (step 4)");
    } else if (e->equal_fault[0]) {
        say(v.found, "%s", e->equal_fault);
        const char *lone = alone(e);
        say(v.advice, "%s",
            lone         ? lone
            : e->updates ? "average the gradient over the ranks before each update (step 6); "
                           "one rate on all (step 7b). Averaging the weights every few updates "
                           "(local SGD, Lab 2) does not count here: between averages the ranks "
                           "train different networks"
                         : "broadcast rank 0's weights before the first update (step 5)");
    } else if (other >= 0 && !e->number_fault[0]) {
        say(v.found, "rank 0 made %d updates, rank %d made %d", e->begun[0], other,
            e->begun[other]);
        say(v.advice,
            "give each rank the same number of batches (step 4); use one clock (step 7b)");
    } else {
        v.passed = true;
        say(v.found, "%d ranks with the same weights in each of %d updates", e->np, e->updates);
    }
    return v;
}

/* The rank with the smallest part. */
static int odd_one(const double *parts, int np)
{
    int worst = 0;
    for (int r = 1; r < np; r++)
        if (parts[r] < parts[worst])
            worst = r;
    return worst;
}

EvidenceVerdict judge_gradients(const Evidence *e)
{
    EvidenceVerdict v = {0};
    const Explanation *x = &e->explained;
    int odd = odd_one(x->share, e->np), small = odd_one(x->size, e->np);
    double share = x->share[odd] * e->np, size = x->size[small] * e->np;
    if (e->number_fault[0]) {
        say(v.found, "%s", e->number_fault);
        say(v.advice, DIVERGED);
    } else if (x->moves == 0 && e->equal_fault[0]) {
        say(v.found, "not judged: %s", e->equal_fault);
        say(v.advice, "let all ranks start with the same weights (step 5)");
    } else if (x->moves && x->still) {
        say(v.found, "the weights never move");
        say(v.advice, "train: an update after each gradient, as sgd_step makes it");
    } else if (e->replay_fault[0] && e->off < OTHER_LOSS) {
        v.pending = true;
        say(v.found, "%s", e->replay_fault);
        say(v.advice,
            "a loss of your own? An instructor will look at it; for smooth labels set the "
            "model's smoothing");
    } else if (e->replay_fault[0]) {
        say(v.found, "%s", e->replay_fault);
        say(v.advice, "let the loader make the batches, and the library the gradients");
    } else if (!(e->distance <= MOST_DISTANCE)) {
        v.pending = true;
        say(v.found,
            "the recomputed gradients of %d updates differ by %.2g from those that moved the "
            "weights",
            e->drawn, e->distance);
        say(v.advice, "an instructor will look at it");
    } else if (!e->starts) {
        v.pending = true;
        say(v.found, "the training does not start from weights that model_init draws from "
                     "--init-seed");
        say(v.advice, "an instructor will look at where they come from");
    } else if (e->recognised < e->looked_at) {
        v.pending = true;
        say(v.found,
            "%d of %d images drawn from batches that no loader made are not in the training "
            "set, or have another label",
            e->looked_at - e->recognised, e->looked_at);
        say(v.advice, "an instructor will look at it; train on the loader's batches as they are");
    } else if (!(x->unexplained <= MOST_UNEXPLAINED && x->typical >= LEAST_EXPLAINED)) {
        v.pending = true;
        say(v.found,
            "gradients explain %.3g %% of the moves, and %.3g %% of the displacement is "
            "unexplained",
            100 * fmax(x->typical, 0), 100 * fmin(x->unexplained, 1));
        say(v.advice, UNKNOWN);
    } else if (!(x->alike <= MOST_ALIKE)) {
        say(v.found,
            "the ranks' gradients are the same: each rank computed all that the other did");
        say(v.advice, "give each rank a different slice of each global batch (step 4)");
    } else if (e->used.at_once > MOST_AT_ONCE) {
        say(v.found, "the ranks take the same images in the same update: the work of one");
        say(v.advice, "give each rank a different slice of each global batch (step 4)");
    } else if (!(size >= LEAST_SIZE)) {
        say(v.found, "the norm of rank %d's gradients is %.2g times the ranks' average", small,
            size);
        say(v.advice, "each rank needs the gradient of its own images");
    } else if (!(share >= 1 - MOST_UNEQUAL)) {
        say(v.found, "rank %d's gradients count %.2g times their equal share in the updates", odd,
            share);
        say(v.advice,
            "average the gradient over the ranks, with equal weights, before each update "
            "(step 6)%s",
            share < 0.01 ? "; in integers 1 / size is 0" : "");
    } else if (!(e->used.least >= LEAST_WORK)) {
        say(v.found, "one rank's images make %.0f %% of an equal share of the gradients",
            100 * e->used.least);
        say(v.advice, "give each rank the same number of images, with equal weights (step 4)");
    } else if (!(x->uneven <= MOST_UNEVEN)) {
        v.pending = true;
        say(v.found, "some updates, or layers, use only part of the ranks' gradients");
        say(v.advice, "average the whole gradient over the ranks before each update (step 6)");
    } else if (!(x->erratic <= MOST_ERRATIC)) {
        v.pending = true;
        say(v.found, "the momentum changes in %.0f %% of the moves", 100 * x->erratic);
        say(v.advice, UNKNOWN);
    } else if (!(x->farthest <= MOST_FAR)) {
        v.pending = true;
        say(v.found,
            "the weights moved %.3g times as far from their start as those in the file "
            "are",
            x->farthest);
        say(v.advice, "an instructor will look at it");
    } else if (e->drawn < e->needed) {
        v.pending = true;
        say(v.found,
            "the weights go back and forth: %d updates should be computed again, %d were kept",
            e->needed, e->drawn);
        say(v.advice, "an instructor will look at it");
    } else if (e->no_file && !(e->cut && e->absent)) { /* without one, accuracy earns nothing */
        say(v.found, "no file with the training's final weights");
        say(v.advice, "write the weights that you trained (step 9)");
    } else if (!e->no_file && !e->ends) {
        v.pending = true;
        say(v.found, "the file's weights are not those that the training ended with, nor their "
                     "average");
        say(v.advice, "write the weights that you trained (step 9)");
    } else {
        v.passed = true;
        say(v.found, "all ranks' gradients make %s updates: %.3g %% unexplained, %d computed again",
            x->family, 100 * x->unexplained, e->drawn);
    }
    return v;
}

EvidenceVerdict judge_images(const Evidence *e)
{
    EvidenceVerdict v = {0};
    const UsageEnd *u = &e->used;
    if (e->recognised < e->looked_at) {
        v.pending = true;
        say(v.found, "the images trained on are unknown");
        say(v.advice, "an instructor will look at it; use the loader's batches");
    } else if (e->doubled > MOST_DOUBLED * e->looked_at) {
        say(v.found, "%d of %d images were on more than one rank in the same update", e->doubled,
            e->looked_at);
        say(v.advice, "the ranks' slices of an epoch must not overlap (step 4)");
    } else if (u->shared > (u->unknown > 0 ? MOST_SHARED_SEEN : MOST_SHARED)) {
        say(v.found, "%.0f %% of the images were on more than one rank in the same epoch",
            100 * u->shared);
        say(v.advice, "the ranks' slices of an epoch must not overlap (step 4)");
    } else if (u->again > MOST_AGAIN) {
        say(v.found, "%.0f %% of a rank's images were used more than once in an epoch",
            100 * u->again);
        say(v.advice, "each epoch visits each image once (step 4)");
    } else if (u->found < LEAST_FOUND) {
        v.pending = true;
        say(v.found, "a rank's own batches show few of the images: %.0f %% of those looked for",
            100 * u->found);
        say(v.advice, "an instructor will look at it; each epoch visits each image once (step 4)");
    } else if (u->counting < LEAST_COUNTING) {
        say(v.found, "weighted as they are, the images count for %.0f %% of their number",
            100 * u->counting);
        say(v.advice, "give the samples of a batch more equal weights");
    } else if (u->least < LEAST_BALANCE) {
        say(v.found, "one rank trained on %.0f %% of an equal share", 100 * u->least);
        say(v.advice, "give each rank the same number of images (step 4)");
    } else {
        v.passed = true;
        say(v.found, "%.0f images, none on two ranks in an epoch%s", u->trained,
            u->unknown > 0 || e->looked_at ? " as far as the grader looked" : "");
    }
    return v;
}
