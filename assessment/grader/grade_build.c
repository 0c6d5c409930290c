/* grade_build.c: does the submission compile? With the build's own compiler, flags and library; a warning is no error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "check.h"
#include "grade.h"

static const double MOST_SECONDS = 120;

typedef struct Command { const char *script, *source, *program; } Command;

static void compile(const void *context)
{
    const Command *c = context;
    execl(c->script, c->script, c->source, c->program, (char *)NULL);
    perror(c->script);
    _exit(EXIT_USAGE);
}

Finding grade_build(const char *script, const char *submission, const Places *at)
{
    Finding f = {0};
    Command command = {script, submission, at->program};
    Ended ended = process_run(compile, &command, at->build_log, MOST_SECONDS);
    if (ended.status == 0 && !ended.killed) {
        f.passed = true;
        f.found = format_new("compiled in %.1f s", ended.seconds);
        return f;
    }
    char *line = log_line(at->build_log, "error: ");
    f.found = ended.killed ? format_new("the compiler did not end within %.0f s", MOST_SECONDS)
                           : format_new("the compiler says: %s", line);
    f.advice = format_new("build it here first, 'make assessment'; all that the compiler said: %s", at->build_log);
    free(line);
    return f;
}
