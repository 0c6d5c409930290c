/* answers.h: numbers that a person worked out on paper, in a text file, and the judge of them.
 *
 *     # 1. How many bytes is the gradient?
 *     gradient_bytes = 7.45e6
 *
 * A line is NAME = NUMBER; '#' begins a comment, also behind a number. A number is decimal, with a
 * point and nothing else; all other texts are refused with a message. Nothing after '=', "?" or
 * "TODO" is an unanswered question. A line that cannot be parsed is ignored.
 *
 * The judge does not know the expected numbers, so that they cannot be read in its source: it knows
 * a digest of each (answer_digest). An answer within 5 % is found by trying all numbers near it; a
 * usual mistake, such as a factor of 8, by undoing it and trying again. That keeps an honest reader
 * from seeing an answer by accident. It stops nobody who writes a search.
 */
#ifndef ANSWERS_H
#define ANSWERS_H
#include "exercise.h"
#include <stdbool.h>
#include <stddef.h>

enum {
    ANSWER_MISTAKES = 10,
    ANSWER_DIGEST = 17,       /* bytes of a digest as text */
    ANSWERS_MOST = 64,        /* in a file */
    ANSWERS_LARGEST = 1 << 16 /* bytes of a file */
};

typedef struct AnswerMistake {
    double factor; /* the answer given, over the right one */
    const char *words;
} AnswerMistake;

typedef struct Question {
    const char *name;   /* in the file: "gradient_bytes" */
    const char *what;   /* for the check's line: "bytes of the gradient" */
    const char *unit;   /* "bytes"; named in the message if the answer has another one */
    const char *digest; /* answer_digest(name, expected) */
    AnswerMistake mistake[ANSWER_MISTAKES]; /* beside the common ones; factor 0 ends them */
} Question;

typedef struct Answer {
    char *name, *text; /* as in the file */
    int line;
} Answer;

typedef struct AnswerFile {
    int count;
    Answer answer[ANSWERS_MOST];
    char *ignored; /* lines that are not answers, each with the reason; NULL: none */
} AnswerFile;

/* Reads the file (path), or text [size] of that name. NULL: done; else what is wrong with it as a
 * whole, a new string, and *file is empty. Give it back with answers_free. */
char *answers_read(AnswerFile *file, const char *path);
char *answers_parse(AnswerFile *file, const char *path, const char *text, size_t size);
void answers_free(AnswerFile *file);
/* Those of that name; NULL: none. */
const Question *answers_question(const char *name, const Question *questions, int count);
/* Adds answers without a question to file->ignored, followed by the valid names. */
void answers_check_names(AnswerFile *file, const char *path, const Question *questions, int count);

/* The number that the text is. NULL: understood; else why not, a new string. */
char *answer_number(double *value, const char *text, const char *unit);
/* Of a number other than 0. */
void answer_digest(char digest[ANSWER_DIGEST], const char *name, double value);
/* Is the number within 5 % of the expected one? */
bool answer_right(const Question *q, double value);
/* DONE, TODO or WRONG, with the usual mistake explained if it is one. free() its `why`. */
ExerciseResult answer_judge(const Question *q, const AnswerFile *file);
/* The program LAB/check/99_answers: a line for each question, judged in LAB's exercises/answers.txt
 * (SOL=1: in its solution/), or in the file given. */
int answers_main(int argc, char **argv, const char *lab, const Question *questions, int count);
#endif
