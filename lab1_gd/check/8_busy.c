/* 8_busy.c: the check of busy: spans by hand, and random ones whose answer is counted. */
#include "exercise.h"
#include "lab1.h"
#include "rng.h"
#include <math.h>
#include <string.h>

/* Spans of whole ticks, so that the answer can be counted: which ticks does any of them cover? */
enum { FIRST_TICK = -8, TICKS = 72, MOST = 20, DRAWN = 200 };
typedef struct Asked {
    double start[MOST], end[MOST];
    int n, from, to;
    const char *what;
} Asked;

/* How many spans cover each tick. */
static void cover(int *count, const Asked *a)
{
    memset(count, 0, TICKS * sizeof *count);
    for (int i = 0; i < a->n; i++)
        for (int t = (int)a->start[i]; t < (int)a->end[i]; t++)
            count[t - FIRST_TICK]++;
}

/* Ticks that are covered, once or as often as they are, from … to. */
static double counted(const Asked *a, int from, int to, bool twice)
{
    int count[TICKS], sum = 0;
    cover(count, a);
    for (int t = from; t < to; t++)
        sum += twice ? count[t - FIRST_TICK] : count[t - FIRST_TICK] > 0;
    return sum;
}

enum { END = FIRST_TICK + TICKS };
/* Right, but where a span reaches over the end `at`. */
static double right_unless_over(const Asked *a, double right, int at)
{
    for (int i = 0; i < a->n; i++)
        if (a->start[i] < at && a->end[i] > at)
            return NAN;
    return right;
}
#define MISTAKE(name, seconds) \
    static void name(double *out, const double *right, const void *asked) \
    { \
        const Asked *a = asked; \
        out[0] = seconds; \
    }
MISTAKE(twice, counted(a, a->from, a->to, true))
MISTAKE(not_clipped, counted(a, FIRST_TICK, END, false))
MISTAKE(not_clipped_twice, counted(a, FIRST_TICK, END, true))
MISTAKE(after_to, counted(a, a->from, END, false))
MISTAKE(before_from, counted(a, FIRST_TICK, a->to, false))
MISTAKE(from_zero, counted(a, a->from < 0 ? a->from : 0, a->to, false))
MISTAKE(over_to, right_unless_over(a, right[0], a->to))
MISTAKE(over_from, right_unless_over(a, right[0], a->from))
MISTAKE(idle, a->to - a->from - counted(a, a->from, a->to, false))
MISTAKE(fraction, counted(a, a->from, a->to, false) / (a->to - a->from))
MISTAKE(idle_fraction, 1 - counted(a, a->from, a->to, false) / (a->to - a->from))
MISTAKE(all_of_it, a->to - a->from)

/* From the first start to the last end. */
static void hull(double *out, const double *right, const void *asked)
{
    const Asked *a = asked;
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < a->n; i++)
        if (a->end[i] > a->from && a->start[i] < a->to) {
            low = fmin(low, fmax(a->start[i], a->from));
            high = fmax(high, fmin(a->end[i], a->to));
        }
    out[0] = high > low ? high - low : NAN;
}
/* The same of all spans, cut off only then. */
static void hull_of_all(double *out, const double *right, const void *asked)
{
    const Asked *a = asked;
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < a->n; i++) {
        low = fmin(low, a->start[i]);
        high = fmax(high, a->end[i]);
    }
    out[0] = a->n ? fmax(0, fmin(high, a->to) - fmax(low, a->from)) : NAN;
}
/* Each span counts from where the last one ended: right only for sorted spans; `nested`: and an end
 * may move back. */
static double one_pass(const Asked *a, bool nested)
{
    double sum = 0, reached = a->from;
    for (int i = 0; i < a->n; i++) {
        double start = fmax(a->start[i], reached), end = fmin(a->end[i], a->to);
        sum += end > start ? end - start : 0;
        reached = nested ? fmin(fmax(a->end[i], a->from), a->to) : fmax(reached, end);
    }
    return sum;
}
MISTAKE(unsorted, one_pass(a, false))
MISTAKE(nested_back, one_pass(a, true))
static void sorted_back(double *out, const double *right, const void *asked)
{
    Asked a = *(const Asked *)asked;
    for (int i = 0; i < a.n; i++) /* by insertion */
        for (int j = i; j > 0 && a.start[j] < a.start[j - 1]; j--) {
            double start = a.start[j], end = a.end[j];
            a.start[j] = a.start[j - 1], a.end[j] = a.end[j - 1];
            a.start[j - 1] = start, a.end[j - 1] = end;
        }
    out[0] = one_pass(&a, true);
}
/* Spans outside count negatively. */
static void negative(double *out, const double *right, const void *asked)
{
    const Asked *a = asked;
    double sum = 0;
    for (int i = 0; i < a->n; i++)
        sum += fmin(a->end[i], a->to) - fmax(a->start[i], a->from);
    out[0] = sum;
}

static const Mistake mistakes[] = {
    {"what two spans cover counts twice: it must count once", twice},
    {"what lies outside of [from, to] counts: cut each span off at both ends", not_clipped},
    {"it adds up the lengths of all spans: what lies outside of [from, to] must not count, what is "
     "covered twice only once",
     not_clipped_twice},
    {"what lies after `to` counts: cut it off", after_to},
    {"what lies before `from` counts: cut it off", before_from},
    {"it starts at 0, not at `from`", from_zero},
    {"this is the time that the thread was idle: busy is the rest", idle},
    {"it returns the idle fraction: return the busy seconds", idle_fraction},
    {"it divides by to − from: return seconds, not a fraction", fraction},
    {"from the first start to the last end: the gaps between spans count, too", hull},
    {"from the first start to the last end: the gaps between spans count, too", hull_of_all},
    {"an end moves back where a span lies inside an earlier one: keep the furthest", sorted_back},
    {"it takes the spans as sorted by their start: they come in any order", unsorted},
    {"it takes the spans as sorted, and forgets how far an earlier one reached: one may lie inside "
     "another",
     nested_back},
    {"a span outside of [from, to] counts negatively: 0 if its end comes before its start",
     negative},
    {"it is wrong only where a span reaches beyond `to`: cut it off there", over_to},
    {"it is wrong only where a span begins before `from`: cut it off there", over_from},
    {"all of [from, to] counts, whether a span covers it or not", all_of_it},
    {0}};

static const Asked by_hand[] = {
    {{1, 4}, {2, 6}, 2, 0, 10, "two spans, one after the other"},
    {{1, 2}, {3, 4}, 2, 0, 10, "two spans that overlap"},
    {{1, 2}, {6, 3}, 2, 0, 10, "a span inside another"},
    {{1, 2, 4}, {6, 3, 8}, 3, 0, 10, "a span inside another, and one that overlaps it"},
    {{4, 1}, {6, 2}, 2, 0, 10, "spans that are not sorted"},
    {{-3, 8}, {2, 20}, 2, 0, 10, "spans that reach beyond both ends"},
    {{-3, 12}, {-1, 20}, 2, 0, 10, "spans outside of [from, to]"},
    {{1, 2}, {2, 3}, 2, 0, 10, "spans that touch"},
    {{5}, {5}, 1, 0, 10, "an empty span"},
    {{0}, {0}, 0, 0, 10, "no spans"},
};
enum { BY_HAND = sizeof by_hand / sizeof *by_hand, CASES = BY_HAND + DRAWN };

static void draw(Asked *a, uint64_t seed)
{
    Rng r = rng_at(seed, RNG_TEST, 1, 0);
    a->n = (int)rng_below(&r, MOST + 1);
    a->from = (int)rng_below(&r, 20);
    a->to = a->from + 1 + (int)rng_below(&r, 40);
    a->what = "spans in any order";
    for (int i = 0; i < a->n; i++) {
        a->start[i] = (int)rng_below(&r, 56);
        a->end[i] = a->start[i] + (int)rng_below(&r, 8);
    }
}

static void judge(void *unused)
{
    static Asked asked[CASES];
    static ExerciseCase cases[CASES];
    for (int i = 0; i < CASES; i++) {
        Asked *a = &asked[i], before;
        if (i < BY_HAND)
            *a = by_hand[i];
        else
            draw(a, (uint64_t)(i - BY_HAND + 1));
        before = *a;
        cases[i] = (ExerciseCase){.asked = a, .right = {counted(a, a->from, a->to, false)}};
        exercise_tell(&cases[i], "%s, [%d, %d]", a->what, a->from, a->to);
        cases[i].found[0] = busy(a->start, a->end, a->n, a->from, a->to);
        WRONG_UNLESS(!memcmp(&before, a, sizeof before),
                     "the arrays were changed: copy them first");
    }
    exercise_judge(&(ExerciseQuestion){.names = {"the result"},
                                       .absolute = 1e-12,
                                       .mistakes = mistakes},
                   cases, CASES);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "busy", 5,
                          "seconds of [from, to] that the spans cover together, to 1e-12", judge);
}
