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
    return found == right ||
           (isfinite(right) && fabs(found - right) <= q->absolute + q->relative * fabs(right));
}

/* The same but for rounding: a version may add in another order. */
static bool same(double found, double given)
{
    return found == given || (isfinite(given) && fabs(found - given) <= 1e-9 + 1e-6 * fabs(given));
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
    return fabs(found - right) < 1e-3 * fabs(right);
}

/* Where 0 is right, is it nearly 0, by the size of the right values? */
static bool nearly_zero(int v, const ExerciseCase *cases, int n)
{
    double most = 0, off = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(cases[i].right[v]));
        off = cases[i].right[v] == 0 ? fmax(off, fabs(cases[i].found[v])) : off;
    }
    return off <= 1e-6 * most;
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
    else if (always(nearly, v, times, cases, n) && nearly_zero(v, cases, n))
        snprintf(words, sizeof words,
                 "%s is nearly right: is it in float in place of double, or by an approximation?",
                 name);
    return words[0] ? words : NULL;
}

static const Mistake *explaining(const ExerciseQuestion *q, const ExerciseCase *cases, int n)
{
    for (const Mistake *m = q->mistakes; m && m->words; m++)
        if (explains(m, values_of(q), cases, n))
            return m;
    return NULL;
}

/* Does it predict value v of this case? */
static bool predicts(const Mistake *m, const ExerciseCase *c, int v)
{
    double given[EXERCISE_MOST_VALUES];
    m->gives(given, c->right, c->asked);
    return !isnan(given[v]);
}

/* A new string, with enough digits to show that they differ. */
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
    const Mistake *m = explaining(q, cases, n);
    int values = values_of(q);
    for (int any = !m; any < 2; any++) /* first those that the mistake predicts */
        for (int k = 0; k < n * values; k++) {
            int i = k / values, v = k % values;
            if (is_right(q, &cases[i], v) || (!any && !predicts(m, &cases[i], v)))
                continue;
            const char *words = m ? m->words : any_mistake(q, cases, n, v);
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
