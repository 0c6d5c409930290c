/* exercise.c: see exercise.h. */
#include "exercise.h"
#include "check.h"
#include "child.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 5 }; /* seconds */

/* The first line without "error: "; a TODO's line from that word on. */
static char *first_line(char *text)
{
    char *line = strstr(text, "TODO in "), *error = strstr(text, "error: ");
    line = line ? line : error ? error + strlen("error: ") : text;
    line[strcspn(line, "\n")] = 0;
    return format_new("%s", line);
}

ExerciseResult exercise_try(void (*attempt)(void *), void *argument)
{
    ChildEnd end = child_run(
        &(Child){.work = attempt, .context = argument, .streams = CHILD_ERR, .seconds = PATIENCE});
    bool printed = end.status != 0 && *end.text;
    ExerciseResult result = {EXERCISE_WRONG, NULL};
    if (end.came_back && end.status == 0)
        result.state = EXERCISE_DONE;
    else if (end.timed_out)
        result.why = format_new("it does not end");
    else if (end.signal)
        result.why = format_new("it crashed (%s)", strsignal(end.signal));
    else
        result.why = printed ? first_line(end.text)
                             : format_new("it ended the program with exit(%d)", end.status);
    if (end.status == EXIT_TODO && printed)
        result.state = EXERCISE_TODO;
    free(end.text);
    return result;
}

char *exercise_missing(const ExerciseUse *uses, int n)
{
    for (int i = 0; i < n; i++) {
        ExerciseResult tried = exercise_try(uses[i].attempt, NULL);
        if (tried.state == EXERCISE_TODO)
            return tried.why;
        if (tried.state == EXERCISE_WRONG) {
            char *text = format_new("%s: %s", uses[i].file, tried.why);
            free(tried.why);
            return text;
        }
    }
    return NULL;
}

int exercise_say(const char *name, int points, const char *expected, ExerciseResult result)
{
    static const char *words[] = {"PASS", "TODO", "FAIL"};
    int won = result.state == EXERCISE_DONE ? points : 0;
    bool wrong = result.state == EXERCISE_WRONG && result.why;
    printf("%s  %-16s  %2d/%-2d  %s%s%s\n", words[result.state], name, won, points, expected,
           wrong ? "; found: " : "", wrong ? result.why : "");
    fflush(stdout);
    return won;
}

int exercise_check(const char *name, int points, const char *expected, void (*judge)(void *unused))
{
    static const int statuses[] = {0, EXIT_TODO, EXIT_WRONG};
    ExerciseResult result = exercise_try(judge, NULL);
    exercise_say(name, points, expected, result);
    free(result.why);
    return statuses[result.state];
}
