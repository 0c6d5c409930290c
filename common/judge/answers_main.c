/* answers_main.c: the check of a lab's answers.txt: see answers.h. */
#include "answers.h"
#include "check.h"
#include "printable.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of the variant that this program is built for: …/sol/lab2_ddp/check/99_answers. */
static char *own_file(const char *program, const char *lab)
{
    char *sol = format_new("/sol/%s/check/", lab);
    char *file = format_new("%s/%s/answers.txt", lab,
                            strstr(program, sol) ? "solution" : "exercises");
    free(sol);
    return file;
}

static int judge(const AnswerFile *file, const Question *questions, int count)
{
    int wrong = 0, to_do = 0;
    for (int i = 0; i < count; i++) {
        ExerciseResult result = answer_judge(&questions[i], file);
        exercise_say(questions[i].name, 1, questions[i].what, result);
        wrong += result.state == EXERCISE_WRONG;
        to_do += result.state == EXERCISE_TODO;
        free(result.why);
    }
    return wrong ? EXIT_WRONG : to_do ? EXIT_TODO : 0;
}

/* Lines, each as a note. */
static void say_notes(const char *lines)
{
    char shown[1000];
    for (size_t length; *lines; lines += length + (lines[length] == '\n')) {
        length = strcspn(lines, "\n");
        char *line = format_new("%.*s", (int)length, lines);
        printf("note: %s\n", printable(shown, sizeof shown, line));
        free(line);
    }
}

int answers_main(int argc, char **argv, const char *lab, const Question *questions, int count)
{
    REQUIRE(argc <= 2, "99_answers [FILE]: judges answers.txt");
    char *path = argc == 1 ? own_file(argv[0], lab) : format_new("%s", argv[argc - 1]);
    AnswerFile file;
    char *wrong = answers_read(&file, path);
    if (wrong && access(path, F_OK) != 0 && argc == 1) {
        free(wrong);
        wrong = format_new("%s: missing: restore it, in the folder of labs.tar.gz: tar xzf "
                           "labs.tar.gz labs/%s",
                           path, path);
    }
    REQUIRE(!wrong || argc == 1, "%s", wrong);
    answers_check_names(&file, path, questions, count);
    if (wrong || file.ignored)
        say_notes(wrong ? wrong : file.ignored);
    int status = judge(&file, questions, count);
    status = wrong || file.ignored ? EXIT_WRONG : status;
    answers_free(&file);
    free(wrong);
    free(path);
    return status;
}
