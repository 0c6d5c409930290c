/* exercise.c: see exercise.h. */
#include "exercise.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

enum { PATIENCE = 5 }; /* seconds */

/* All that the child wrote to its stderr, one string. */
static char *read_all(int fd)
{
    char *text = alloc(4096, 1);
    size_t size = 0;
    for (ssize_t got; size < 4095 && (got = read(fd, text + size, 4095 - size)) > 0;)
        size += got;
    return text;
}

/* The first line, without "error: " in front; of a TODO from that word on. */
static char *first_line(char *text)
{
    char *line = strstr(text, "TODO in "), *error = strstr(text, "error: ");
    line = line ? line : error ? error + strlen("error: ") : text;
    line[strcspn(line, "\n")] = 0;
    return format_new("%s", line);
}

/* The child's part; does not return. */
static void run_child(int fd[2], void (*attempt)(void *), void *argument)
{
    dup2(fd[1], STDERR_FILENO);
    close(fd[0]);
    close(fd[1]);
    alarm(PATIENCE);
    attempt(argument);
    _exit(0);
}

ExerciseResult exercise_try(void (*attempt)(void *), void *argument)
{
    int fd[2], status;
    REQUIRE(pipe(fd) == 0, "no pipe to be had: too many open files?");
    fflush(NULL);
    pid_t child = fork();
    REQUIRE(child >= 0, "no new process to be had: too many are running?");
    if (child == 0)
        run_child(fd, attempt, argument);
    close(fd[1]);
    char *text = read_all(fd[0]);
    close(fd[0]);
    waitpid(child, &status, 0);
    ExerciseResult result = {EXERCISE_WRONG, NULL};
    if (WIFSIGNALED(status))
        result.why = WTERMSIG(status) == SIGALRM ? format_new("it does not end")
                                                 : format_new("it crashed (%s)", strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) == 0)
        result.state = EXERCISE_DONE;
    else {
        result.state = WEXITSTATUS(status) == EXIT_TODO ? EXERCISE_TODO : EXERCISE_WRONG;
        result.why = first_line(text);
    }
    free(text);
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
    printf("%s  %-16s  %2d/%-2d  %s%s%s\n", words[result.state], name, won, points, expected, wrong ? "; found: " : "",
           wrong ? result.why : "");
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
