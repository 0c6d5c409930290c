/* grade_report.c: the result: a table with advice for people, results.json in Gradescope's format,
 * and row.csv, one row for the table of a folder of submissions.
 */
#include "check.h"
#include "file.h"
#include "grade.h"
#include "plot.h"
#include "printable.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double points(const Report *r, int k) { return rubric_points(r->rubric, r->findings, k); }

static double total(const Report *r, double *most)
{
    double sum = 0;
    *most = 0;
    for (int k = 0; k < CRITERIA; k++) {
        sum += points(r, k);
        *most += r->rubric->criteria[k].points;
    }
    return sum;
}

static bool met(const Report *r, int k)
{
    return r->findings[k].passed && rubric_missing(r->rubric, r->findings, k) < 0;
}

/* PEND: a person will look at it. */
static const char *verdict(const Report *r, int k)
{
    bool first = rubric_missing(r->rubric, r->findings, k) < 0;
    return met(r, k) ? "PASS" : first && r->findings[k].pending ? "PEND" : "FAIL";
}

/* What to do about it; NULL: nothing, or a criterion that it needs comes first. */
static const char *advice_text(const Report *r, int k)
{
    bool first = rubric_missing(r->rubric, r->findings, k) < 0;
    return first && !r->findings[k].passed ? r->findings[k].advice : NULL;
}

/* What was found, and why it gives no points. A new string. */
static char *found_text(const Report *r, int k)
{
    int missing = rubric_missing(r->rubric, r->findings, k);
    const char *found = r->findings[k].found,
               *name = missing >= 0 ? r->rubric->criteria[missing].name : "";
    if (!found)
        return format_new("not judged: '%s' comes first", name);
    return missing >= 0 ? format_new("%s; no points without '%s'", found, name)
                        : format_new("%s", found);
}

static void print_table(const Report *r)
{
    double most, sum = total(r, &most);
    char safe[2048];
    printf("%s on %d ranks, %s\n", printable(safe, sizeof safe, r->o->submission), r->o->np,
           r->images);
    printf("%s\n", printable(safe, sizeof safe, r->sandbox));
    for (int k = 0; k < CRITERIA; k++) {
        char *found = found_text(r, k);
        printf("%s  %-10s  %4.4g/%-3.3g  %s\n", verdict(r, k), r->rubric->criteria[k].name,
               points(r, k), r->rubric->criteria[k].points, printable(safe, sizeof safe, found));
        if (advice_text(r, k))
            printf("                            %s\n",
                   printable(safe, sizeof safe, advice_text(r, k)));
        free(found);
    }
    printf("%.4g of %.4g points\n", sum, most);
}

static json_t *test_json(const Report *r, int k)
{
    const Criterion *c = &r->rubric->criteria[k];
    const char *advice = advice_text(r, k);
    char found[2048], more[2048], *text = found_text(r, k);
    printable(found, sizeof found, text); /* a compiler or a program may print anything */
    printable(more, sizeof more, advice ? advice : "");
    free(text);
    json_t *name = json_sprintf("%s: %s", c->name, c->asks),
           *output = json_sprintf("%s%s%s", found, advice ? "\n" : "", more);
    json_t *test = json_pack("{s:o, s:f, s:f, s:s, s:o, s:s}", "name", name, "score", points(r, k),
                             "max_score", c->points, "status", met(r, k) ? "passed" : "failed",
                             "output", output, "visibility", "visible");
    return test;
}

static int put_json(const char *text, size_t size, void *file)
{
    file_put(file, text, size);
    return 0;
}

static void write_results(const Report *r)
{
    double most, sum = total(r, &most);
    json_t *tests = json_array();
    for (int k = 0; k < CRITERIA; k++)
        json_array_append_new(tests, test_json(r, k));
    json_t *results = json_pack("{s:f, s:i, s:s, s:s, s:o}", "score", sum, "execution_time",
                                (int)ceil(r->seconds), "visibility", "visible", "stdout_visibility",
                                "hidden", "tests", tests);
    json_object_set_new(results, "output",
                        json_sprintf("%.4g of %.4g points; %d ranks, %s; %s", sum, most, r->o->np,
                                     r->images, r->sandbox));
    char *path = format_new("%s/results.json", r->o->out);
    NewFile *f = file_begin(path);
    json_dump_callback(results, put_json, f, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    file_put(f, "\n", 1);
    char *error = file_commit(f);
    REQUIRE(!error, "%s", error);
    printf("%s\n", path);
    json_decref(results);
    free(path);
}

/* A field of a CSV row: printable, in quotes, inner quotes doubled. */
static void put_field(NewFile *f, const char *text)
{
    char safe[2048];
    file_put(f, "\"", 1);
    for (const char *at = printable(safe, sizeof safe, text); *at; at++)
        file_put(f, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
    file_put(f, "\"", 1);
}

static void write_row(const Report *r)
{
    double most, sum = total(r, &most);
    int failed = -1;
    for (int k = CRITERIA - 1; k >= 0; k--)
        failed = met(r, k) ? failed : k;
    char *path = format_new("%s/row.csv", r->o->out);
    NewFile *f = file_begin(path);
    put_field(f, r->o->name);
    file_print(f, ",%.4g,%.4g,%s", sum, most, failed < 0 ? "yes" : "no");
    for (int k = 0; k < CRITERIA; k++)
        file_print(f, ",%.4g", points(r, k));
    file_print(f, ",%.4f,%.4f,%.1f,", r->findings[TRAINING].accuracy,
               r->findings[VALIDATION].accuracy, r->seconds);
    put_field(f, failed < 0 ? "" : r->findings[failed].found ? r->findings[failed].found : "");
    file_put(f, "\n", 1);
    char *error = file_commit(f);
    REQUIRE(!error, "%s", error);
    free(path);
}

bool grade_report(const Report *r)
{
    bool all = true;
    for (int k = 0; k < CRITERIA; k++)
        all = all && met(r, k);
    print_table(r);
    write_row(r);
    write_results(r);
    char *figure = format_new("%s/grade.png", r->o->out);
    char *wrong = grade_figure(r, figure);
    REQUIRE(!wrong || !plot_has_cairo, "no figure: %s", wrong);
    if (wrong)
        note("no figure: %s", wrong);
    else
        printf("figure: %s\n", figure);
    free(wrong);
    free(figure);
    return all;
}
