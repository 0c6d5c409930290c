/* grade.c: the grader's options: one submission (grade_one.c), or a folder or an archive of them
 * (grade_class.c).
 *
 * Run it from the project's folder; the script `compile` that builds a submission is beside this
 * program. Exit status: 0 every criterion is met (by every submission), 1 not, 2 something could
 * not be graded.
 */
#include "grade.h"
#include "check.h"
#include <errno.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void check_options(GradeOptions *o)
{
    struct stat info;
    REQUIRE(o->np != 1, "--np 1: expected 2 or more ranks, or 0 for a number that is drawn");
    REQUIRE(o->images == 0 || o->images >= 500, "--images %d: expected 500 or more, or 0 for all",
            o->images);
    REQUIRE(stat(o->submission, &info) == 0 && access(o->submission, R_OK) == 0,
            "%s: %s: give SUBMISSION=file.c, or a folder or an archive of them", o->submission,
            strerror(errno));
    REQUIRE(S_ISREG(info.st_mode) || S_ISDIR(info.st_mode), "%s: not a file or folder",
            o->submission);
}

int main(int argc, char **argv)
{
    const char *data_dir = getenv("DATA_DIR");
    GradeOptions o = {.submission = "assessment/train.c",
                      .data = "auto",
                      .device = "auto",
                      .out = "build/out/grade",
                      .data_dir = data_dir && *data_dir ? data_dir : NULL,
                      .rubric = "assessment/rubric.json",
                      .seed = -1,
                      .self = argv[0],
                      .secret = -1};
    const Option table[] = {
        {"submission", ARG_STRING, &o.submission,
         .help = "file to grade, or a folder or archive of submissions"},
        {"name", ARG_STRING, &o.name, .help = "name in the reports (default: the file name)"},
        {"np", ARG_INT, &o.np, .max = 64, .help = "ranks (0: two or three, chosen at random)"},
        {"budget", ARG_REAL, &o.budget, .max = 1e6,
         .help = "time limit in seconds (0: the rubric's)"},
        {"epochs", ARG_INT, &o.epochs, .max = 100000,
         .help = "most epochs allowed (0: the rubric's)"},
        {"data", ARG_CHOICE, &o.data, .choices = "auto|cifar10|synthetic", .help = "data set"},
        {"data-dir", ARG_STRING, &o.data_dir, .help = "folder that holds CIFAR-10"},
        {"images", ARG_INT, &o.images, .max = 50000,
         .help = "training images that the submission gets (0: all)"},
        {"device", ARG_CHOICE, &o.device, .choices = "auto|cpu|cuda", .help = "where to compute"},
        {"seed", ARG_LONG, &o.seed, .min = -1, .max = 1e9,
         .help = "the submission's --seed (-1: chosen at random)"},
        {"secret", ARG_LONG, &o.secret, .min = -1, .max = 9e15,
         .help = "seed of the images, their order and labels, and of --seed (-1: random)"},
        {"trust", ARG_FLAG, &o.trust,
         .help = "grade without a sandbox if none works: submissions run with your rights"},
        {"again", ARG_FLAG, &o.again, .help = "of a class: grade again what was graded before"},
        {"rubric", ARG_STRING, &o.rubric, .help = "criteria, points, accuracies"},
        {"out", ARG_STRING, &o.out, .help = "folder for results"},
        {0}};
    OPTIONS_KEEP(o.table, table);
    args_parse("grade", "Grade submissions of the assessment.", o.table, argc, argv);
    REQUIRE(o.budget == 0 || o.budget >= 1, "--budget %g: at least 1 second", o.budget);
    check_options(&o);
    char *self = format_new("%s", argv[0]);
    o.compile = format_new("%s/compile", dirname(self));
    REQUIRE(access(o.compile, X_OK) == 0 && access("common/setup/launch.sh", X_OK) == 0,
            "%s or common/setup/launch.sh is missing: run 'make grade' in the project's folder",
            o.compile);
    if (is_class(o.submission))
        return grade_class(&o);
    grade_draw(&o);
    o.name = o.name ? o.name : o.submission;
    return grade_one(&o) ? 0 : EXIT_WRONG;
}
