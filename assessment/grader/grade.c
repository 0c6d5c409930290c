/* grade.c: the grader of one submission: build it, train it against the clock, score the weights
 * that it wrote, advise.
 *
 * Run it from the project's folder; the script `compile` that builds a submission is beside this
 * program. Exit status: 0 every criterion is met, 1 not, 2 the submission could not be graded.
 */
#include "check.h"
#include "file.h"
#include "folder_lock.h"
#include "inspection.h"
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static void read_options(GradeOptions *o, int argc, char **argv)
{
    const char *data_dir = getenv("DATA_DIR");
    *o = (GradeOptions){.submission = "assessment/train.c",
                        .data = "auto",
                        .device = "auto",
                        .out = "build/out/grade",
                        .data_dir = data_dir && *data_dir ? data_dir : NULL,
                        .rubric = "assessment/rubric.json",
                        .np = 2,
                        .seed = 1,
                        .secret = -1};
    const Option table[] = {
        {"submission", ARG_STRING, &o->submission, .help = "the file to grade"},
        {"name", ARG_STRING, &o->name, .help = "its name in row.csv (default: the file)"},
        {"np", ARG_INT, &o->np, .min = 2, .max = 64, .help = "ranks"},
        {"budget", ARG_REAL, &o->budget, .max = 1e6,
         .help = "seconds that it may run (0: the rubric's)"},
        {"data", ARG_CHOICE, &o->data, .choices = "auto|cifar10|synthetic", .help = "data set"},
        {"data-dir", ARG_STRING, &o->data_dir, .help = "folder that holds CIFAR-10"},
        {"images", ARG_INT, &o->images, .max = 50000,
         .help = "use this many of the training set (0: all)"},
        {"device", ARG_CHOICE, &o->device, .choices = "auto|cpu|cuda", .help = "where to compute"},
        {"seed", ARG_LONG, &o->seed, .max = 1e9, .help = "the --seed that the submission gets"},
        {"secret", ARG_LONG, &o->secret, .min = -1, .max = 9e15,
         .help = "seed of the synthetic images (-1: random)"},
        {"trust", ARG_FLAG, &o->trust,
         .help = "grade also where no sandbox works: it runs with your rights"},
        {"rubric", ARG_STRING, &o->rubric, .help = "criteria, points, accuracies"},
        {"out", ARG_STRING, &o->out, .help = "folder for results"},
        {0}};
    OPTIONS_KEEP(o->table, table);
    args_parse("grade", "Grade one submission of the assessment.", o->table, argc, argv);
    REQUIRE(o->images == 0 || o->images >= 500, "--images %d: expected 500 or more, or 0 for all",
            o->images);
    struct stat info;
    REQUIRE(stat(o->submission, &info) == 0 && access(o->submission, R_OK) == 0, "%s: %s",
            o->submission, strerror(errno));
    REQUIRE(S_ISREG(info.st_mode), "%s: not a file", o->submission);
    uint64_t random;
    if (o->secret < 0) {
        ASSERT(getrandom(&random, sizeof random, 0) == sizeof random);
        o->secret = (int64_t)(random >> 12);
    }
    if (!o->name)
        o->name = o->submission;
}

static Paths paths_make(const GradeOptions *o)
{
    char *out = realpath(o->out, NULL);
    REQUIRE(out, "%s: %s", o->out, strerror(errno));
    Paths at = {.dir = format_new("%s/run", out),
                .build_log = format_new("%s/build.log", out),
                .run_log = format_new("%s/run.log", out),
                .score_log = format_new("%s/score.log", out)};
    at.program = format_new("%s/train", at.dir);
    at.data = format_new("%s/data", at.dir);
    at.socket = format_new("%s/evidence", at.dir);
    at.hand = format_new("%s/hand", at.dir);
    at.weights = format_new("%s/weights.safetensors", at.hand);
    at.handed_in = format_new("%s/weights.safetensors", out);
    const char *old[] = {at.dir, at.handed_in, at.build_log, at.run_log, at.score_log};
    for (int i = 0; i < 5; i++)
        file_remove(old[i]);
    const char *results[] = {"results.json", "row.csv"};
    for (int i = 0; i < 2; i++) {
        char *path = format_new("%s/%s", out, results[i]);
        file_remove(path);
        free(path);
    }
    char *error = file_make_folder(at.hand);
    REQUIRE(!error, "%s", error);
    free(out);
    return at;
}

static void paths_free(Paths *at)
{
    char *all[] = {at->dir,     at->program,   at->data,      at->socket,
                   at->hand,    at->weights,   at->handed_in, at->build_log,
                   at->run_log, at->score_log, at->no_sandbox};
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++)
        free(all[i]);
}

/* Which images, for people: "synthetic: 18000 + 2000 images given, scored on 4000 others". */
static char *images_text(const GradeData *d, const char *data)
{
    return format_new("%s: %d + %d images given, scored on %d others", data, d->given->train.count,
                      d->given->test.count, d->held.count);
}

int main(int argc, char **argv)
{
    GradeOptions o;
    read_options(&o, argc, argv);
    const char *data = grade_data_kind(&o);
    Rubric rubric = rubric_read(o.rubric, data);
    double budget = o.budget > 0 ? o.budget : rubric.budget, seconds = 0;
    char *self = format_new("%s", argv[0]), *script = format_new("%s/compile", dirname(self));
    REQUIRE(access(script, X_OK) == 0 && access("common/setup/launch.sh", X_OK) == 0,
            "%s or common/setup/launch.sh is missing: run 'make grade' in the project's folder",
            script);

    char *no_sandbox = sandbox_missing();
    REQUIRE(!no_sandbox || o.trust,
            "no sandbox: %s; install it, or run with ARGS=--trust: the submission then has all "
            "rights of your account",
            no_sandbox);
    char *error = file_make_folder(o.out);
    REQUIRE(!error, "%s", error);
    FolderLock *lock = folder_lock(o.out, "grade");
    Paths at = paths_make(&o);
    at.no_sandbox = no_sandbox;
    char *kept = sandbox_text(&at);
    Finding findings[CRITERIA] = {0};
    GradeData images = grade_data_make(&o, data, at.data);
    char *text = images_text(&images, data);
    findings[BUILDS] = grade_build(script, o.submission, &at);
    if (findings[BUILDS].passed) {
        Collector *collector = collector_start(at.socket, &o, images.given);
        findings[RUNS] = grade_run(&o, budget, &at, &seconds);
        collector_end(collector, at.handed_in, findings);
        grade_score(&o, &rubric, &images, &at, findings);
    }
    file_remove(at.data);
    Report report = {&o, &rubric, findings, text, kept, budget, seconds};
    bool passed = grade_report(&report);

    for (int k = 0; k < CRITERIA; k++) {
        free(findings[k].found);
        free(findings[k].advice);
    }
    free(text);
    free(kept);
    grade_data_free(&images);
    paths_free(&at);
    folder_unlock(lock);
    free(script);
    free(self);
    rubric_free(&rubric);
    return passed ? 0 : EXIT_WRONG;
}
