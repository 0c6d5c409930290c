/* grade_score.c: how good are the weights that the submission wrote? The grader builds the network
 * itself, loads the file and counts correct classifications, in a child process: a bad file ends
 * the child, not the grader.
 */
#include "check.h"
#include "checkpoint.h"
#include "child.h"
#include "evaluate.h"
#include "grade.h"
#include "memory.h"
#include "timer.h"
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { BATCH = 128, TRAINED = 5000 }; /* TRAINED: training images that are scored, at most */
static const double MOST_SECONDS = 600, MOST_SCORING_GIB = 4;

typedef struct Score {
    double correct;
    int count;
} Score;

typedef struct Scores {
    char model[32]; /* the network's name */
    int params;
    double flops; /* of an image's forward pass */
    double peak;  /* FLOP/s of this machine: matrix products, or the scored forward pass */
    Score training, validation;
} Scores;

typedef struct Scoring {
    const GradeOptions *o;
    const Rubric *rubric;
    const GradeData *data;
    const Paths *at;
    Scores *found; /* memory that the child shares with the grader: no file that could be forged */
} Scoring;

static bool is_allowed(const Rubric *r, const char *name)
{
    size_t i;
    json_t *model;
    json_array_foreach (r->models, i, model)
        if (json_is_string(model) && !strcmp(json_string_value(model), name))
            return true;
    return false;
}

/* The network that the file's metadata describe; free() its name. */
static ModelSpec spec_of(const char *path, const Rubric *r)
{
    ModelSpec spec;
    checkpoint_model(path, &spec);
    char *text = checkpoint_model_text(&spec), *list = json_dumps(r->models, 0);
    REQUIRE(spec.h == 32 && spec.w == 32 && spec.c == 3 && spec.classes == 10,
            "%s: is for the model '%.100s', expected one for 32x32x3 and 10 classes", path, text);
    REQUIRE(is_allowed(r, spec.name), "%s: is for the network '%s'; only these are scored: %s",
            path, spec.name, list);
    free(text);
    free(list);
    return spec;
}

static Score score_of(Backend *be, Model *m, const Dataset *given, const Images *images, int count)
{
    Loader *l = loader_new(be, images, given->mean, given->istd, BATCH, model_halo(m),
                           (AugmentSpec){0}, 0);
    Metrics result = evaluate(m, l, NULL, count);
    loader_free(l);
    return (Score){result.correct, count};
}

/* Batch norm's running statistics as training would leave them, averaged: nothing vouches for those
 * in the file. */
static void recompute_statistics(Model *m, const GradeData *d)
{
    enum { SETTLE = 32, BATCHES = 96 }; /* running means forget all but 3 % in 32 updates */
    const Images *images = &d->given->train;
    const BackendOps *op = m->be->op;
    size_t n = m->state.buf ? tensor_count(m->state) : 0;
    if (!n)
        return;
    int32_t *order = alloc(BATCHES * BATCH, sizeof *order);
    float *now = alloc(n, sizeof *now), *mean = alloc(n, sizeof *mean);
    for (int i = 0; i < BATCHES * BATCH; i++)
        order[i] = i % images->count;
    Loader *l = loader_new(m->be, images, d->given->mean, d->given->istd, BATCH, model_halo(m),
                           (AugmentSpec){0}, 0);
    loader_start(l, order, BATCHES * BATCH, 0);
    Batch b;
    for (int k = 0; loader_next(l, m->s, &b); k++) {
        model_forward(m, b.x, MODEL_TRAIN);
        op->download(m->s, now, m->state);
        for (size_t i = 0; i < n && k >= SETTLE; i++)
            mean[i] += now[i] / (BATCHES - SETTLE);
    }
    op->upload(m->s, m->state, mean);
    loader_free(l);
    free(order), free(now), free(mean);
}

/* The best of some products, on all cores. */
static double measure_peak(void)
{
    enum { N = 768, TIMES = 10 };
    float *a = alloc((size_t)N * N, sizeof *a), *b = alloc((size_t)N * N, sizeof *b),
          *c = alloc((size_t)N * N, sizeof *c);
    double best = 1e9;
    for (int i = 0; i < TIMES; i++) {
        double began = timer_now();
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, a, N, b, N, 0, c, N);
        best = fmin(best, timer_now() - began);
    }
    free(a), free(b), free(c);
    return 2.0 * N * N * N / best;
}

static void score(void *context)
{
    const Scoring *s = context;
    const GradeData *d = s->data;
    Scores *found = s->found;
    ModelSpec spec = spec_of(s->at->handed_in, s->rubric);
    snprintf(found->model, sizeof found->model, "%s", spec.name);
    Backend *be = backend_open(s->o->device, 0, 1, 0);
    Model *m = model_new(be, &spec, BATCH);
    checkpoint_load(s->at->handed_in, m, NULL, NULL);
    recompute_statistics(m, d);
    int trained = d->given->train.count < TRAINED ? d->given->train.count : TRAINED;
    found->params = m->params.n;
    found->flops = model_flops(m);
    bool gpu = !be->op->buffer_host(m->params.buf);
    double began = timer_now();
    found->training = score_of(be, m, d->given, &d->given->train, trained);
    /* OpenBLAS does not know every processor: what this forward pass did is possible, too. A GPU's
     * is not measured. */
    double rate = found->flops * trained / (timer_now() - began);
    found->peak = gpu ? INFINITY : fmax(measure_peak(), rate);
    found->validation = score_of(be, m, d->given, &d->held, d->held.count);
    model_free(m);
    free((char *)spec.name);
    backend_close(be);
}

static bool is_written(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static Finding no_weights(const ChildEnd *ended, const Paths *at, bool cut_short)
{
    Finding f = {0};
    if (!is_written(at->handed_in) && cut_short) {
        f.found = format_new("the run ended before it had written a file to --weights: see 'runs'");
        f.advice = format_new("save after each epoch, too: then a run that fails later loses "
                              "'runs' alone");
        return f;
    }
    if (!is_written(at->handed_in)) {
        f.found = format_new("no file was written to --weights before the budget ended");
        f.advice = format_new(
            "write the trained weights with checkpoint_save to --weights, on rank 0 (step 9); what "
            "the program prints does not count");
        return f;
    }
    char *line = log_line(at->score_log, "error: ");
    bool reason = !strncmp(line, "error: ", 7);
    f.machine = reason && !strncmp(line + 7, "out of memory", 13) &&
                memory_limit() < MOST_SCORING_GIB * (1 << 30);
    f.found = format_new("the weights cannot be scored: %s", *ended->killed ? ended->killed
                                                             : reason       ? line + 7
                                                                            : line);
    f.advice = format_new("write them with checkpoint_save, of a network that model_new built");
    free(line);
    return f;
}

static Finding accuracy(const Rubric *r, int criterion, Score score, const char *what)
{
    return rubric_accuracy(&r->criteria[criterion], what, score.correct, score.count);
}

/* Training costs three forward passes per image. More than the machine can do in that time was not
 * done here. Winograd convolutions save a factor of 2.25. */
static void judge_speed(Finding *gradients, const Scores *s, double trained, double seconds)
{
    static const double CLEVER = 4;
    double done = 3 * s->flops * trained, possible = CLEVER * s->peak * seconds;
    if (!gradients->passed || done <= possible)
        return;
    free(gradients->found);
    *gradients = (Finding){
        .pending = true,
        .found = format_new("%.0f images in %.1f s are %.3g FLOP, more than this machine can do in "
                            "that time (%.3g)",
                            trained, seconds, done, possible),
        .advice = format_new("an instructor will look at it")};
}

void grade_score(Report *r, const GradeData *d, const Paths *at)
{
    ChildEnd ended = {0};
    Finding *findings = r->findings;
    Scores *found = mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                         -1, 0);
    REQUIRE(found != MAP_FAILED, "out of memory: no room for the scores");
    Scoring scoring = {r->o, r->rubric, d, at, found};
    if (is_written(at->handed_in))
        ended = child_run(&(Child){.work = score,
                                   .context = &scoring,
                                   .streams = CHILD_OUT | CHILD_ERR,
                                   .log = at->score_log,
                                   .seconds = MOST_SECONDS,
                                   .most_file = MOST_FILE,
                                   .most_gib = MOST_SCORING_GIB});
    if (ended.came_back) {
        findings[WEIGHTS] = (Finding){.passed = true,
                                      .found = format_new("%s, %d parameters", found->model,
                                                          found->params)};
        findings[TRAINING] = accuracy(r->rubric, TRAINING, found->training, "training images");
        findings[VALIDATION] = accuracy(r->rubric, VALIDATION, found->validation,
                                        "images that it never saw");
        judge_speed(&findings[GRADIENTS], found, r->trained, r->seconds);
    } else
        findings[WEIGHTS] = no_weights(&ended, at, !r->findings[RUNS].passed && !r->course.idle);
    munmap(found, sizeof *found);
}
