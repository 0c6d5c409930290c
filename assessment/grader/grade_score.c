/* grade_score.c: how good are the weights that the submission wrote? The grader builds the network
 * itself, loads the file and counts correct classifications, in a child process: a bad file ends
 * the child, not the grader.
 */
#include "check.h"
#include "checkpoint.h"
#include "child.h"
#include "evaluate.h"
#include "grade.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 128, TRAINED = 5000 }; /* TRAINED: training images that are scored, at most */
static const double MOST_SECONDS = 600;

typedef struct Scoring {
    const GradeOptions *o;
    const Rubric *rubric;
    const GradeData *data;
    const Paths *at;
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

static json_t *score_of(Backend *be, Model *m, const Dataset *given, const Images *images,
                        int count)
{
    Loader *l = loader_new(be, images, given->mean, given->istd, BATCH, model_halo(m),
                           (AugmentSpec){0}, 0);
    Metrics result = evaluate(m, l, NULL, count);
    loader_free(l);
    return json_pack("{s:f, s:i}", "correct", result.correct, "count", count);
}

static void score(void *context)
{
    const Scoring *s = context;
    const GradeData *d = s->data;
    ModelSpec spec = spec_of(s->at->weights, s->rubric);
    Backend *be = backend_open(s->o->device, 0, 1, 0);
    Model *m = model_new(be, &spec, BATCH);
    checkpoint_load(s->at->weights, m, NULL, NULL);
    int trained = d->given->train.count < TRAINED ? d->given->train.count : TRAINED;
    json_t *scores = json_pack("{s:s, s:i, s:o, s:o}", "model", spec.name, "params", m->params.n,
                               "training", score_of(be, m, d->given, &d->given->train, trained),
                               "validation", score_of(be, m, d->given, &d->held, d->held.count));
    REQUIRE(json_dump_file(scores, s->at->scores, 0) == 0, "%s: cannot be written", s->at->scores);
    json_decref(scores);
    model_free(m);
    free((char *)spec.name);
    backend_close(be);
}

static Finding no_weights(const ChildEnd *ended, const Paths *at)
{
    Finding f = {0};
    if (access(at->weights, F_OK) != 0) {
        f.found = format_new("no file was written to --weights");
        f.advice = format_new(
            "write the trained weights with checkpoint_save to --weights, on rank 0 (step 9); what "
            "the program prints does not count");
        return f;
    }
    char *line = log_line(at->score_log, "error: ");
    bool reason = !strncmp(line, "error: ", 7);
    f.found = format_new("the weights cannot be scored: %s", reason             ? line + 7
                                                             : ended->timed_out ? "too slow"
                                                                                : line);
    f.advice = format_new("write them with checkpoint_save, of a network that model_new built");
    free(line);
    return f;
}

static Finding accuracy(const Rubric *r, int criterion, json_t *scores, const char *key,
                        const char *what)
{
    json_t *score = json_object_get(scores, key);
    return rubric_accuracy(&r->criteria[criterion], what,
                           json_number_value(json_object_get(score, "correct")),
                           json_number_value(json_object_get(score, "count")));
}

int grade_score(const GradeOptions *o, const Rubric *r, const GradeData *d, const Paths *at,
                Finding *findings)
{
    Scoring scoring = {o, r, d, at};
    ChildEnd ended = {0};
    if (access(at->weights, F_OK) == 0)
        ended = child_run(&(Child){.work = score,
                                   .context = &scoring,
                                   .streams = CHILD_OUT | CHILD_ERR,
                                   .log = at->score_log,
                                   .seconds = MOST_SECONDS});
    json_t *scores = ended.came_back ? json_load_file(at->scores, 0, NULL) : NULL;
    if (!scores) {
        findings[WEIGHTS] = no_weights(&ended, at);
        return 0;
    }
    int params = (int)json_integer_value(json_object_get(scores, "params"));
    const char *model = json_string_value(json_object_get(scores, "model"));
    findings[WEIGHTS] = (Finding){.passed = true,
                                  .found = format_new("%s, %d parameters", model, params)};
    findings[TRAINING] = accuracy(r, TRAINING, scores, "training", "training images");
    findings[VALIDATION] = accuracy(r, VALIDATION, scores, "validation",
                                    "images that it never saw");
    json_decref(scores);
    return params;
}
