/* grade_results.c: results.json of one submission, in the form that Gradescope reads: a test for
 * each criterion, a leaderboard, and in extra_data what our own pages need. Rewritten after each
 * part of the grading; "complete" says whether it is the last.
 */
#include "check.h"
#include "child.h"
#include "file.h"
#include "grade.h"
#include "json_text.h"
#include "printable.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t MOST_BYTES = 1 << 20;

/* A compiler or a program may print anything. */
static json_t *safe_text(const char *text)
{
    char safe[2048];
    return json_string(printable(safe, sizeof safe, text ? text : ""));
}

static json_t *test_json(const Report *r, int k)
{
    const Criterion *c = &r->rubric->criteria[k];
    const char *advice = report_advice(r, k), *verdict = report_verdict(r, k);
    char *found = report_found(r, k);
    json_t *said = safe_text(found), *advised = safe_text(advice);
    json_t *output = json_sprintf("%s%s%s", json_string_value(said), advice ? "\n" : "",
                                  json_string_value(advised));
    free(found);
    return json_pack("{s:o, s:f, s:f, s:s, s:o, s:s, s:{s:s, s:s, s:o, s:o}}", "name",
                     json_sprintf("%s: %s", c->name, c->asks), "score", report_points(r, k),
                     "max_score", c->points, "status", report_met(r, k) ? "passed" : "failed",
                     "output", output, "visibility", "visible", "extra_data", "criterion", c->name,
                     "verdict", verdict, "found", said, "advice", advised);
}

/* Takes `results`. */
static void write_json(const char *out, json_t *results)
{
    char *path = format_new("%s/results.json", out);
    json_write(path, results, 10);
    json_decref(results);
    free(path);
}

void results_write(const Report *r)
{
    double most, sum = report_total(r, &most), right = r->findings[VALIDATION].accuracy;
    char *fault = NULL;
    json_t *tests = json_array(), *board = json_array();
    char *found[CRITERIA] = {0};
    for (int k = CRITERIA - 1; k >= 0; k--) {
        found[k] = report_found(r, k);
        if (!report_met(r, k)) { /* the first; PEND: a person has to look */
            free(fault);
            fault = format_new("%s%s",
                               strcmp(report_verdict(r, k), "PEND") ? "" : "PEND: ", found[k]);
        }
        json_array_insert_new(tests, 0, test_json(r, k));
    }
    if (r->complete && report_met(r, GRADIENTS)) {
        json_array_append_new(board, json_pack("{s:s, s:f, s:s}", "name", "validation accuracy",
                                               "value", right, "order", "desc"));
        json_array_append_new(board, json_pack("{s:s, s:i, s:s}", "name", "seconds", "value",
                                               (int)lround(r->seconds), "order", "asc"));
    }
    json_t *extra = json_pack("{s:o, s:b, s:s, s:i, s:f, s:b, s:f, s:f, s:f, s:f, s:f, s:o, s:o}",
                              "name", safe_text(r->o->name), "complete", r->complete, "key", r->key,
                              "attempt", r->attempt, "most", most, "passed", report_passed(r),
                              "seconds", r->seconds, "images_trained", r->trained, "images_allowed",
                              r->allowed, "training_accuracy", r->findings[TRAINING].accuracy,
                              "validation_accuracy", right, "first_fault",
                              safe_text(fault ? fault : ""), "conditions",
                              json_sprintf("%d ranks, %.0f s, %s; %s", r->o->np, r->budget,
                                           r->images, r->sandbox));
    json_t *results = json_pack("{s:f, s:o, s:i, s:s, s:s, s:o, s:o, s:o}", "score", sum, "output",
                                json_sprintf("%.4g of %.4g points; attempt %d; %d ranks, %s; %s%s",
                                             sum, most, r->attempt, r->o->np, r->images, r->sandbox,
                                             r->complete ? "" : "; the grading is not complete"),
                                "execution_time", (int)ceil(r->seconds), "visibility", "visible",
                                "stdout_visibility", "hidden", "tests", tests, "leaderboard", board,
                                "extra_data", extra);
    for (int k = 0; k < CRITERIA; k++)
        free(found[k]);
    free(fault);
    write_json(r->o->out, results);
}

void results_write_error(const char *out, const char *name, const char *why)
{
    json_t *said = safe_text(why);
    json_t *extra = json_pack("{s:o, s:b, s:b, s:s, s:i, s:O}", "name", safe_text(name), "complete",
                              0, "passed", 0, "key", "", "attempt", results_attempt(out),
                              "first_fault", said);
    write_json(out, json_pack("{s:f, s:o, s:s, s:[], s:o}", "score", 0.0, "output", said,
                              "visibility", "visible", "tests", "extra_data", extra));
}

json_t *results_read(const char *out)
{
    char *path = format_new("%s/results.json", out), *bytes;
    size_t size;
    char *wrong = file_read(&bytes, &size, path, MOST_BYTES);
    free(path);
    free(wrong);
    if (wrong)
        return NULL;
    json_t *results = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, NULL);
    free(bytes);
    json_t *extra = json_object_get(results, "extra_data");
    if (!json_is_number(json_object_get(results, "score")) ||
        !json_is_array(json_object_get(results, "tests")) ||
        !json_is_string(json_object_get(extra, "name")) ||
        !json_is_string(json_object_get(extra, "key")) ||
        !json_is_string(json_object_get(extra, "first_fault")) ||
        !json_is_boolean(json_object_get(extra, "complete"))) {
        json_decref(results);
        return NULL;
    }
    return results;
}

int results_attempt(const char *out)
{
    json_t *before = results_read(out), *extra = json_object_get(before, "extra_data");
    json_int_t earlier = json_integer_value(json_object_get(extra, "attempt"));
    bool complete = json_is_true(json_object_get(extra, "complete"));
    json_decref(before);
    return earlier > 0 && earlier < 1000000 ? (int)earlier + complete : 1;
}

void pages_write(const char *folder, char *const *subfolders, int count)
{
    const char **command = alloc((size_t)count + 5, sizeof *command); /* a NULL ends it */
    command[0] = "python3";
    command[1] = "-IB";
    command[2] = "assessment/grader/grade_pages.py";
    command[3] = folder;
    memcpy(command + 4, subfolders, (size_t)count * sizeof *command);
    ChildEnd end = child_run(&(Child){.command = command, .streams = CHILD_ERR});
    end.text[strcspn(end.text, "\n")] = 0;
    if (end.status == 127)
        note("no report.html, summary.csv and junit.xml: python3 is not installed");
    else
        REQUIRE(end.status == 0, "%s/report.html: %s", folder, end.text);
    free(end.text);
    free(command);
}
