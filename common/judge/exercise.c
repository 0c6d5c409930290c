/* exercise.c: see exercise.h. */
#include "exercise.h"
#include "check.h"
#include "child.h"
#include "exercise_trial.h"
#include "file.h"
#include "printable.h"
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SHOWN = 20, WIDTH = 160 }; /* lines, bytes */

/* ---- one attempt in another process ---- */

/* An empty file for the verdict; free() its name. */
static char *verdict_file_new(void)
{
    const char *base = getenv("TMPDIR");
    char *path = format_new("%s/labs-verdict-XXXXXX", base && *base ? base : "/tmp");
    int file = mkstemp(path);
    REQUIRE(file >= 0, "%s: %s: set TMPDIR to a folder that you can write to", path,
            strerror(errno));
    close(file);
    return path;
}

/* Reads and removes the file. */
static void take_verdict(char *path, char *verdict, size_t room)
{
    file_head(verdict, room, path);
    unlink(path);
    free(path);
}

/* The last line that has these words (first: at its start, or behind "rank R: "), from them on;
 * NULL: none. */
static char *last_line_with(char *text, const char *words, bool first)
{
    char *found = NULL;
    for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        int before = 0;
        sscanf(line, "rank %*d: %n", &before);
        char *at = strstr(line, words);
        if (at && at < line + strcspn(line, "\n") && (at == line + before || !first))
            found = at;
    }
    return found;
}

/* Cuts the last error out of what was printed: die()'s, else a sanitizer's, which says more in the
 * lines that stay. NULL: none. free() it. */
static char *take_error(char *text)
{
    char *error = last_line_with(text, "error: ", true);
    error = error ? error : last_line_with(text, "SUMMARY: ", true);
    error = error ? error : last_line_with(text, "runtime error: ", false);
    if (!error)
        return NULL;
    size_t length = strcspn(error, "\n");
    char *words = strstr(error, ": ") + strlen(": ");
    char *copy = format_new("%.*s", (int)(error + length - words), words);
    const char *rest = error + length + (error[length] == '\n');
    memmove(error, rest, strlen(rest) + 1);
    return copy;
}

static char *why_wrong(const ChildEnd *end, const char *verdict, const char *error)
{
    bool crash = end->signal == SIGSEGV || end->signal == SIGBUS || end->signal == SIGFPE ||
                 end->signal == SIGILL || end->signal == SIGABRT;
    if (*end->killed)
        return format_new("%s", end->killed);
    if (end->signal == SIGSYS)
        return format_new("it started a process or a program, or sent a signal: an exercise only "
                          "computes");
    if (end->signal == SIGXFSZ)
        return format_new("it wrote a file of more than %d MiB", CHILD_TRIED_MIB);
    if (end->signal)
        return format_new("it %s (%s)%s", crash ? "crashed" : "was ended by a signal",
                          strsignal(end->signal),
                          end->signal == SIGFPE ? ": a division by zero?" : "");
    if (end->status == EXIT_WRONG && *verdict && strcmp(verdict, TRIAL_RIGHT) != 0)
        return format_new("%s", verdict);
    if (error && end->status != 0)
        return format_new("%s", error);
    return format_new("it ended the program with exit(%d)", end->status);
}

/* Of a TODO's line in an exercise: is there code above it, in its function? That one begins at the
 * margin, and its code does not. */
static bool code_above(const char *file, int todo)
{
    FILE *f = fopen(file, "r");
    char line[1000];
    bool code = false, comment = false;
    for (int n = 1; f && n < todo && fgets(line, sizeof line, f); n++) {
        const char *at = line + strspn(line, " \t\r\n");
        size_t length = strcspn(line, "\r\n");
        comment = comment || !strncmp(at, "/*", 2);
        if (at == line || (length && line[length - 1] == '{'))
            code = false;
        else if (*at && !comment && strncmp(at, "//", 2) != 0)
            code = true;
        comment = comment && !strstr(line, "*/");
    }
    if (f)
        fclose(f);
    return code;
}

/* The words of a TODO, which may have been forgotten. */
static char *why_to_do(char *error)
{
    char file[512];
    int line;
    if (sscanf(error, "TODO in %511[^,], line %d:", file, &line) != 2 ||
        !strstr(file, "exercises/") || !code_above(file, line))
        return error;
    free(error);
    return format_new("your code is there, but the line TODO(…) is still below it: delete it "
                      "(%s, line %d)",
                      file, line);
}

/* One trial; verdict_path: the empty file for its verdict. */
static ExerciseResult run(const char *program, char *verdict_path)
{
    ChildEnd end = child_run(
        &(Child){.command = (const char *[]){program, "--trial", verdict_path, NULL},
                 .streams = CHILD_OUT | CHILD_ERR,
                 .seconds = 5,
                 .most_text = 1 << 20,
                 .most_file = CHILD_TRIED_MIB << 20,
                 .most_gib = 1,
                 .most_started = 20, /* where the next line has no effect */
                 .alone = true});
    char verdict[2048];
    take_verdict(verdict_path, verdict, sizeof verdict);
    ExerciseResult result = {EXERCISE_WRONG, NULL, end.text};
    if (!*end.killed && end.status == 0 && !strcmp(verdict, TRIAL_RIGHT)) {
        result.state = EXERCISE_DONE;
        return result;
    }
    char *error = end.status != 0 ? take_error(end.text) : NULL;
    if (end.status == EXIT_TODO && error && !strncmp(error, "TODO in ", strlen("TODO in "))) {
        result.state = EXERCISE_TODO;
        result.why = why_to_do(error);
        return result;
    }
    result.why = why_wrong(&end, verdict, error);
    free(error);
    return result;
}

/* ---- a line of the self-check ---- */

/* No line but an exercise's own has these words. */
static void lower_verdicts(char *line)
{
    static const char *const words[] = {"PASS", "TODO", "FAIL"};
    for (int w = 0; w < 3; w++)
        for (char *at = line; (at = strstr(at, words[w]));)
            for (int i = 0; i < 4; i++, at++)
                *at = (char)tolower(*at);
}

static void show_printed(const char *text)
{
    char line[WIDTH], safe[WIDTH];
    int shown = 0, more = 0;
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        printable(safe, sizeof safe, line);
        lower_verdicts(safe);
        if (shown < MOST_SHOWN)
            printf("      | %s\n", safe);
        shown < MOST_SHOWN ? shown++ : more++;
    }
    if (more)
        printf("      | … and %d more lines\n", more);
}

int exercise_say(const char *name, int points, const char *expected, ExerciseResult result)
{
    static const char *words[] = {"PASS", "TODO", "FAIL"};
    int won = result.state == EXERCISE_DONE ? points : 0;
    bool left = result.state == EXERCISE_TODO && result.why &&
                strncmp(result.why, "TODO in ", strlen("TODO in ")) != 0;
    bool wrong = result.state == EXERCISE_WRONG && result.why;
    char why[1000];
    if (left)
        expected = printable(why, sizeof why, result.why);
    printf("%s  %-17s  %2d/%-2d  %s%s%s\n", words[result.state], name, won, points, expected,
           wrong ? "; found: " : "", wrong ? printable(why, sizeof why, result.why) : "");
    if (result.printed)
        show_printed(result.printed);
    fflush(stdout);
    return won;
}

char *exercise_trial_path(const char *check)
{
    const char *slash = strrchr(check, '/'), *name = slash ? slash + 1 : check;
    char *path = format_new("%.*s../trial/%s", (int)(name - check), check, name);
    REQUIRE(access(path, X_OK) == 0, "%s: missing: run 'make check'", path);
    return path;
}

static void (*judge_of_check)(void *unused);
static void judge_and_compare(void *unused)
{
    judge_of_check(NULL);
    exercise_compare();
}

int exercise_check_main(const ExerciseCheck *check, int argc, char **argv)
{
    static const int statuses[] = {0, EXIT_TODO, EXIT_WRONG};
    bool records = argc == 3 && !strcmp(argv[1], "--record");
    if (records || (argc == 3 && !strcmp(argv[1], "--trial"))) {
        const char *slash = strrchr(argv[0], '/');
        if (records)
            exercise_record(realpath(argv[2], NULL));
        else
            exercise_read_table(format_new("%.*s", (int)(strrchr(check->file, '/') - check->file),
                                           check->file),
                                slash ? slash + 1 : argv[0]);
        judge_of_check = check->judge;
        trial_run(argv[2], judge_and_compare);
    }
    REQUIRE(argc == 1, "%s takes no arguments", argv[0]);
    char *program = exercise_trial_path(argv[0]);
    ExerciseResult result = run(program, verdict_file_new());
    exercise_say(check->name, check->points, check->expected, result);
    free(program);
    free(result.why);
    free(result.printed);
    return statuses[result.state];
}
