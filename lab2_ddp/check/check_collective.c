/* check_collective.c: see check_collective.h. */
#include "check_collective.h"
#include "check.h"
#include "check_run.h"
#include "exercise.h"
#include "file.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int even_ranks(int P) { return 1 << (int)log2(P); }

typedef struct Verdict {
    char *case_, *words; /* the last case that began, and what was found; NULL: none */
} Verdict;

static Verdict verdict_read(const char *path)
{
    Verdict v = {NULL, NULL};
    FILE *file = file_try(path);
    char *line = NULL;
    for (size_t room = 0; file && !v.words && getline(&line, &room, file) > 0;) {
        bool trying = !strncmp(line, TRYING, strlen(TRYING));
        char *text = line + (trying ? strlen(TRYING) : 0);
        line[strcspn(line, "\n")] = 0;
        if (trying)
            free(v.case_);
        *(trying ? &v.case_ : &v.words) = format_new("%s", text);
    }
    free(line);
    if (file)
        fclose(file);
    return v;
}

/* What glibc says before abort(), of memory from alloc() or malloc(). */
static bool says_corrupt(const char *text)
{
    static const char *const words[] = {"free(",    "(free)",  "malloc",
                                        "realloc(", "chunk()", "corrupt"};
    bool found = false;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        found |= strstr(text, words[i]) != NULL;
    return found;
}

/* What is wrong with the run on `ranks` ranks that ended so; NULL: nothing. */
static char *fault_of(int ranks, const ChildEnd *end, const Verdict *v)
{
    bool right = v->words && !strcmp(v->words, RIGHT);
    const char *at = v->case_ ? v->case_ : "at the start";
    if (v->words && !right)
        return format_new("%s", v->words);
    if (end->timed_out)
        return format_new("%s: %d ranks did not end within %d s: do ranks wait for each other, in "
                          "MPI_Send for a receive, or in MPI_Recv for a message that none sends?",
                          at, ranks, run_seconds());
    if (*end->killed)
        return format_new("on %d ranks %s", ranks, end->killed);
    if (end->status == 128 + SIGSYS)
        return format_new("on %d ranks it sent a signal to all processes, or to the check", ranks);
    if (end->status == 128 + SIGABRT && says_corrupt(end->text))
        return format_new("%s: it writes past the end of memory that it allocated, or before it "
                          "(in C, %% of a negative number is negative), or frees memory twice or "
                          "in part",
                          at);
    if (end->status == 0)
        return right ? NULL : format_new("on %d ranks it ended the program with exit(0)", ranks);
    char *error = error_line(fmemopen(end->text, strlen(end->text), "r"));
    char *fault = format_new("%s: on %d ranks it ended with status %d%s%s", at, ranks, end->status,
                             error ? ": " : "", error ? error : "");
    free(error);
    return fault;
}

/* Of bash: launch.sh --np $0 PROGRAM …, whose free() and realloc() look whether the program wrote
 * past the end, where glibc has a library for that (from 2.34 on), and no sanitizer looks. */
static const char start[] =
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    "library=libc_malloc_debug.so.0\n"
    "[ -n \"$(LD_PRELOAD=$library bash -c : 2>&1)\" ] ||\n"
    "    set -- env LD_PRELOAD=$library${LD_PRELOAD:+:$LD_PRELOAD} MALLOC_CHECK_=3 \"$@\"\n"
#endif
    "exec common/setup/launch.sh --np \"$0\" \"$@\"";

/* One start of the program; true: it is right. */
static bool judge_start(const char *program, const char *work, int ranks, ExerciseResult *result)
{
    char count[16], *path = format_new("%s/ranks-%d", work, ranks);
    snprintf(count, sizeof count, "%d", ranks);
    const char *const words[] = {"bash", "-c", start, count, program, "--rank", path, NULL};
    ChildEnd end = run_words(words, NULL);
    Verdict verdict = verdict_read(path);
    result->why = fault_of(ranks, &end, &verdict);
    result->state = end.status == EXIT_TODO ? EXERCISE_TODO
                  : result->why             ? EXERCISE_WRONG
                                            : EXERCISE_DONE;
    free(result->printed);
    result->printed = end.text;
    free(verdict.case_);
    free(verdict.words);
    free(path);
    return result->state == EXERCISE_DONE;
}

int check_collective(int argc, char **argv, const Collective *c)
{
    static const int statuses[] = {0, EXIT_TODO, EXIT_WRONG};
    if (argc == 3 && !strcmp(argv[1], "--rank")) {
        check_collective_rank(c, argv[2]);
        return 0;
    }
    REQUIRE(argc == 1, "%s takes no arguments", argv[0]);
    char *program = exercise_trial_path(argv[0]), *work = check_folder_new();
    ExerciseResult result = {EXERCISE_DONE, NULL, NULL};
    /* alone, a few, and as many as the link is asked about */
    if (judge_start(program, work, 1, &result) && judge_start(program, work, 4, &result))
        judge_start(program, work, 16, &result);
    if (result.state == EXERCISE_TODO) { /* the line is in its file */
        *result.printed = 0;
        free(result.why);
        result.why = NULL;
    }
    exercise_say(c->name, c->points, c->expected, result);
    check_folder_free(work, true);
    free(program);
    free(result.printed);
    free(result.why);
    return statuses[result.state];
}
