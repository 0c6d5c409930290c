/* grade_build.c: does the submission compile, with the build's compiler, flags and library?
 * Warnings are not errors. In a sandbox that shows the headers and the library alone: #include
 * reads any file, and a compiler can be told to run without end.
 */
#include "check.h"
#include "child.h"
#include "file.h"
#include "grade.h"
#include "memory.h"
#include <glob.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double MOST_SECONDS = 120;

/* A compiler that could not do its work, or a submission that has these words. */
static const char *const faults[] = {"Killed signal",
                                     "terminated with signal 9",
                                     "No space left on device",
                                     "Disk quota exceeded",
                                     "Resource temporarily unavailable",
                                     "cannot execute",
                                     "unable to execute command",
                                     NULL};
/* These, too, on a machine with less than half of the memory that a submission may use. */
static const char *const memory_faults[] = {"Cannot allocate memory", "out of memory", NULL};

/* The compiler finds all where it is outside: the build's flags name it so. */
static void compile_words(Words *w, const char *script, const char *submission, const Paths *at)
{
    static const char *const needed[] = {"libcommon.a", "gpu_calls"};
    glob_t headers = {0};
    glob("common/*.h", 0, NULL, &headers);
    sandbox_begin(w, at);
    for (size_t i = 0; i < headers.gl_pathc; i++)
        sandbox_show_there(w, headers.gl_pathv[i]);
    globfree(&headers);
    for (int i = 0; i < 2; i++) {
        char *file = grade_built(script, needed[i]);
        sandbox_show_there(w, file);
        free(file);
    }
    sandbox_show_there(w, script);
    sandbox_show(w, submission, "/submission/train.c");
    sandbox_stay(w);
    sandbox_end(w);
    words_put(w, "bash", "-c", ": >/submission/hand/" SANDBOX_STARTED "; exec \"$0\" \"$@\"",
              script, "/submission/train.c", "/submission/hand/train", NULL);
}

char *log_line_of(const char *log, const char *const words[])
{
    char line[4096], *found = NULL;
    FILE *file = file_try(log);
    while (file && !found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = 0;
        bool quotes = strstr(line, "train.c") || strstr(line, " | ");
        for (int i = 0; words[i] && !found && !quotes; i++)
            found = strstr(line, words[i]) ? format_new("%.300s", line) : NULL;
    }
    if (file)
        fclose(file);
    return found;
}

const char *log_name(const GradeOptions *o, const char *log)
{
    return o->name == o->submission ? log : strrchr(log, '/') + 1;
}

char *log_line(const char *log, const char *word)
{
    char line[4096], *last = format_new("%s", "");
    FILE *file = file_try(log); /* it may have replaced its log */
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = 0;
        char *at = strstr(line, word);
        found = at != NULL;
        if (!*line)
            continue;
        free(last);
        last = format_new("%.300s", found ? at : line);
    }
    if (file)
        fclose(file);
    return last;
}

/* script is in assessment/grader of the build's folder. */
char *grade_built(const char *script, const char *file)
{
    char *folder = format_new("%s", script), *up = folder;
    for (int i = 0; i < 3; i++)
        up = dirname(up);
    char *path = format_new("%s/%s", up, file);
    free(folder);
    return path;
}

/* "train.c:12" of "/submission/train.c:12:5: error: …"; "" where a linker knows no line. New. */
static char *place_in(const char *line)
{
    size_t name = strcspn(line, ":"), from = name;
    while (from > 0 && line[from - 1] != '/')
        from--;
    size_t number = line[name] ? strspn(line + name + 1, "0123456789") : 0;
    return format_new("%.*s", number ? (int)(name + 1 + number - from) : 0, line + from);
}

/* The first error of a compiler or linker, with its place and function (which is in a line before),
 * and how many more there are; NULL: none that is known. A new string. */
static char *first_error(const char *log)
{
    enum { LINKERS = 3, MARKS = 5 }; /* gold writes "error: undefined reference to" */
    static const char *const marks[MARKS] = {"undefined reference to ", "multiple definition of ",
                                             "undefined symbol: ", ": error: ", ": fatal error: "};
    char line[4096], function[128] = "", *first = NULL;
    int count = 0;
    FILE *file = file_try(log);
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = 0;
        for (char *quote = line; (quote = strchr(quote, '`'));) /* ld's */
            *quote = '\'';
        char *in = strcasestr(line, ": in function "), *at = NULL;
        if (in && !first)
            snprintf(function, sizeof function, ", in %.*s", (int)strcspn(in + 5, ":"), in + 5);
        int k = 0;
        while (k < MARKS && !(at = strstr(line, marks[k])))
            k++;
        if (!at || !strncmp(line, "collect2", 8) || count++)
            continue;
        char *place = place_in(line), *gap = *place ? ": " : "";
        at += k < LINKERS ? 0 : 2;
        first = k >= LINKERS
                  ? format_new("the compiler says: %.300s%s%s", at, *place ? ", " : "", place)
                  : format_new("the linker says: %s%s%.300s", place, gap, at);
        free(place);
    }
    if (file)
        fclose(file);
    char *all = NULL, more[64] = "";
    if (count > 1)
        snprintf(more, sizeof more, "; %d more error%s", count - 1, count > 2 ? "s" : "");
    if (first)
        all = format_new("%s%s%s", first, strstr(function, "_start") ? "" : function, more);
    free(first);
    return all;
}

Finding grade_build(const GradeOptions *o, const Paths *at)
{
    const char *script = o->compile, *submission = o->submission;
    Finding f = {0};
    Words w = {0};
    char *made = format_new("%s/train", at->hand), *wrong = NULL;
    if (at->no_sandbox)
        words_put(&w, script, submission, made, NULL);
    else
        compile_words(&w, script, submission, at);
    ChildEnd ended = child_run(&(Child){.command = (const char *const *)w.word,
                                        .streams = CHILD_OUT | CHILD_ERR,
                                        .log = at->build_log,
                                        .seconds = MOST_SECONDS,
                                        .most_file = MOST_FILE,
                                        .most_gib = MOST_GIB,
                                        .most_started = MOST_STARTED,
                                        .confined = true});
    words_free(&w);
    bool missing = ended.status == 126 || ended.status == 127;
    bool failed = ended.status && !*ended.killed;
    char *fault = failed ? log_line_of(at->build_log, faults) : NULL;
    char *memory = failed && !fault ? log_line_of(at->build_log, memory_faults) : NULL;
    f.machine = ended.not_its || (memory && memory_limit() < MOST_GIB / 2. * (1 << 30));
    f.claimed = fault || missing || !(at->no_sandbox || sandbox_started(at));
    if (ended.status == 0)
        wrong = sandbox_take(made, at->program);
    if (ended.status == 0 && !wrong)
        wrong = chmod(at->program, 0755) ? format_new("%s: no program", at->program) : NULL;
    file_remove(made);
    free(made);
    if (ended.status == 0 && !wrong) {
        f = (Finding){.passed = true};
        f.found = format_new("compiled in %.1f s", ended.seconds);
        return f;
    }
    char *line = log_line(at->build_log, "error: "), *first = first_error(at->build_log);
    f.found = f.machine || f.claimed ? format_new("the compiler failed: %s", fault ? fault : line)
            : wrong                  ? format_new("%s", wrong)
            : ended.timed_out ? format_new("the compiler took more than %.0f s", MOST_SECONDS)
            : memory          ? format_new("the compiler ran out of memory")
            : first           ? format_new("%s", first)
                              : format_new("the compiler says: %s", line);
    char *hint = log_line(at->build_log, "did you mean ");
    hint[strncmp(hint, "did you", 7) ? 0 : strcspn(hint, "?")] = 0;
    if (first && strstr(first, "lab2.h"))
        f.advice = format_new("this looks like Lab 2's trainer: hand in assessment/train.c");
    else
        f.advice = format_new("%s%suild it first with 'make assessment'; the compiler's output: %s",
                              hint, *hint ? "? B" : "b", log_name(o, at->build_log));
    free(first);
    free(hint);
    free(line), free(fault), free(memory), free(wrong);
    return f;
}
