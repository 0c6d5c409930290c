/* grade_pages.c: the results of one submission or of a class, for programs and for people:
 * summary.csv, junit.xml (what continuous integration shows), report.html (one page without
 * anything from elsewhere). All text in them may come from a submission: it is escaped here, and
 * was made printable before.
 */
#include "check.h"
#include "file.h"
#include "grade.h"
#include <stdlib.h>
#include <string.h>

typedef struct Row {
    json_t *results, *extra, *tests;
    const char *folder;
} Row;

static const char *words(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static bool is_true(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

static const char *status(const Row *r)
{
    return !is_true(r->extra, "complete") ? "error" : is_true(r->extra, "passed") ? "yes" : "no";
}

static NewFile *begin(const char *folder, const char *name, char **path)
{
    *path = format_new("%s/%s", folder, name);
    return file_begin(*path);
}

static void commit(NewFile *f, char *path)
{
    char *error = file_commit(f);
    REQUIRE(!error, "%s", error);
    free(path);
}

/* ---- CSV ---- */

/* In quotes; inner quotes doubled. What a spreadsheet would compute begins with an apostrophe. */
static void put_field(NewFile *f, const char *text)
{
    file_print(f, "%s", strchr("=+-@", *text) && *text ? "\"'" : "\"");
    for (; *text; text++)
        file_put(f, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    file_put(f, "\"", 1);
}

static void put_csv_row(NewFile *f, const Row *r)
{
    bool complete = is_true(r->extra, "complete");
    put_field(f, words(r->extra, "name"));
    if (complete)
        file_print(f, ",%.4g,%.4g,%s", number(r->results, "score"), number(r->extra, "most"),
                   status(r));
    else
        file_print(f, ",,,error");
    for (int k = 0; k < CRITERIA; k++) {
        const json_t *test = json_array_get(r->tests, (size_t)k);
        if (complete && test)
            file_print(f, ",%.4g", number(test, "score"));
        else
            file_put(f, ",", 1);
    }
    if (complete)
        file_print(f, ",%.3f,%.3f,%.1f,%.0f,%.0f,", number(r->extra, "training_accuracy"),
                   number(r->extra, "validation_accuracy"), number(r->extra, "seconds"),
                   number(r->extra, "images_trained"), number(r->extra, "attempt"));
    else
        file_print(f, ",,,,,,");
    put_field(f, words(r->extra, "first_fault"));
    file_put(f, "\n", 1);
}

static void write_csv(const char *folder, const Row *rows, int count)
{
    char *path;
    NewFile *f = begin(folder, "summary.csv", &path);
    file_print(f, "name,score,most,passed,builds,runs,weights,equal,gradients,images,training,"
                  "validation,training_accuracy,validation_accuracy,seconds,images_trained,"
                  "attempt,first_fault\n");
    for (int i = 0; i < count; i++)
        put_csv_row(f, &rows[i]);
    commit(f, path);
}

/* ---- markup ---- */

/* Text in HTML or XML, also within quotes. */
static void put_text(NewFile *f, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': file_print(f, "&amp;"); break;
        case '<': file_print(f, "&lt;"); break;
        case '>': file_print(f, "&gt;"); break;
        case '"': file_print(f, "&quot;"); break;
        case '\'': file_print(f, "&#39;"); break;
        default: file_put(f, text, 1);
        }
}

static void put_quoted(NewFile *f, const char *name, const char *text)
{
    file_print(f, " %s=\"", name);
    put_text(f, text);
    file_put(f, "\"", 1);
}

/* ---- JUnit XML ---- */

static int failures(const Row *r)
{
    int failed = 0;
    size_t k;
    const json_t *test;
    json_array_foreach (r->tests, k, test)
        failed += strcmp(words(test, "status"), "passed") != 0;
    return failed;
}

static void put_suite(NewFile *f, const Row *r)
{
    bool error = !is_true(r->extra, "complete");
    const char *name = words(r->extra, "name");
    size_t k, tests = json_array_size(r->tests);
    const json_t *test;
    file_print(f, "  <testsuite");
    put_quoted(f, "name", name);
    file_print(f, " tests=\"%zu\" failures=\"%d\" errors=\"%d\" time=\"%.1f\">\n", tests + error,
               failures(r), error, number(r->extra, "seconds"));
    json_array_foreach (r->tests, k, test) {
        const json_t *extra = json_object_get(test, "extra_data");
        file_print(f, "    <testcase");
        put_quoted(f, "classname", name);
        put_quoted(f, "name", words(extra, "criterion"));
        file_print(f, ">");
        if (strcmp(words(test, "status"), "passed")) {
            file_print(f, "<failure");
            put_quoted(f, "type", words(extra, "verdict"));
            put_quoted(f, "message", words(extra, "found"));
            file_print(f, ">");
            put_text(f, words(extra, "advice"));
            file_print(f, "</failure>");
        }
        file_print(f, "</testcase>\n");
    }
    if (error) {
        file_print(f, "    <testcase");
        put_quoted(f, "classname", name);
        file_print(f, " name=\"graded\"><error");
        put_quoted(f, "message", words(r->extra, "first_fault"));
        file_print(f, "/></testcase>\n");
    }
    file_print(f, "  </testsuite>\n");
}

static void write_junit(const char *folder, const Row *rows, int count)
{
    char *path;
    NewFile *f = begin(folder, "junit.xml", &path);
    file_print(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (int i = 0; i < count; i++)
        put_suite(f, &rows[i]);
    file_print(f, "</testsuites>\n");
    commit(f, path);
}

/* ---- HTML ---- */

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Assessment</title>\n"
    "<style>\n"
    "body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em;"
    " padding: 0 1em; color: #24292f; background: #fff }\n"
    "table { border-collapse: collapse; width: 100% }\n"
    "th, td { text-align: left; padding: .3em .8em .3em 0; border-bottom: 1px solid #d8dee4;"
    " vertical-align: top; overflow-wrap: anywhere }\n"
    "td.n, th.n { text-align: right; white-space: nowrap }\n"
    "img { max-width: 100% } summary { cursor: pointer; padding: .4em 0; font-size: 1.1em }\n"
    ".PASS, .yes { color: #1a7f37; font-weight: 600 } .FAIL, .no { color: #c4302b;"
    " font-weight: 600 }\n.PEND, .error { color: #9a6700; font-weight: 600 }\n"
    "td.PASS, td.FAIL, td.PEND, td.yes, td.no, td.error { white-space: nowrap }\n"
    ".advice { color: #57606a }\n</style>\n";

static void put_cell(NewFile *f, const char *kind, const char *text)
{
    file_print(f, "<td%s>", kind);
    put_text(f, text);
    file_print(f, "</td>");
}

static void put_tests(NewFile *f, const Row *r)
{
    size_t k;
    const json_t *test;
    file_print(f, "<table>\n<tr><th><th>criterion<th class=\"n\">points<th>what was found\n");
    json_array_foreach (r->tests, k, test) {
        const json_t *extra = json_object_get(test, "extra_data");
        const char *verdict = words(extra, "verdict"), *advice = words(extra, "advice");
        file_print(f, "<tr><td");
        put_quoted(f, "class", verdict);
        file_put(f, ">", 1);
        put_text(f, verdict);
        file_print(f, "</td>");
        put_cell(f, "", words(test, "name"));
        file_print(f, "<td class=\"n\">%.4g of %.4g</td><td>", number(test, "score"),
                   number(test, "max_score"));
        put_text(f, words(extra, "found"));
        if (*advice) {
            file_print(f, "<div class=\"advice\">");
            put_text(f, advice);
            file_print(f, "</div>");
        }
        file_print(f, "</td>\n");
    }
    file_print(f, "</table>\n");
}

static void put_submission(NewFile *f, const Row *r, int i, bool alone)
{
    const char *verdict = status(r);
    file_print(f, "<details id=\"s%d\"%s><summary>", i, alone ? " open" : "");
    put_text(f, words(r->extra, "name"));
    if (strcmp(verdict, "error"))
        file_print(f, ": %.4g of %.4g points", number(r->results, "score"),
                   number(r->extra, "most"));
    else
        file_print(f, ": not graded");
    file_print(f, "</summary>\n<p>");
    put_text(f, strcmp(verdict, "error") ? words(r->extra, "conditions")
                                         : words(r->extra, "first_fault"));
    file_print(f, "</p>\n");
    put_tests(f, r);
    if (is_true(r->extra, "complete")) {
        file_print(f, "<p><img loading=\"lazy\" alt=\"how it learned, and when it worked\"");
        char *image = format_new("%s/grade.png", r->folder);
        put_quoted(f, "src", image);
        free(image);
        file_print(f, "></p>\n");
    }
    file_print(f, "</details>\n");
}

/* By points, then by accuracy, then by name. */
static int by_rank(const void *a, const void *b)
{
    const Row *one = *(Row *const *)a, *two = *(Row *const *)b;
    double keys[2][2] = {{number(one->results, "score"), number(two->results, "score")},
                         {number(one->extra, "validation_accuracy"),
                          number(two->extra, "validation_accuracy")}};
    for (int k = 0; k < 2; k++)
        if (keys[k][0] != keys[k][1])
            return keys[k][0] < keys[k][1] ? 1 : -1;
    return one < two ? -1 : one > two;
}

static void put_class(NewFile *f, const Row *rows, int count)
{
    const Row **order = alloc((size_t)count + 1, sizeof *order);
    for (int i = 0; i < count; i++)
        order[i] = &rows[i];
    qsort(order, (size_t)count, sizeof *order, by_rank);
    file_print(f, "<table>\n<tr><th class=\"n\">rank<th>submission<th class=\"n\">points"
                  "<th>passed<th class=\"n\">accuracy<th class=\"n\">seconds"
                  "<th>first fault\n");
    for (int i = 0; i < count; i++) {
        const Row *r = order[i];
        bool trained = number(r->extra, "seconds") > 0, graded = strcmp(status(r), "error") != 0;
        file_print(f, "<tr><td class=\"n\">%d</td><td><a href=\"#s%d\">", i + 1, (int)(r - rows));
        put_text(f, words(r->extra, "name"));
        file_print(f, "</a></td><td class=\"n\">");
        if (graded)
            file_print(f, "%.4g", number(r->results, "score"));
        file_print(f, "</td><td class=\"%s\">%s</td>", status(r), status(r));
        if (trained)
            file_print(f, "<td class=\"n\">%.3f</td><td class=\"n\">%.1f</td>",
                       number(r->extra, "validation_accuracy"), number(r->extra, "seconds"));
        else
            file_print(f, "<td></td><td></td>");
        put_cell(f, "", words(r->extra, "first_fault"));
        file_print(f, "\n");
    }
    file_print(f, "</table>\n<h2>Submissions</h2>\n");
    free(order);
}

static void write_html(const char *folder, const Row *rows, int count)
{
    char *path;
    NewFile *f = begin(folder, "report.html", &path);
    file_print(f, "%s<h1>Assessment%s</h1>\n", head, count > 1 ? ": the class" : "");
    if (count > 1)
        put_class(f, rows, count);
    for (int i = 0; i < count; i++)
        put_submission(f, &rows[i], i, count == 1);
    file_print(f, "</html>\n");
    commit(f, path);
}

void pages_write(const char *folder, json_t *const *results, char *const *folders, int count)
{
    Row *rows = alloc((size_t)count + 1, sizeof *rows);
    for (int i = 0; i < count; i++)
        rows[i] = (Row){.results = results[i],
                        .extra = json_object_get(results[i], "extra_data"),
                        .tests = json_object_get(results[i], "tests"),
                        .folder = folders[i]};
    write_csv(folder, rows, count);
    write_junit(folder, rows, count);
    write_html(folder, rows, count);
    free(rows);
}
