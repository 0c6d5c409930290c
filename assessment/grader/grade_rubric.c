/* grade_rubric.c: the criteria, their points and the accuracies required: read from rubric.json,
 * which instructors may change.
 */
#include "check.h"
#include "file.h"
#include "grade.h"
#include "number.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t MOST_BYTES = 1 << 20;
/* Accuracies are reported and scored in steps of this size: the last digits could reveal the
 * held-back images to a student who hands in often. */
static const double STEP = 0.005;
static const char *const names[CRITERIA] = {"builds",    "runs",   "weights",  "equal",
                                            "gradients", "images", "training", "validation"};

static int criterion_index(const char *name)
{
    for (int i = 0; name && i < CRITERIA; i++)
        if (!strcmp(name, names[i]))
            return i;
    return -1;
}

/* The number `key` of `object`, from least to most. Returns NULL, or what is wrong with it. */
static char *read_number(double *to, json_t *object, const char *key, double least, double most,
                         const char *where)
{
    if (number_json_real(to, json_object_get(object, key), least, most))
        return NULL;
    return format_new("%s: '%s': expected a number from %g to %g", where, key, least, most);
}

static char *read_needs(Criterion *c, const json_t *list)
{
    size_t i;
    const json_t *need;
    if (list && !json_is_array(list))
        return format_new("'%s': 'needs': expected a list of names", c->name);
    json_array_foreach (list, i, need) {
        int index = criterion_index(json_string_value(need));
        if (index < 0 || index >= criterion_index(c->name))
            return format_new("'%s' depends on a later criterion", c->name);
        c->needs |= 1u << index;
    }
    return NULL;
}

static char *read_accuracies(Criterion *c, json_t *entry, const char *data)
{
    char *wrong = read_number(&c->at_least, json_object_get(entry, "at_least"), data, 0, 1,
                              c->name);
    if (!wrong)
        wrong = read_number(&c->from, json_object_get(entry, "from"), data, 0, 1, c->name);
    if (!wrong && c->from >= c->at_least)
        wrong = format_new("'%s': 'from' must be below 'at_least'", c->name);
    return wrong;
}

static char *read_criterion(Rubric *r, json_t *entry, const char *data)
{
    Criterion c = {.name = json_string_value(json_object_get(entry, "name")),
                   .asks = json_string_value(json_object_get(entry, "asks"))};
    int index = criterion_index(c.name);
    if (index < 0)
        return format_new("unknown criterion '%s'", c.name ? c.name : "");
    if (r->criteria[index].name)
        return format_new("'%s' is there twice", c.name);
    char *wrong = read_number(&c.points, entry, "points", 0, 1000, c.name);
    if (!wrong)
        wrong = read_needs(&c, json_object_get(entry, "needs"));
    if (!wrong && !c.asks)
        wrong = format_new("'%s' has no text 'asks'", c.name);
    if (!wrong && index >= TRAINING)
        wrong = read_accuracies(&c, entry, data);
    r->criteria[index] = c;
    return wrong;
}

static bool are_names(const json_t *list)
{
    size_t i;
    const json_t *name;
    json_array_foreach (list, i, name)
        if (!json_is_string(name))
            return false;
    return json_array_size(list) > 0;
}

char *rubric_parse(Rubric *r, const char *bytes, size_t size, const char *data)
{
    json_error_t error;
    size_t i;
    json_t *entry;
    *r = (Rubric){.json = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error)};
    if (!r->json)
        return format_new("line %d: %s", error.line, error.text);
    r->models = json_object_get(r->json, "models");
    if (!are_names(r->models))
        return format_new("'models': expected a list of networks' names");
    char *wrong = read_number(&r->budget, json_object_get(r->json, "budget"), data, 1, 1e6,
                              "budget");
    double epochs = 0, batch = 0;
    if (!wrong)
        wrong = read_number(&epochs, json_object_get(r->json, "epochs"), data, 1, 1e5, "epochs");
    if (!wrong)
        wrong = read_number(&batch, json_object_get(r->json, "batch"), data, 1, 1e6, "batch");
    r->epochs = (int)epochs;
    r->batch = (int)batch;
    json_array_foreach (json_object_get(r->json, "criteria"), i, entry)
        if (!wrong)
            wrong = read_criterion(r, entry, data);
    for (int k = 0; k < CRITERIA && !wrong; k++)
        if (!r->criteria[k].name)
            wrong = format_new("the criterion '%s' is missing (0 points switch it off)", names[k]);
    return wrong;
}

Rubric rubric_read(const char *path, const char *data)
{
    Rubric r;
    char *bytes;
    size_t size;
    char *wrong = file_read(&bytes, &size, path, MOST_BYTES);
    REQUIRE(!wrong, "%s", wrong);
    wrong = rubric_parse(&r, bytes, size, data);
    REQUIRE(!wrong, "%s: %s", path, wrong);
    free(bytes);
    return r;
}

void rubric_free(Rubric *r) { json_decref(r->json); }

Finding rubric_accuracy(const Criterion *c, const char *what, double correct, double count)
{
    Finding f = {.accuracy = round(correct / count / STEP) * STEP};
    f.passed = f.accuracy >= c->at_least - 1e-9;
    f.found = format_new("%.3f of %.0f %s right; full points from %.2f", f.accuracy, count, what,
                         c->at_least);
    if (f.accuracy < 0.15) /* ten classes */
        f.advice = format_new("no better than guessing: too few updates, or a wrong rate");
    else if (!f.passed)
        f.advice = format_new("choose a remedy for the large batch by short runs (HANDOUT.md, 'The "
                              "large batch')");
    return f;
}

int rubric_missing(const Rubric *r, const Finding *findings, int criterion)
{
    int pending = -1;
    for (int k = 0; k < criterion; k++)
        if (r->criteria[criterion].needs >> k & 1 && !findings[k].passed) {
            if (!rubric_pending(r, findings, k))
                return k;
            pending = pending < 0 ? k : pending;
        }
    return pending;
}

bool rubric_pending(const Rubric *r, const Finding *findings, int criterion)
{
    int missing = rubric_missing(r, findings, criterion);
    return missing < 0 ? findings[criterion].pending : rubric_pending(r, findings, missing);
}

double rubric_points(const Rubric *r, const Finding *findings, int criterion)
{
    const Criterion *c = &r->criteria[criterion];
    const Finding *f = &findings[criterion];
    if (!f->found || rubric_missing(r, findings, criterion) >= 0)
        return 0;
    if (f->passed || criterion < TRAINING)
        return f->passed ? c->points : 0;
    double fraction = fmax(0, (f->accuracy - c->from) / (c->at_least - c->from));
    return floor(10 * fraction * c->points) / 10;
}
