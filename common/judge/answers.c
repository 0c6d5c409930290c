/* answers.c: see answers.h. */
#include "answers.h"
#include "check.h"
#include "digest.h"
#include "file.h"
#include "number.h"
#include "printable.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the file ---- */

enum { MOST_IGNORED = 10 }; /* lines named */

static char *trimmed(const char *from, const char *end)
{
    while (from < end && isspace((unsigned char)*from))
        from++;
    while (end > from && isspace((unsigned char)end[-1]))
        end--;
    return format_new("%.*s", (int)(end - from), from);
}

static bool is_name(const char *text)
{
    return *text && strlen(text) < 64 &&
           !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

static const Answer *find(const AnswerFile *file, const char *name)
{
    for (int i = 0; i < file->count; i++)
        if (!strcmp(file->answer[i].name, name))
            return &file->answer[i];
    return NULL;
}

/* Adds to the lines that are ignored. */
static void ignore(AnswerFile *file, const char *path, int line, char *why)
{
    char *before = file->ignored;
    file->ignored = format_new("%s%s, line %d is ignored: %s\n", before ? before : "", path, line,
                               why);
    free(before);
    free(why);
}

/* A line without its comment, which is neither empty. NULL: understood. */
static char *parse_line(AnswerFile *file, const char *from, const char *end, int line)
{
    const char *equals = memchr(from, '=', (size_t)(end - from));
    if (!equals)
        return format_new("no '=': a line is NAME = NUMBER, or begins with #");
    char *name = trimmed(from, equals), shown[80];
    const Answer *before = find(file, name);
    char *wrong = !is_name(name) ? format_new("\"%s\" is not a name: letters, digits and _",
                                              printable(shown, sizeof shown, name))
                : before
                    ? format_new("%s appears twice; the one in line %d counts", name, before->line)
                : file->count == ANSWERS_MOST ? format_new("more than %d answers", ANSWERS_MOST)
                                              : NULL;
    if (wrong)
        free(name);
    else
        file->answer[file->count++] = (Answer){name, trimmed(equals + 1, end), line};
    return wrong;
}

/* Lines end in \n, \r\n or \r. */
static void parse_lines(AnswerFile *file, const char *path, const char *text, size_t size)
{
    static const char mark[] = "\xef\xbb\xbf"; /* with which some editors begin a file */
    const char *end = text + size, *at = text;
    if (size >= strlen(mark) && !memcmp(text, mark, strlen(mark)))
        at += strlen(mark);
    for (int line = 1, shown = 0; at < end; line++) {
        const char *stop = at;
        while (stop < end && *stop != '\n' && *stop != '\r')
            stop++;
        const char *comment = memchr(at, '#', (size_t)(stop - at));
        char *content = trimmed(at, comment ? comment : stop);
        char *wrong = *content ? parse_line(file, content, content + strlen(content), line) : NULL;
        if (wrong && shown++ < MOST_IGNORED)
            ignore(file, path, line, wrong);
        else
            free(wrong);
        free(content);
        at = stop + (stop + 1 < end && *stop == '\r' && stop[1] == '\n') + 1;
    }
}

/* A zero byte would hide what follows it. */
char *answers_parse(AnswerFile *file, const char *path, const char *text, size_t size)
{
    *file = (AnswerFile){0};
    if (size > ANSWERS_LARGEST)
        return format_new("%s: more than %d bytes", path, ANSWERS_LARGEST);
    if (size && memchr(text, 0, size))
        return format_new("%s: not a text file (it has a zero byte); save it as UTF-8", path);
    parse_lines(file, path, text, size);
    return NULL;
}

char *answers_read(AnswerFile *file, const char *path)
{
    char *text;
    size_t size;
    *file = (AnswerFile){0};
    char *wrong = file_read(&text, &size, path, ANSWERS_LARGEST);
    if (!wrong)
        wrong = answers_parse(file, path, text, size);
    free(text);
    return wrong;
}

void answers_free(AnswerFile *file)
{
    for (int i = 0; i < file->count; i++) {
        free(file->answer[i].name);
        free(file->answer[i].text);
    }
    free(file->ignored);
    *file = (AnswerFile){0};
}

const Question *answers_question(const char *name, const Question *questions, int count)
{
    for (int k = 0; k < count; k++)
        if (!strcmp(questions[k].name, name))
            return &questions[k];
    return NULL;
}

void answers_check_names(AnswerFile *file, const char *path, const Question *questions, int count)
{
    bool known = true;
    for (int i = 0; i < file->count; i++)
        if (!answers_question(file->answer[i].name, questions, count)) {
            known = false;
            ignore(file, path, file->answer[i].line,
                   format_new("there is no question \"%s\"", file->answer[i].name));
        }
    for (int k = 0; !known && k < count; k++) {
        char *before = file->ignored;
        file->ignored = format_new("%s%s%s%s", before, k ? ", " : "the questions are ",
                                   questions[k].name, k == count - 1 ? "\n" : "");
        free(before);
    }
}

/* ---- a number ---- */

static bool has_unit(const char *unit) { return strcmp(unit, "1") != 0; }

char *answer_number(double *value, const char *text, const char *unit)
{
    char shown[48];
    if (number_real(value, text, 1e-300, 1e300))
        return NULL;
    return format_new("\"%s\": expected a decimal number above 0, such as 1500 or 1.5e3%s%s",
                      printable(shown, sizeof shown, text), has_unit(unit) ? ", in " : "",
                      has_unit(unit) ? unit : "");
}

/* ---- the judge ---- */

/* Numbers are rounded to this part of themselves, and those as near as 5 % are tried. */
static const double GRID = 1e-3;

static void digest_of(char digest[ANSWER_DIGEST], const char *name, long cell)
{
    char *text = format_new("data-parallel labs, %s, %ld", name, cell);
    sha256_hex(digest, ANSWER_DIGEST, text, strlen(text));
    free(text);
}

static long cell_of(double value) { return lround(log(value) / GRID); }

void answer_digest(char digest[ANSWER_DIGEST], const char *name, double value)
{
    digest_of(digest, name, cell_of(value));
}

bool answer_right(const Question *q, double value)
{
    long first = cell_of(value / 1.05), last = cell_of(value / 0.95);
    char digest[ANSWER_DIGEST];
    for (long cell = first; cell <= last; cell++) {
        digest_of(digest, q->name, cell);
        if (!strcmp(digest, q->digest))
            return true;
    }
    return false;
}

/* For any question; for one in bytes or bits, where 1000 for 1024 is within the 5 % that count as
 * right; for one with a unit; for a share. */
static const AnswerMistake common_mistakes[] = {{2, "that is twice the answer"},
                                                {0.5, "that is half the answer"},
                                                {0, NULL}};
static const AnswerMistake of_bytes[] = {
    {8, "that is 8 times the answer: bits, where bytes are asked for?"},
    {1 / 8., "that is an eighth of the answer: bytes, where bits are asked for?"},
    {4, "that is 4 times the answer: bytes, where elements are asked for?"},
    {0.25, "that is a quarter of the answer: an element of FP32 has 4 bytes"},
    {1048576 / 1e6 * 1.024, "kilo, mega and giga are powers of 1000 here, not of 1024"},
    {1 / (1048576 / 1e6 * 1.024), "kilo, mega and giga are powers of 1000 here, not of 1024"},
    {0, NULL}};
static const AnswerMistake of_units[] = {
    {1e3, "that is 1000 times the answer: look at the unit"},
    {1e-3, "that is a thousandth of the answer: look at the unit"},
    {1e6, "that is a million times the answer: look at the unit"},
    {1e-6, "that is a millionth of the answer: look at the unit"},
    {1e9, "that is 10⁹ times the answer: look at the unit"},
    {1e-9, "that is 10⁻⁹ of the answer: look at the unit"},
    {0, NULL}};
static const AnswerMistake of_shares[] = {
    {100, "that is 100 times the answer: a share is 0 … 1, not per cent"}, {0, NULL}};

static const char *mistake_in(const Question *q, double value)
{
    bool bytes = strstr(q->unit, "byte") || strstr(q->unit, "bit") || strchr(q->unit, 'B');
    bool share = !has_unit(q->unit) || !strcmp(q->unit, "parts of 1");
    const AnswerMistake *tables[] = {q->mistake, common_mistakes, bytes ? of_bytes : NULL,
                                     has_unit(q->unit) ? of_units : NULL, share ? of_shares : NULL};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const AnswerMistake *m = tables[t]; m && m->factor > 0; m++)
            if (answer_right(q, value / m->factor))
                return m->words;
    return NULL;
}

static bool still_to_do(const char *text)
{
    return !*text || !strcmp(text, "?") || !strncasecmp(text, "todo", 4);
}

ExerciseResult answer_judge(const Question *q, const AnswerFile *file)
{
    const Answer *a = find(file, q->name);
    double value = 0;
    if (!a || still_to_do(a->text))
        return (ExerciseResult){.state = EXERCISE_TODO};
    char *wrong = answer_number(&value, a->text, q->unit), *why = NULL;
    if (!wrong && answer_right(q, value))
        return (ExerciseResult){.state = EXERCISE_DONE};
    const char *words = wrong ? wrong : mistake_in(q, value);
    why = words && !wrong ? format_new("line %d: %.6g: %s", a->line, value, words)
        : wrong           ? format_new("line %d: %s", a->line, wrong)
                          : format_new("line %d: %.6g is not within 5 %%", a->line, value);
    free(wrong);
    return (ExerciseResult){.state = EXERCISE_WRONG, .why = why};
}
