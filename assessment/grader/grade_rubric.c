/* grade_rubric.c: the criteria, their points and the accuracies required: read from rubric.json,
 * which instructors may change.
 */
#include "check.h"
#include "grade.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[CRITERIA] = {"builds", "runs",     "weights",
                                            "shared", "training", "validation"};

static int criterion_index(const char *name)
{
    for (int i = 0; name && i < CRITERIA; i++)
        if (!strcmp(name, names[i]))
            return i;
    return -1;
}

/* A number of the rubric, `key` of `object`; ends the run unless it is from 0 to most. */
static double number_of(json_t *object, const char *key, double most, const char *path,
                        const char *where)
{
    json_t *value = json_object_get(object, key);
    double number = json_number_value(value);
    REQUIRE(json_is_number(value) && number >= 0 && number <= most,
            "%s: %s: '%s': expected a number from 0 to %g", path, where, key, most);
    return number;
}

static unsigned read_needs(json_t *entry, const char *path, const char *name)
{
    unsigned needs = 0;
    size_t i;
    json_t *need;
    json_array_foreach (json_object_get(entry, "needs"), i, need) {
        int index = criterion_index(json_string_value(need));
        REQUIRE(index >= 0 && index < criterion_index(name),
                "%s: '%s' needs what does not come before it", path, name);
        needs |= 1u << index;
    }
    return needs;
}

static Criterion read_criterion(json_t *entry, const char *path, const char *data)
{
    const char *name = json_string_value(json_object_get(entry, "name"));
    REQUIRE(criterion_index(name) >= 0,
            "%s: a criterion has the name '%s', which the grader does not know", path,
            name ? name : "");
    Criterion c = {.name = name,
                   .asks = json_string_value(json_object_get(entry, "asks")),
                   .points = number_of(entry, "points", 1000, path, name),
                   .needs = read_needs(entry, path, name)};
    REQUIRE(c.asks, "%s: '%s' has no text 'asks'", path, name);
    if (criterion_index(name) >= TRAINING) {
        c.at_least = number_of(json_object_get(entry, "at_least"), data, 1, path, name);
        c.from = number_of(json_object_get(entry, "from"), data, 1, path, name);
        REQUIRE(c.from < c.at_least, "%s: '%s': 'from' must be below 'at_least'", path, name);
    }
    return c;
}

Rubric rubric_read(const char *path, const char *data)
{
    json_error_t error;
    Rubric r = {.json = json_load_file(path, JSON_REJECT_DUPLICATES, &error)};
    REQUIRE(r.json, "%s: line %d: %s", path, error.line, error.text);
    r.models = json_object_get(r.json, "models");
    REQUIRE(json_array_size(r.models) > 0, "%s: 'models': expected a list of networks' names",
            path);
    r.budget = number_of(json_object_get(r.json, "budget"), data, 1e6, path, "budget");
    json_t *criteria = json_object_get(r.json, "criteria"), *entry;
    size_t i;
    json_array_foreach (criteria, i, entry) {
        Criterion c = read_criterion(entry, path, data);
        Criterion *slot = &r.criteria[criterion_index(c.name)];
        REQUIRE(!slot->name, "%s: '%s' is there twice", path, c.name);
        *slot = c;
    }
    for (int k = 0; k < CRITERIA; k++)
        REQUIRE(r.criteria[k].name, "%s: the criterion '%s' is missing (0 points switch it off)",
                path, names[k]);
    return r;
}

void rubric_free(Rubric *r) { json_decref(r->json); }

Finding rubric_accuracy(const Criterion *c, const char *what, double correct, double count)
{
    Finding f = {.accuracy = correct / count};
    f.passed = f.accuracy >= c->at_least;
    f.found = format_new("%.4f: %.0f of %.0f %s right; full points from %.2f", f.accuracy, correct,
                         count, what, c->at_least);
    if (f.accuracy < 0.15) /* ten classes */
        f.advice = format_new(
            "no better than guessing: do you write the weights that you trained? What the program "
            "prints does not count");
    else if (!f.passed)
        f.advice = format_new(
            "learn more in the same time: try --rate, --batch, the network, the augmentation, each "
            "in a short run");
    return f;
}

int rubric_missing(const Rubric *r, const Finding *findings, int criterion)
{
    for (int k = 0; k < criterion; k++)
        if (r->criteria[criterion].needs >> k & 1 && !findings[k].passed)
            return k;
    return -1;
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
