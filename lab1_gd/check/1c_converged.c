/* 1c_converged.c: the check of converged: losses that fall, stay, rise or are NaN. */
#include "exercise.h"
#include "lab1.h"
#include <math.h>
#include <string.h>

/* `before` lies in front of the array, `after` behind its count: neither must be read. */
typedef struct Asked {
    double before, loss[8];
    int count, window;
    bool answer;
    double tolerance;
    const char *what;
} Asked;

static double first(const Asked *a) { return a->loss[a->count - 1 - a->window]; }
static double last(const Asked *a) { return a->loss[a->count - 1]; }
static bool short_of(const Asked *a) { return a->count <= a->window; }

/* What is wrong in each, where there are losses enough; NAN: any answer. */
#define MISTAKE(name, answer_) \
    static void name(double *out, const double *right, const void *asked) \
    { \
        const Asked *k = asked; \
        if (short_of(k)) { \
            out[0] = NAN; \
            return; \
        } \
        __attribute__((unused)) double a = first(k), z = last(k), t = k->tolerance, fall = a - z; \
        out[0] = answer_; \
    }
MISTAKE(absolute, fall >= 0 && (fall < t || a == 0))
MISTAKE(rises, fall < t * a || (a == 0 && z == 0))
MISTAKE(slow_rise, fabs(fall) < t * a || (a == 0 && z == 0))
MISTAKE(absolute_rise, fabs(fall) < t || fall < t)
MISTAKE(absolute_size, fabs(fall) < t)
MISTAKE(rises_not_zero, fall < t * a)
MISTAKE(slow_rise_not_zero, fabs(fall) < t * a)
MISTAKE(no_zero, fall >= 0 && fall < t * a)
MISTAKE(turned, !(fall >= 0 && (fall < t * a || a == 0)))
MISTAKE(of_last, fall >= 0 && (fall < t * z || a == 0))
MISTAKE(equal, fall == 0)
MISTAKE(small, z < t)
MISTAKE(percent, fall >= 0 && (fall < t * a / 100 || a == 0))
MISTAKE(greater, a == 0 ? NAN : fall >= 0 && fall > t * a)
MISTAKE(greater_or_rises, a == 0 ? NAN : fall > t * a)
MISTAKE(only_rises, z >= a && (fall < t * a || a == 0))
MISTAKE(falls_strictly, a == 0 ? NAN : fall > 0 && fall < t * a)
MISTAKE(never, false)
MISTAKE(ever, true)
MISTAKE(not_a_number, isnan(fall) || (fall >= 0 && (fall < t * a || a == 0)))

/* As the right answer, of other losses. NAN where a is 0: any, as that is another mistake. */
static double hardly_fell(const Asked *k, double a, double z)
{
    return a == 0 ? NAN : z / a <= 1 && z / a > 1 - k->tolerance;
}
static void one_step(double *out, const double *right, const void *asked)
{
    const Asked *k = asked;
    out[0] = short_of(k) ? NAN : hardly_fell(k, k->loss[k->count - 2], last(k));
}
static void shifted(double *out, const Asked *k, int by)
{
    int at = k->count - 1 - k->window + by;
    out[0] = short_of(k) || at < 0 ? NAN : hardly_fell(k, k->loss[at], last(k));
}
static void window_less(double *out, const double *right, const void *asked)
{
    shifted(out, asked, 1);
}
static void window_more(double *out, const double *right, const void *asked)
{
    shifted(out, asked, -1);
}
static void from_start(double *out, const double *right, const void *asked)
{
    const Asked *k = asked;
    out[0] = short_of(k) ? NAN : hardly_fell(k, k->loss[0], last(k));
}
static void too_few(double *out, const double *right, const void *asked)
{
    const Asked *k = asked;
    out[0] = k->count == k->window ? true : k->count < k->window ? NAN : k->answer;
}
/* Neither looks at count, nor at 0. */
static void unguarded(double *out, const double *right, const void *asked)
{
    const Asked *k = asked;
    no_zero(out, right, asked);
    out[0] = k->count == k->window ? true : out[0];
}
static void too_many(double *out, const double *right, const void *asked)
{
    const Asked *k = asked;
    out[0] = k->count == k->window + 1 ? false : k->answer;
}
static void newer_loss(double *out, const double *right, const void *asked)
{
    const Asked *k = asked;
    out[0] = short_of(k) ? NAN : hardly_fell(k, k->loss[k->count - k->window], k->loss[k->count]);
}
/* Each loss of the window against a: all of them must, or one may, have hardly fallen. */
static void each_loss(double *out, const double *right, const void *asked)
{
    const Asked *k = asked;
    bool all = true;
    for (int i = k->count - k->window; i < k->count && !short_of(k); i++)
        all = all && hardly_fell(k, first(k), k->loss[i]) != 0;
    out[0] = short_of(k) ? NAN : all;
}
static void one_loss(double *out, const double *right, const void *asked)
{
    const Asked *k = asked;
    bool one = false;
    for (int i = k->count - k->window; i < k->count && !short_of(k); i++)
        one = one || hardly_fell(k, first(k), k->loss[i]) != 0;
    out[0] = short_of(k) || first(k) == 0 ? NAN : one;
}
static void one_step_of(double *out, const double *right, const void *asked)
{
    const Asked *k = asked;
    bool one = false;
    for (int i = k->count - k->window; i < k->count && !short_of(k); i++)
        one = one || hardly_fell(k, k->loss[i - 1], k->loss[i]) != 0;
    out[0] = short_of(k) || first(k) == 0 ? NAN : one;
}
static void each_step(double *out, const double *right, const void *asked)
{
    const Asked *k = asked;
    bool all = true;
    for (int i = k->count - k->window; i < k->count && !short_of(k); i++)
        all = all && hardly_fell(k, k->loss[i - 1], k->loss[i]) != 0;
    out[0] = short_of(k) ? NAN : all;
}

static const Mistake mistakes[] = {
    {"the tolerance is taken as absolute: it is a fraction of the loss before, tolerance·a",
     absolute},
    {"a loss that rises counts as converged: only one that falls, z <= a, can be", rises},
    {"a slow rise counts as converged: fabs(a − z) hides it; ask for z <= a, too", slow_rise},
    {"a loss that rises counts as converged: only one that falls, z <= a, can be", rises_not_zero},
    {"a slow rise counts as converged: fabs(a − z) hides it; ask for z <= a, too",
     slow_rise_not_zero},
    {"with count <= window there is no loss before: return false, do not read it", unguarded},
    {"the tolerance is absolute, and a rise counts: compare a − z with tolerance·a, and z <= a",
     absolute_rise},
    {"the tolerance is absolute, and a slow rise counts: a − z < tolerance·a, and z <= a",
     absolute_size},
    {"a loss of exactly 0 has converged, too: a − z < tolerance·a is 0 < 0 there", no_zero},
    {"the answer is the wrong way round: true means converged", turned},
    {"> for <: converged is a fall of less than tolerance·a, a − z < tolerance·a", greater},
    {"> for <: converged is a fall of less than tolerance·a, a − z < tolerance·a",
     greater_or_rises},
    {">= for <=: the loss must have fallen, z <= a", only_rises},
    {"a loss that stays the same has converged, too: z <= a, not z < a", falls_strictly},
    {"the tolerance is a fraction of the loss before, a, not of the loss now, z", of_last},
    {"it asks for a loss that stays exactly the same: it may fall, by less than tolerance·a",
     equal},
    {"it looks at how small the loss is, not at how much it fell", small},
    {"the tolerance is a fraction, not a percentage", percent},
    {"it always returns false", never},
    {"it always returns true", ever},
    {"NaN counts as converged: comparisons with NaN are false, so ask for what must be true",
     not_a_number},
    {"off by one: a is loss[count − 1 − window], and this is one update later", window_less},
    {"off by one: a is loss[count − 1 − window], and this is one update earlier", window_more},
    {"it looks at the newest update alone, not over the window", one_step},
    {"it compares with the loss at the start, not with that before the window", from_start},
    {"off by one: loss[count] lies past the end; the newest is loss[count − 1]", newer_loss},
    {"it asks every update of the window: look at its two ends, and at no others", each_step},
    {"it asks every loss of the window: look at its two ends, and at no others", each_loss},
    {"it asks whether one loss of the window is near a: look at its two ends, and at no others",
     one_loss},
    {"it asks whether one update of the window hardly fell: look at its two ends, and at no others",
     one_step_of},
    {"count == window is one loss too few: it reads before the start of the array", too_few},
    {"count == window + 1 is enough: there is a loss before and one after", too_many},
    {0}};

static void judge(void *unused)
{
    static const Asked asked[] = {
        {1, {8, 4, 2, 1, 0.5, 0.25}, 6, 2, false, 1e-3, "a loss that halves each time"},
        {1, {8, 4, 1, 1, 1, 1}, 6, 3, true, 1e-3, "a loss that stays the same"},
        {1, {8, 1, 1, 1, 1, 1}, 6, 3, true, 1e-3, "a loss that fell at the start alone"},
        {1, {8, 4, 1, 1, 1, 1}, 6, 4, false, 1e-3, "a loss that fell within the window"},
        {4, {4, 4, 4, 4, 4, 2, 2}, 6, 2, false, 1e-3, "a loss that fell in the last update"},
        {1, {1, 1, 1, 1, 1, 1}, 3, 3, false, 1e-3, "3 losses and a window of 3: one too few"},
        {1, {1, 1, 1, 1, 1, 1}, 2, 5, false, 1e-3, "2 losses and a window of 5: too few"},
        {1, {1, 1, 1, 1, 1, 1}, 4, 3, true, 1e-3, "4 equal losses and a window of 3: just enough"},
        {1, {1, 1, 1, 1, 2, 4}, 6, 2, false, 1e-3, "a loss that rises"},
        {1, {1, 1, 1, 1, 1, 1.0002}, 6, 2, false, 1e-3, "a loss that rose by 0.02 %"},
        {1, {1, 1, 1, 1, NAN, NAN}, 6, 2, false, 1e-3, "a loss that became NaN"},
        {1, {1, NAN, 1, 1, 1, 1}, 6, 4, false, 1e-3, "a loss that was NaN before the window"},
        {1, {1, 0, 0, 0, 0, 0}, 6, 3, true, 1e-3, "a loss of exactly 0"},
        {1, {1, 1, 1, 1, 1, 0.99}, 6, 2, false, 1e-3, "a loss that fell by 1 %"},
        {1, {1, 1, 1, 1, 1, 0.9999}, 6, 2, true, 1e-3, "a loss that fell by 0.01 %"},
        {1, {1, 1, 1, 1, 1, 0.999999}, 6, 2, true, 1e-3, "a loss that fell by 0.0001 %"},
        {1,
         {9, 1, 0.9, 1, 0.9996, 0.9995},
         6,
         4,
         true,
         1e-3,
         "a loss that wavered within the window"},
        {1, {1, 2e-5, 2e-5, 1e-5, 5e-6}, 5, 2, false, 1e-3, "a tiny loss that halves each time"},
        {1, {9e5, 9e5, 9e5, 9e5 - 100}, 4, 2, true, 1e-3, "a loss of 900,000 that fell by 100"},
        {1, {1, 1, 1, 0.6}, 4, 2, true, 0.5, "a loss that fell by 40 %, and a tolerance of 0.5"},
        {1,
         {1, 1, 1, 1, 1, 0.99995, 0.5},
         6,
         1,
         true,
         1e-3,
         "a loss that falls after the last one"},
    };
    enum { CASES = sizeof asked / sizeof *asked };
    ExerciseCase cases[CASES];
    for (int k = 0; k < CASES; k++) {
        const Asked *a = &asked[k];
        Asked given = *a;
        cases[k] = (ExerciseCase){.asked = a, .right = {a->answer}};
        cases[k].found[0] = converged(given.loss, a->count, a->window, a->tolerance);
        WRONG_UNLESS(!memcmp(given.loss, a->loss, sizeof a->loss),
                     "it changes the array loss: only read it");
        exercise_tell(&cases[k], "%s (tolerance %g)", a->what, a->tolerance);
    }
    exercise_judge(&(ExerciseQuestion){.names = {"it"}, .mistakes = mistakes, .yes_no = true},
                   cases, CASES);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "converged", 10,
                          "true when the loss fell by less than the tolerance in the window",
                          judge);
}
