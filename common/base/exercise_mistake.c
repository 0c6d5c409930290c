/* exercise_mistake.c: which mistake explains what an exercise gave? See exercise.h. */
#include "check.h"
#include "exercise.h"
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void exercise_tell(ExerciseCase *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->told, sizeof c->told, format, arguments);
    va_end(arguments);
}

static int values_of(const ExerciseQuestion *q)
{
    int n = 0;
    while (n < EXERCISE_MOST_VALUES && q->names[n])
        n++;
    return n;
}

static bool is_right(const ExerciseQuestion *q, const ExerciseCase *c, int v)
{
    double found = c->found[v], right = c->right[v];
    return found == right || fabs(found - right) <= q->absolute + q->relative * fabs(right);
}

/* The same but for rounding: a version may add in another order. */
static bool same(double found, double given)
{
    return found == given || fabs(found - given) <= 1e-9 + 1e-6 * fabs(given);
}

static bool explains(const Mistake *m, int values, const ExerciseCase *cases, int n)
{
    for (int i = 0; i < n; i++) {
        double given[EXERCISE_MOST_VALUES];
        m->gives(given, cases[i].right, cases[i].asked);
        for (int v = 0; v < values; v++)
            if (!isnan(given[v]) && !same(cases[i].found[v], given[v]))
                return false;
    }
    return true;
}

/* ---- what any exercise can have ---- */

/* Of one value of one case; times: found over right in the first wrong case. */
typedef bool Sign(double found, double right, double times);
static bool unset(double found, double right, double times) { return found == EXERCISE_UNSET; }
static bool zero(double found, double right, double times) { return found == 0; }
static bool turned(double found, double right, double times) { return same(found, -right); }
static bool factor(double found, double right, double times) { return same(found, times * right); }
static bool nearly(double found, double right, double times)
{
    return fabs(found - right) < 1e-2 * fabs(right);
}

/* Is it so for value v in all cases? */
static bool always(Sign *sign, int v, double times, const ExerciseCase *cases, int n)
{
    for (int i = 0; i < n; i++)
        if (cases[i].right[v] != 0 && !sign(cases[i].found[v], cases[i].right[v], times))
            return false;
    return true;
}

static const char *any_mistake(const ExerciseQuestion *q, const ExerciseCase *cases, int n, int v)
{
    static char words[200];
    const char *name = q->names[v];
    int first = 0;
    while (is_right(q, &cases[first], v))
        first++;
    double found = cases[first].found[v], right = cases[first].right[v], times = found / right;
    bool odd = isfinite(times) && fabs(times - 1) > 1e-3;
    words[0] = 0;
    if (always(unset, v, times, cases, n))
        snprintf(words, sizeof words, "%s is never set", name);
    else if (isnan(found) && !isnan(right))
        snprintf(words, sizeof words, "%s is not a number: a division by 0, or never set?", name);
    else if (always(zero, v, times, cases, n))
        snprintf(words, sizeof words, "%s is always 0: a division of integers?", name);
    else if (always(turned, v, times, cases, n))
        snprintf(words, sizeof words, "the sign of %s is wrong", name);
    else if (n > 1 && odd && always(factor, v, times, cases, n))
        snprintf(words, sizeof words, "%s is always %.6g times the right value", name, times);
    else if (always(nearly, v, times, cases, n))
        snprintf(words, sizeof words,
                 "%s is right except for rounding: did you use float in place of double?", name);
    return words[0] ? words : NULL;
}

const char *exercise_mistaken(const ExerciseQuestion *q, const ExerciseCase *cases, int n)
{
    int values = values_of(q);
    for (const Mistake *m = q->mistakes; m && m->words; m++)
        if (explains(m, values, cases, n))
            return m->words;
    for (int v = 0; v < values; v++)
        for (int i = 0; i < n; i++)
            if (!is_right(q, &cases[i], v))
                return any_mistake(q, cases, n, v);
    return NULL;
}

/* A new string: as many digits as show that they differ. */
static char *in_numbers(const ExerciseQuestion *q, int v, double found, double right)
{
    char a[32], b[32];
    int digits = 6;
    if (q->yes_no)
        return format_new("%s returned %s, expected %s", q->names[v], found ? "true" : "false",
                          right ? "true" : "false");
    do {
        snprintf(a, sizeof a, "%.*g", digits, found);
        snprintf(b, sizeof b, "%.*g", digits, right);
    } while (!strcmp(a, b) && (digits += 2) <= 16);
    return format_new("%s is %s, expected %s", q->names[v], a, b);
}

void exercise_judge(const ExerciseQuestion *q, const ExerciseCase *cases, int n)
{
    int values = values_of(q);
    for (int i = 0; i < n; i++)
        for (int v = 0; v < values; v++) {
            if (is_right(q, &cases[i], v))
                continue;
            const char *words = exercise_mistaken(q, cases, n);
            char *numbers = in_numbers(q, v, cases[i].found[v], cases[i].right[v]);
            bool asks = words && words[strlen(words) - 1] == '?';
            exercise_wrong("%s%s%s: %s", words ? words : "",
                           asks    ? " with "
                           : words ? "; with "
                                   : "with ",
                           cases[i].told, numbers);
            free(numbers);
        }
}
