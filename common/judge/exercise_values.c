/* exercise_values.c: the values that an exercise computes, and which mistake computes the same. See
 * exercise.h; LAB/check/mistakes.txt is recorded by tests/tools/mistakes.py.
 */
#include "check.h"
#include "exercise.h"
#include "exercise_trial.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 8192, MOST_CASES = 2048, MOST_ROWS = 400 };

typedef struct Value {
    const char *name; /* "dw" */
    int in;           /* its case */
    bool yes_no, fact;
    double found, absolute, relative;
} Value;
typedef struct Case {
    char *asked;
    const char *group; /* NULL: none */
} Case;

/* A row of the table: what the reference, or a mistake, gives. */
typedef enum { RIGHT, ANY, NUMBER } Kind;
typedef struct Entry {
    Kind kind;
    double number;
} Entry;
typedef struct Row {
    char *words; /* NULL: the reference */
    Entry *at;
} Row;

static struct {
    Value value[MOST_VALUES];
    Case cases[MOST_CASES];
    Row row[MOST_ROWS]; /* the reference's first */
    char *path;         /* of the table */
    const char *record; /* a file for the values, in place of comparing; NULL: none */
    const char *group;
    double absolute, relative;
    int values, ncases, rows, width; /* width: values in a row */
    bool judged;
} noted = {.absolute = 1e-9, .relative = 1e-9};

/* ---- the table ---- */

/* "1.5 =3 ? nan": a number, as the reference (three times), anything. */
static Row row_read(char *words, const char *text)
{
    Row row = {words, alloc(MOST_VALUES, sizeof *row.at)};
    int n = 0;
    for (const char *at = text + strspn(text, " \t"); *at; at += strspn(at, " \t")) {
        char *end = (char *)at + 1;
        Kind kind = *at == '=' ? RIGHT : *at == '?' ? ANY : NUMBER;
        double number = kind == NUMBER ? strtod(at, &end) : 0;
        long times = kind != NUMBER && *end >= '1' && *end <= '9' ? strtol(end, &end, 10) : 1;
        REQUIRE(end > at && strchr(" \t", *end) && n + times <= MOST_VALUES,
                "%s: '%.20s' is no value: unpack this file again", noted.path, at);
        while (times--)
            row.at[n++] = (Entry){kind, number};
        at = end;
    }
    REQUIRE(noted.rows == 0 || n == noted.width, "%s: a row of %d values, expected %d: '%s'",
            noted.path, n, noted.width, words ? words : "");
    noted.width = n;
    return row;
}

void exercise_read_table(const char *folder, const char *exercise)
{
    char *line = NULL, *words = NULL, *name = format_new("[%s]", exercise);
    bool inside = false;
    noted.path = format_new("%s/mistakes.txt", folder);
    FILE *file = fopen(noted.path, "r");
    for (size_t room = 0; file && getline(&line, &room, file) > 0;) {
        line[strcspn(line, "\r\n")] = 0;
        if (*line == '[')
            inside = !strcmp(line, name);
        else if (inside && *line == '\t') {
            REQUIRE(noted.rows < MOST_ROWS, "%s: too many rows", noted.path);
            Row row = row_read(words, line + 1);
            noted.row[noted.rows++] = row;
        } else if (inside && *line && strncmp(line, "| ", 2) != 0) // not an edit
            words = format_new("%s", line);
    }
    free(line);
    free(name);
    if (file)
        fclose(file);
}

/* ---- what a check notes ---- */

void exercise_case(const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ASSERT(noted.ncases < MOST_CASES);
    noted.cases[noted.ncases++] = (Case){format_new("%s", text), noted.group};
}

void exercise_group(const char *name) { noted.group = name; }

void exercise_tolerance(double absolute, double relative)
{
    noted.absolute = absolute;
    noted.relative = relative;
}

static void note_value(const char *name, double found, bool yes_no)
{
    ASSERT(noted.values < MOST_VALUES && noted.ncases > 0);
    noted.value[noted.values++] = (Value){name,  noted.ncases - 1, yes_no,        false,
                                          found, noted.absolute,   noted.relative};
}

void exercise_value(const char *name, double found) { note_value(name, found, false); }

void exercise_fact(const char *name, double found)
{
    note_value(name, found, false);
    noted.value[noted.values - 1].fact = true;
}

void exercise_answer(const char *name, bool found) { note_value(name, found, true); }

void exercise_values(const char *name, const float *found, int n)
{
    for (int i = 0; i < n; i++)
        note_value(name, found[i], false);
}

void exercise_record(const char *file) { noted.record = file; }

static _Noreturn void write_values(void)
{
    FILE *file = fopen(noted.record, "w");
    for (int i = 0; i < noted.values; i++)
        fprintf(file, "%.17g %g %g\n", noted.value[i].found, noted.value[i].absolute,
                noted.value[i].relative);
    fclose(file);
    exit(0);
}

/* ---- comparing ---- */

static double right(int i) { return noted.row[0].at[i].number; }

static bool within(double found, double expected, double absolute, double relative)
{
    return found == expected || (isnan(found) && isnan(expected)) ||
           (isfinite(expected) && fabs(found - expected) <= absolute + relative * fabs(expected));
}

static bool is_right(int i)
{
    const Value *v = &noted.value[i];
    return within(v->found, right(i), v->absolute, v->relative);
}

/* The same but for rounding: another version may add in another order. */
static bool same(double found, double given) { return within(found, given, 1e-9, 1e-6); }

/* Does the row give value i? */
static bool gives(const Row *row, int i)
{
    const Value *v = &noted.value[i];
    Entry e = row->at[i];
    return e.kind == ANY || (e.kind == RIGHT && is_right(i)) ||
           (e.kind == NUMBER &&
            within(v->found, e.number, fmax(v->absolute, 1e-9), fmax(v->relative, 1e-6)));
}

/* Does the row give all values with this name? NULL: all values. */
static bool explains(const Row *row, const char *name)
{
    int wrong = 0;
    for (int i = 0; i < noted.values; i++) {
        if (name && strcmp(noted.value[i].name, name) != 0)
            continue;
        if (!gives(row, i))
            return false;
        wrong += row->at[i].kind == NUMBER;
    }
    return wrong > 0;
}

/* How far these values are from the row's, by the largest difference. */
static double apart(const Row *row, const char *name)
{
    double most = 0;
    for (int i = 0; i < noted.values; i++)
        if (row->at[i].kind == NUMBER && isfinite(row->at[i].number) &&
            (!name || !strcmp(noted.value[i].name, name)))
            most = fmax(most, fabs(noted.value[i].found - row->at[i].number));
    return most;
}

/* The mistake that gives these values, where no other does, or none nearly as well; NULL: none. */
static const Row *mistake_in(const char *name)
{
    const Row *best = NULL, *second = NULL;
    for (const Row *row = noted.row + 1; row < noted.row + noted.rows; row++) {
        if (!explains(row, name) || (best && !strcmp(best->words, row->words)))
            continue;
        bool closer = !best || apart(row, name) < apart(best, name);
        second = closer ? best : row;
        best = closer ? row : best;
    }
    return second && apart(best, name) > apart(second, name) / 10 ? NULL : best;
}

/* The mistake of each name that has wrong values, where there is one: "w: the sign is wrong; b:
 * …"; NULL: not for all. */
static char *mistakes_by_name(void)
{
    char *words = format_new("%s", "");
    for (int i = 0; i < noted.values; i++) {
        const char *name = noted.value[i].name;
        bool before = false;
        for (int k = 0; k < i; k++)
            before |= !strcmp(noted.value[k].name, name) && !is_right(k);
        if (is_right(i) || before)
            continue;
        const Row *row = noted.value[i].fact ? NULL : mistake_in(name);
        if (!row)
            return NULL;
        words = format_new("%s%s%s: %s", words, *words ? "; " : "", name, row->words);
    }
    return words;
}

/* Two mistakes at once: each value is that of the one where the other is right; where both are
 * wrong, any. Each must be seen alone in some value, and most values be of one alone. */
static bool both_explain(const Row *a, const Row *b)
{
    int only_a = 0, only_b = 0, both = 0;
    for (int i = 0; i < noted.values; i++) {
        bool right_a = a->at[i].kind == RIGHT, right_b = b->at[i].kind == RIGHT;
        if ((right_b && !gives(a, i)) || (right_a && !gives(b, i)))
            return false;
        only_a += right_b && a->at[i].kind == NUMBER && !is_right(i);
        only_b += right_a && b->at[i].kind == NUMBER && !is_right(i);
        both += !right_a && !right_b;
    }
    return only_a > 0 && only_b > 0 && only_a + only_b >= both;
}

/* The words of the only pair of mistakes that does; NULL: none, or several. Not of answers, which
 * fit too easily. */
static char *pair_made(void)
{
    const Row *first = NULL, *second = NULL, *end = noted.row + noted.rows;
    for (int i = 0; i < noted.values; i++)
        if (noted.value[i].yes_no)
            return NULL;
    for (const Row *a = noted.row + 1; a < end; a++)
        for (const Row *b = a + 1; b < end; b++) {
            if (!both_explain(a, b) || !strcmp(a->words, b->words))
                continue;
            if (first && (strcmp(a->words, first->words) || strcmp(b->words, second->words)))
                return NULL;
            first = a;
            second = b;
        }
    return first ? format_new("two mistakes: %s; and: %s", first->words, second->words) : NULL;
}

/* ---- what any exercise can have ---- */

/* Of one value; times: found over right where it is wrong first. */
typedef bool Sign(double found, double right, double times);
static bool unset(double found, double right, double times) { return found == EXERCISE_UNSET; }
static bool zero(double found, double right, double times) { return found == 0; }
static bool turned(double found, double right, double times) { return same(found, -right); }
static bool factor(double found, double right, double times) { return same(found, times * right); }
static bool nearly(double found, double right, double times)
{
    return fabs(found - right) < 1e-3 * fabs(right);
}

/* Is it so for all values of that name? Where 0 is right, only one that is nearly 0 is. */
static bool always(Sign *sign, const char *name, double times)
{
    double most = 0;
    int seen = 0;
    for (int i = 0; i < noted.values; i++)
        if (!strcmp(noted.value[i].name, name))
            most = fmax(most, fabs(right(i)));
    for (int i = 0; i < noted.values; i++) {
        double found = noted.value[i].found;
        if (strcmp(noted.value[i].name, name) != 0)
            continue;
        if (right(i) == 0 && sign != unset ? fabs(found) > 1e-6 * most
                                           : !sign(found, right(i), times))
            return false;
        seen += right(i) != 0;
    }
    return sign == unset || seen > (sign == factor);
}

static bool always_answers(const char *name, double answer)
{
    for (int i = 0; i < noted.values; i++)
        if (!strcmp(noted.value[i].name, name) && noted.value[i].found != answer)
            return false;
    return true;
}

/* NULL: none. */
static char *any_mistake(int first)
{
    const char *name = noted.value[first].name;
    double found = noted.value[first].found, times = found / right(first);
    if (noted.value[first].fact)
        return NULL;
    if (noted.value[first].yes_no)
        return always_answers(name, found)
                 ? format_new("it always returns %s", found ? "true" : "false")
                 : NULL;
    if (always(unset, name, times))
        return format_new("%s is never set", name);
    if (isnan(found) && !isnan(right(first)))
        return format_new("%s is not a number: a division by 0, or never set?", name);
    if (always(zero, name, times))
        return format_new("%s is always 0: is it an integer division, or a sum never added to?",
                          name);
    if (always(turned, name, times))
        return format_new("the sign of %s is wrong", name);
    if (isfinite(times) && fabs(times - 1) > 1e-3 && always(factor, name, times))
        return format_new("%s is always %.6g times the right value", name, times);
    if (always(nearly, name, times))
        return format_new("%s is nearly right: is it in float instead of double, or an "
                          "approximation?",
                          name);
    return NULL;
}

/* ---- the verdict ---- */

/* "w", or of several of that name in its case "w[2]". */
static char *name_of(int i)
{
    const Value *v = &noted.value[i];
    int before = 0, all = 0;
    for (int k = 0; k < noted.values; k++) {
        bool fits = noted.value[k].in == v->in && !strcmp(noted.value[k].name, v->name);
        all += fits;
        before += fits && k < i;
    }
    return all > 1 ? format_new("%s[%d]", v->name, before) : format_new("%s", v->name);
}

/* "w is 3, expected 4", with enough digits to show that they differ. */
static char *in_numbers(int i)
{
    const Value *v = &noted.value[i];
    char *name = name_of(i);
    char a[32], b[32];
    int digits = 6;
    if (v->yes_no)
        return format_new("%s returned %s, expected %s", name, v->found ? "true" : "false",
                          right(i) ? "true" : "false");
    if (v->found == EXERCISE_UNSET)
        return format_new("%s is not set, expected %g", name, right(i));
    do {
        snprintf(a, sizeof a, "%.*g", digits, v->found);
        snprintf(b, sizeof b, "%.*g", digits, right(i));
    } while (!strcmp(a, b) && (digits += 2) <= 16);
    return format_new("%s is %s, expected %s", name, a, b);
}

static bool case_is_right(int c)
{
    for (int i = 0; i < noted.values; i++)
        if (noted.value[i].in == c && !is_right(i))
            return false;
    return true;
}

/* Are all cases of this group right? */
static bool group_is_right(const char *group)
{
    for (int c = 0; c < noted.ncases; c++)
        if (noted.cases[c].group && !strcmp(noted.cases[c].group, group) && !case_is_right(c))
            return false;
    return true;
}

/* "; right for n = 1": its groups without a fault, else how many cases. */
static char *where_right(void)
{
    char *groups = format_new("%s", "");
    int fine = 0;
    for (int c = 0; c < noted.ncases; c++) {
        const char *group = noted.cases[c].group;
        bool before = false;
        for (int k = 0; k < c && group; k++)
            before |= noted.cases[k].group && !strcmp(noted.cases[k].group, group);
        fine += case_is_right(c);
        if (!group || before || !group_is_right(group))
            continue;
        char *more = format_new("%s%s%s", groups, *groups ? ", " : "; right for ", group);
        free(groups);
        groups = more;
    }
    return *groups || !fine ? groups : format_new("; right in %d of %d cases", fine, noted.ncases);
}

void exercise_compare(void)
{
    if (noted.record)
        write_values();
    if (noted.judged || noted.values == 0)
        return;
    noted.judged = true;
    REQUIRE(noted.rows > 0 && noted.values == noted.width,
            "%s does not fit this check (%d values, %d in the table): unpack it again", noted.path,
            noted.values, noted.width);
    int first = 0;
    while (first < noted.values && is_right(first))
        first++;
    if (first == noted.values)
        return;
    const Row *made = mistake_in(NULL);
    const char *words = made ? made->words : any_mistake(first);
    bool known = made || (!words && ((words = mistakes_by_name()) || (words = pair_made())));
    for (int i = first; made && i < noted.values; i++) /* where that mistake shows */
        if (!is_right(i) && made->at[i].kind == NUMBER) {
            first = i;
            break;
        }
    bool asks = words && words[strlen(words) - 1] == '?';
    exercise_wrong("%s%s%s: %s%s", words ? words : "",
                   asks    ? " with "
                   : words ? "; with "
                           : "with ",
                   noted.cases[noted.value[first].in].asked, in_numbers(first),
                   known ? "" : where_right());
}
