/* grade_build.c: does the submission compile, with the build's compiler, flags and library?
 * Warnings are not errors.
 */
#include "check.h"
#include "child.h"
#include "grade.h"
#include <stdlib.h>

static const double MOST_SECONDS = 120;

Finding grade_build(const char *script, const char *submission, const Paths *at)
{
    Finding f = {0};
    ChildEnd ended = child_run(
        &(Child){.command = (const char *[]){script, submission, at->program, NULL},
                 .streams = CHILD_OUT | CHILD_ERR,
                 .log = at->build_log,
                 .seconds = MOST_SECONDS});
    if (ended.status == 0) {
        f.passed = true;
        f.found = format_new("compiled in %.1f s", ended.seconds);
        return f;
    }
    char *line = log_line(at->build_log, "error: ");
    f.found = ended.timed_out ? format_new("the compiler took more than %.0f s", MOST_SECONDS)
                              : format_new("the compiler says: %s", line);
    f.advice = format_new("build it first with 'make assessment'; the compiler's output: %s",
                          at->build_log);
    free(line);
    return f;
}
