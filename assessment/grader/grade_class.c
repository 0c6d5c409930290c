/* grade_class.c: a class: each submission graded in a separate process with a limit, one after the
 * other, so that none can stop or change another. Everything is in the folder `out`:
 *
 *     submissions.json     whose each is (class_sources.py)
 *     submissions/NAME/    of each: its train.c, results.json, report.html, figure, logs
 *     summary.csv, junit.xml, report.html    of all, rewritten every 5 s at most, and at the end
 *     secret               what was drawn for this class (mode 0600)
 *
 * A run that was interrupted resumes: what has results with the same key is not graded
 * again (--again: it is). The same secret holds for all: the same images, order, labels and seeds.
 */
#include "check.h"
#include "child.h"
#include "file.h"
#include "folder_lock.h"
#include "grade.h"
#include "timer.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Beyond its budget: to draw the images, compile, compute gradients again, score. */
static const double MORE_SECONDS = 900;
/* Between two writings of the class's pages. */
static const double PAGES_EVERY = 5;
static const size_t MOST_SOURCE = 1 << 20, MOST_LIST = 1 << 28;

typedef struct Source {
    const char *name;  /* for people */
    const char *fault; /* why it cannot be graded; NULL: its source is in `folder`/train.c */
    char *folder;      /* "submissions/…" */
} Source;

typedef struct Class {
    const GradeOptions *o;
    json_t *list; /* owns the sources' strings */
    Source *sources;
    int count;
    json_t **results; /* NULL: not yet */
    double budget;    /* seconds */
    int graded;       /* in this run */
    double seconds;
    double written; /* when the pages were written last */
} Class;

bool is_class(const char *path)
{
    static const char *const endings[] = {".zip", ".tar",  ".gz",  ".tgz", ".xz", ".txz",
                                          ".bz2", ".tbz2", ".zst", ".7z",  ".rar"};
    struct stat info;
    const char *ending = strrchr(path, '.');
    bool many = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    for (int i = 0; i < (int)(sizeof endings / sizeof *endings) && ending; i++)
        many = many || !strcasecmp(ending, endings[i]);
    return many;
}

/* Finds out whose the files are and puts each one's source into its folder. */
static void read_sources(Class *c)
{
    const char *command[] = {
        "python3",        "-IB",     "-Xutf8", "assessment/grader/class_sources.py",
        c->o->submission, c->o->out, NULL};
    char *path = format_new("%s/submissions.json", c->o->out), *text;
    size_t size;
    file_remove(path);
    ChildEnd end = child_run(&(Child){.command = command});
    REQUIRE(end.status != 127, "a class needs python3, which is not installed: make doctor");
    char *error = end.status ? format_new("%s: cannot be read (class_sources.py: status %d)",
                                          c->o->submission, end.status)
                             : file_read(&text, &size, path, MOST_LIST);
    REQUIRE(!error, "%s", error);
    c->list = json_loadb(text, size, 0, NULL);
    const json_t *sources = json_object_get(c->list, "sources");
    const char *fault = json_string_value(json_object_get(c->list, "fault"));
    REQUIRE(!fault, "%s", fault);
    REQUIRE(json_array_size(sources) > 0, "%s: damaged", path);
    c->count = (int)json_array_size(sources);
    c->sources = alloc((size_t)c->count, sizeof *c->sources);
    c->results = alloc((size_t)c->count, sizeof *c->results);
    for (int i = 0; i < c->count; i++) {
        const json_t *own = json_array_get(sources, (size_t)i);
        Source *to = &c->sources[i];
        to->name = json_string_value(json_object_get(own, "name"));
        to->fault = json_string_value(json_object_get(own, "fault"));
        to->folder = format_new("submissions/%s",
                                json_string_value(json_object_get(own, "folder")));
    }
    free(text);
    free(path);
}

static void class_free(Class *c)
{
    for (int i = 0; i < c->count; i++) {
        json_decref(c->results[i]);
        free(c->sources[i].folder);
    }
    free(c->results);
    free(c->sources);
    json_decref(c->list);
}

/* The class's secret, as an earlier run in this folder drew it. */
static void take_secret(GradeOptions *o)
{
    char *path = format_new("%s/secret", o->out), *text;
    size_t size;
    char *none = o->secret < 0 ? file_read(&text, &size, path, 64) : format_new("given");
    if (!none) {
        text[strcspn(text, "\n")] = 0;
        long long secret;
        REQUIRE(sscanf(text, "%lld", &secret) == 1 && secret >= 0,
                "%s: does not hold a number: remove it", path);
        o->secret = secret;
        free(text);
    }
    free(none);
    grade_draw(o);
    mode_t before = umask(0077);
    file_remove(path);
    NewFile *f = file_begin(path);
    file_print(f, "%lld\n", (long long)o->secret);
    char *error = file_commit(f);
    umask(before);
    REQUIRE(!error, "%s", error);
    free(path);
}

static double budget_of(const GradeOptions *o)
{
    Rubric r = rubric_read(o->rubric, grade_data_kind(o));
    double budget = o->budget > 0 ? o->budget : r.budget;
    rubric_free(&r);
    return budget;
}

static void grade_in_child(void *context) { exit(grade_one(context) ? 0 : EXIT_WRONG); }

static const char not_graded[] = "could not be graded"; /* how grade_one's own words begin */

/* The grader's message on why there are no results. */
static char *why(const char *log, const ChildEnd *end)
{
    char *line = log_line(log, "error: "), *text = NULL, *all;
    if (!strncmp(line, "error: ", 7))
        text = format_new("%s", line + 7);
    else if (end->timed_out || *end->killed)
        text = format_new("the grader was ended: %s", end->timed_out ? "too slow" : end->killed);
    else
        text = format_new("the grader ended with status %d", end->status);
    free(line);
    if (!strncmp(text, not_graded, strlen(not_graded)))
        return text;
    all = format_new("%s: %s; grade it again", not_graded, text);
    free(text);
    return all;
}

static void grade_source(const Class *c, const Source *s, const char *out)
{
    GradeOptions own = *c->o;
    char *file = format_new("%s/train.c", out), *log = format_new("%s/grade.txt", out);
    own.submission = file;
    own.name = s->name;
    own.out = out;
    ChildEnd end = child_run(&(Child){.work = grade_in_child,
                                      .context = &own,
                                      .streams = CHILD_OUT | CHILD_ERR,
                                      .log = log,
                                      .seconds = c->budget + MORE_SECONDS});
    json_t *results = results_read(out);
    json_t *extra = json_object_get(results, "extra_data");
    if (end.status > EXIT_WRONG || !json_is_true(json_object_get(extra, "complete"))) {
        char *text = why(log, &end);
        results_write_error(out, s->name, text);
        free(text);
    }
    json_decref(results);
    free(file);
    free(log);
}

/* Results that this run would repeat. */
static bool is_done(const Class *c, const char *out)
{
    json_t *before = results_read(out), *extra = json_object_get(before, "extra_data");
    char *file = format_new("%s/train.c", out), *source;
    size_t size;
    char *error = file_read(&source, &size, file, MOST_SOURCE);
    REQUIRE(!error, "%s", error);
    char *key = grade_key(c->o, source, size);
    bool done = !c->o->again && json_is_true(json_object_get(extra, "complete")) &&
                !strcmp(json_string_value(json_object_get(extra, "key")), key);
    free(key);
    free(source);
    free(file);
    json_decref(before);
    return done;
}

static void write_pages(Class *c)
{
    char **folders = alloc((size_t)c->count, sizeof *folders);
    int count = 0;
    for (int i = 0; i < c->count; i++)
        if (c->results[i])
            folders[count++] = c->sources[i].folder;
    pages_write(c->o->out, folders, count);
    c->written = timer_now();
    free(folders);
}

/* A row of the table: what it got, and its first fault. Returns the exit status it asks for. */
static int print_row(const json_t *results, const char *name, const char *how)
{
    const json_t *extra = json_object_get(results, "extra_data");
    bool complete = json_is_true(json_object_get(extra, "complete"));
    bool passed = json_is_true(json_object_get(extra, "passed"));
    char points[32] = "-";
    if (complete)
        snprintf(points, sizeof points, "%.4g",
                 json_number_value(json_object_get(results, "score")));
    printf("%-24s  %6s  %-6s  %s%s\n", name, points,
           !complete ? "error"
           : passed  ? "yes"
                     : "no",
           json_string_value(json_object_get(extra, "first_fault")), how);
    fflush(stdout);
    return !complete ? EXIT_USAGE : passed ? 0 : EXIT_WRONG;
}

static int grade_each(Class *c, int i)
{
    const Source *s = &c->sources[i];
    const char *how = "";
    char *out = format_new("%s/%s", c->o->out, s->folder);
    char *error = file_make_folder(out);
    REQUIRE(!error, "%s", error);
    if (s->fault)
        results_write_error(out, s->name, s->fault);
    else if (is_done(c, out))
        how = "  (as graded before)";
    else {
        double began = timer_now();
        grade_source(c, s, out);
        c->seconds += timer_now() - began;
        c->graded++;
    }
    c->results[i] = results_read(out);
    REQUIRE(c->results[i], "%s/results.json: cannot be read again", out);
    if (i == c->count - 1 || (!*how && timer_now() - c->written > PAGES_EVERY))
        write_pages(c);
    free(out);
    return print_row(c->results[i], s->name, how);
}

static void print_pace(const Class *c, int done)
{
    if (!c->graded || done == c->count || !isatty(1))
        return;
    double each = c->seconds / c->graded, left = each * (c->count - done);
    note("%d of %d, %.0f an hour, about %.0f min left", done, c->count, 3600 / each,
         ceil(left / 60));
}

int grade_class(const GradeOptions *options)
{
    GradeOptions o = *options;
    Class c = {.o = &o};
    REQUIRE(access(o.submission, R_OK) == 0, "%s: %s", o.submission, strerror(errno));
    char *wrong = file_make_folder(o.out);
    REQUIRE(!wrong, "%s", wrong);
    FolderLock *lock = folder_lock(o.out, "grade");
    read_sources(&c);
    c.budget = budget_of(&o);
    take_secret(&o);
    printf("%-24s  %6s  %-6s  %s\n", "submission", "points", "passed", "first fault");
    int worst = 0;
    for (int i = 0; i < c.count; i++) {
        int status = grade_each(&c, i);
        worst = status > worst ? status : worst;
        print_pace(&c, i + 1);
    }
    printf("%d submissions", c.count);
    if (c.graded)
        printf(", %d graded now, %.0f an hour", c.graded, 3600 * c.graded / c.seconds);
    printf("\n%s/report.html, summary.csv, junit.xml; of each: %s/submissions\n", o.out, o.out);
    class_free(&c);
    folder_unlock(lock);
    return worst;
}
