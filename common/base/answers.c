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

/* A line without its comment, which is neither empty. NULL: understood. */
static char *parse_line(AnswerFile *file, const char *from, const char *end, int line)
{
    const char *equals = memchr(from, '=', (size_t)(end - from));
    if (!equals)
        return format_new("no '=': a line is NAME = NUMBER, or begins with #");
    char *name = trimmed(from, equals), shown[80];
    const Answer *before = find(file, name);
    char *wrong = !is_name(name) ? format_new("\"%s\" is no name: letters, digits and _",
                                              printable(shown, sizeof shown, name))
                : before ? format_new("%s is there twice: also in line %d", name, before->line)
                : file->count == ANSWERS_MOST ? format_new("more than %d answers", ANSWERS_MOST)
                                              : NULL;
    if (wrong)
        free(name);
    else
        file->answer[file->count++] = (Answer){name, trimmed(equals + 1, end), line};
    return wrong;
}

/* A zero byte, which would hide what follows it. */
static char *parse_lines(AnswerFile *file, const char *text, size_t size, int *line)
{
    const char *end = text + size;
    char *wrong = memchr(text, 0, size) ? format_new("it is no text: it has a zero byte") : NULL;
    for (const char *at = text; at < end && !wrong; (*line)++) {
        const char *next = memchr(at, '\n', (size_t)(end - at)), *stop = next ? next : end;
        const char *comment = memchr(at, '#', (size_t)(stop - at));
        char *content = trimmed(at, comment ? comment : stop);
        if (*content)
            wrong = parse_line(file, content, content + strlen(content), *line + 1);
        free(content);
        at = next ? next + 1 : end;
    }
    return wrong;
}

char *answers_parse(AnswerFile *file, const char *path, const char *text, size_t size)
{
    int line = 0;
    *file = (AnswerFile){0};
    char *wrong = size > ANSWERS_LARGEST ? format_new("more than %d bytes", ANSWERS_LARGEST)
                                         : parse_lines(file, text, size, &line),
         *said = NULL;
    if (wrong) {
        said = line ? format_new("%s, line %d: %s", path, line, wrong)
                    : format_new("%s: %s", path, wrong);
        answers_free(file);
    }
    free(wrong);
    return said;
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
    *file = (AnswerFile){0};
}

const Answer *answers_stray(const AnswerFile *file, const Question *questions, int count)
{
    for (int i = 0; i < file->count; i++) {
        int k = 0;
        while (k < count && strcmp(questions[k].name, file->answer[i].name))
            k++;
        if (k == count)
            return &file->answer[i];
    }
    return NULL;
}

/* ---- a number ---- */

static const double SMALLEST = 1e-300, LARGEST = 1e300;

static bool has_unit(const char *unit) { return strcmp(unit, "1") != 0; }

/* Why it is none. */
static char *no_number(const char *text, const char *unit)
{
    char shown[48];
    printable(shown, sizeof shown, text);
    size_t digits = strspn(text, "0123456789+-.eE");
    if (strchr(text, ','))
        return format_new("\"%s\": write a decimal point, not a comma, and no separators", shown);
    if (strchr(text, '%'))
        return format_new("\"%s\": no per cent sign: 0.25, not 25 %%", shown);
    if (text[strspn(text, "0123456789+-.eE */^()")] == 0 && strpbrk(text, "*/^("))
        return format_new("\"%s\": the result, not the sum that leads to it", shown);
    if (!strncasecmp(text, "nan", 3) || !strncasecmp(text, "inf", 3) || !strncmp(text, "0x", 2))
        return format_new("\"%s\": a finite decimal number, as 1.5e3", shown);
    if (digits && isdigit((unsigned char)text[digits - 1]))
        return format_new("\"%s\": the number alone%s%s", shown,
                          has_unit(unit) ? ", without a unit: it is in " : "",
                          has_unit(unit) ? unit : "");
    return format_new("\"%s\" is no number: as 1500 or 1.5e3%s%s", shown,
                      has_unit(unit) ? ", in " : "", has_unit(unit) ? unit : "");
}

char *answer_number(double *value, const char *text, const char *unit)
{
    double found;
    if (!number_real(&found, text, -INFINITY, INFINITY))
        return no_number(text, unit);
    if (!(found >= SMALLEST && found <= LARGEST))
        return format_new("%g: expected a number above 0", found);
    *value = found;
    return NULL;
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

/* Of any question; of one in bytes or bits, whose answers within 5 % of 1000 for 1024 count as
 * right; of one with a unit; of a share. */
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
