/* 1a_gradient.c: the check of gradient. */
#include "exercise.h"
#include "lab1.h"
#include "parts/1_linear/linear.h"
#include <math.h>
#include <string.h>

typedef struct Asked {
    const double *x, *y;
    int n;
    double w, b;
} Asked;

/* By differences of the loss over 1, which are exact for a parabola up to rounding. */
static void slopes(double *out, const Asked *a, int first, int n, double w, double b)
{
    Points p = {.n = n, .x = (double *)a->x + first, .y = (double *)a->y + first};
    Parabola loss = parabola_of(&p, 0, n);
    out[0] = parabola_loss(&loss, w + 0.5, b) - parabola_loss(&loss, w - 0.5, b);
    out[1] = parabola_loss(&loss, w, b + 0.5) - parabola_loss(&loss, w, b - 0.5);
}

#define MISTAKE(name, dw, db) \
    static void name(double *out, const double *right, const void *asked) \
    { \
        __attribute__((unused)) double n = ((const Asked *)asked)->n; \
        out[0] = dw; \
        out[1] = db; \
    }
MISTAKE(turned, -right[0], -right[1])
MISTAKE(sum, n *right[0], n *right[1])
MISTAKE(half, right[0] / 2, right[1] / 2)
MISTAKE(half_sum, n *right[0] / 2, n *right[1] / 2)
MISTAKE(turned_half, -right[0] / 2, -right[1] / 2)
MISTAKE(turned_sum, -n *right[0], -n *right[1])
MISTAKE(swapped, right[1], right[0])
MISTAKE(no_x, right[1], right[1])
MISTAKE(twice_x, right[0], right[0])
MISTAKE(twice_n, right[0] / n, right[1] / n)
MISTAKE(integers, n > 2 ? 0 : right[0], n > 2 ? 0 : right[1])
MISTAKE(one_less, n > 1 ? right[0] * n / (n - 1) : NAN, n > 1 ? right[1] * n / (n - 1) : NAN)
MISTAKE(factor_four, 2 * right[0], 2 * right[1])
MISTAKE(sum_w, n *right[0], right[1])
MISTAKE(sum_b, right[0], n *right[1])
MISTAKE(half_w, right[0] / 2, right[1])
MISTAKE(half_b, right[0], right[1] / 2)
MISTAKE(hundred, right[0] * n / 100, right[1] * n / 100)
MISTAKE(turned_w, -right[0], right[1])
MISTAKE(turned_b, right[0], -right[1])

static void last_missing(double *out, const double *right, const void *asked)
{
    const Asked *a = asked;
    slopes(out, a, 0, a->n > 1 ? a->n - 1 : 1, a->w, a->b);
    for (int v = 0; v < 2; v++)
        out[v] *= (a->n - 1.0) / a->n;
}
static void first_missing(double *out, const double *right, const void *asked)
{
    const Asked *a = asked;
    slopes(out, a, a->n > 1, a->n > 1 ? a->n - 1 : 1, a->w, a->b);
    for (int v = 0; v < 2; v++)
        out[v] *= (a->n - 1.0) / a->n;
}
/* There is one point more in the arrays than the exercise is told. */
static void one_more(double *out, const double *right, const void *asked)
{
    const Asked *a = asked;
    slopes(out, a, 0, a->n + 1, a->w, a->b);
    for (int v = 0; v < 2; v++)
        out[v] *= (a->n + 1.0) / a->n;
}
static void from_1_to_n(double *out, const double *right, const void *asked)
{
    const Asked *a = asked;
    slopes(out, a, 1, a->n, a->w, a->b);
}
static void last_alone(double *out, const double *right, const void *asked)
{
    const Asked *a = asked;
    slopes(out, a, a->n - 1, 1, a->w, a->b);
    for (int v = 0; v < 2; v++)
        out[v] /= a->n;
}
static void last_alone_whole(double *out, const double *right, const void *asked)
{
    const Asked *a = asked;
    slopes(out, a, a->n - 1, 1, a->w, a->b);
}
static void no_b(double *out, const double *right, const void *asked)
{
    const Asked *a = asked;
    slopes(out, a, 0, a->n, a->w, 0);
}
static void no_w(double *out, const double *right, const void *asked)
{
    const Asked *a = asked;
    slopes(out, a, 0, a->n, 0, a->b);
}
static void no_y(double *out, const double *right, const void *asked)
{
    const Asked *a = asked;
    double at_0[2];
    slopes(out, a, 0, a->n, a->w, a->b);
    slopes(at_0, a, 0, a->n, 0, 0);
    for (int v = 0; v < 2; v++)
        out[v] -= at_0[v];
}
static void w_and_b_swapped(double *out, const double *right, const void *asked)
{
    const Asked *a = asked;
    slopes(out, a, 0, a->n, a->b, a->w);
}
/* With the error's square in place of the error, or with y in place of x. */
static void with_errors(double *out, const Asked *a, bool squared)
{
    out[0] = out[1] = 0;
    for (int i = 0; i < a->n; i++) {
        double error = a->w * a->x[i] + a->b - a->y[i], slope = 2 * error / a->n;
        out[0] += squared ? slope * error * a->x[i] : slope * a->y[i];
        out[1] += squared ? slope * error : slope;
    }
}
static void squares(double *out, const double *right, const void *asked)
{
    with_errors(out, asked, true);
}
static void times_y(double *out, const double *right, const void *asked)
{
    with_errors(out, asked, false);
}
static void minus_b(double *out, const double *right, const void *asked)
{
    const Asked *a = asked;
    slopes(out, a, 0, a->n, a->w, -a->b);
}

static const Mistake mistakes[] = {
    {"the sign is wrong: the error is prediction − y, not y − prediction", turned},
    {"this is the sum, not the mean: divide by n", sum},
    {"the factor 2 is missing: (error²)' = 2·error·error'", half},
    {"the factor 2/n is missing: it gives the plain sum of error·x and of error", half_sum},
    {"the sign is wrong (prediction − y, not y − prediction), and the 2 is missing", turned_half},
    {"the sign is wrong (prediction − y, not y − prediction), and it is a sum, not a mean",
     turned_sum},
    {"dw and db are swapped", swapped},
    {"dw lacks its factor x[i]", no_x},
    {"db has a factor x[i] too many", twice_x},
    {"it divides by n twice", twice_n},
    {"a division of integers: 1 / n is 0 for n > 1, 2 / n for n > 2; write 2.0 / n", integers},
    {"it divides by n − 1, not by n", one_less},
    {"the factor 2 is there twice", factor_four},
    {"dw is a sum, not a mean: divide it by n, too", sum_w},
    {"db is a sum, not a mean: divide it by n, too", sum_b},
    {"the factor 2 is missing from dw", half_w},
    {"the factor 2 is missing from db", half_b},
    {"it divides by 100, not by n", hundred},
    {"the sign of dw is wrong", turned_w},
    {"the sign of db is wrong", turned_b},
    {"off by one: the last point is left out", last_missing},
    {"off by one: the first point is left out", first_missing},
    {"off by one: it reads past the end of the arrays: i < n, not i <= n", one_more},
    {"off by one at both ends: the indices are 0 … n − 1, not 1 … n; it leaves out the first point "
     "and reads past the end",
     from_1_to_n},
    {"each point overwrites the one before: += in place of =", last_alone},
    {"each point overwrites the one before: += in place of =", last_alone_whole},
    {"the error is squared, too: (error²)' = 2·error·error'", squares},
    {"dw has the factor y[i] in place of x[i]", times_y},
    {"b is missing from the prediction w·x + b", no_b},
    {"w·x is missing from the prediction w·x + b", no_w},
    {"y is missing from the error prediction − y", no_y},
    {"w and b are swapped in the prediction w·x + b", w_and_b_swapped},
    {"the prediction is w·x + b, not w·x − b", minus_b},
    {0}};

/* Does it only read its points, and depend on them alone? */
static void judge_calls(void)
{
    enum { N = 7, CALLS = 3 };
    Points p = points_new(N, 2, 50, 1, 12), before = points_new(N, 2, 50, 1, 12);
    double held[CALLS] = {EXERCISE_UNSET, EXERCISE_UNSET, 1e4}, dw[CALLS], db[CALLS];
    for (int k = 0; k < CALLS; k++) {
        dw[k] = db[k] = held[k];
        gradient(&dw[k], &db[k], p.x, p.y, N, 1, 2);
        WRONG_UNLESS(!memcmp(p.x, before.x, N * sizeof *p.x),
                     "it changes the array x: only read it");
        WRONG_UNLESS(!memcmp(p.y, before.y, N * sizeof *p.y),
                     "it changes the array y: only read it");
    }
    points_free(&p);
    points_free(&before);
    WRONG_UNLESS(!(fabs(dw[1] - dw[0]) > 1e-9) && !(fabs(db[1] - db[0]) > 1e-9),
                 "the same call gives another result the second time: is a sum static, or outside "
                 "of the function? Each call must start from 0; dw was %.6g, then %.6g, db %.6g, "
                 "then %.6g",
                 dw[0], dw[1], db[0], db[1]);
    bool adds_w = dw[2] != held[2] && fabs(dw[2] - dw[1]) > 1e-6;
    bool adds_b = db[2] != held[2] && fabs(db[2] - db[1]) > 1e-6;
    WRONG_UNLESS(!adds_w && !adds_b, "it adds to what %s held before the call: set %s to 0 first",
                 adds_w && adds_b ? "*dw and *db"
                 : adds_w         ? "*dw"
                                  : "*db",
                 adds_w && adds_b ? "both" : "it");
}

/* The points' y lie far from 0: sums in float lose digits. */
static void judge(void *unused)
{
    static const int sizes[] = {1, 7, 100};
    enum { CASES = 15 };
    ExerciseCase cases[CASES];
    Asked asked[CASES];
    Points points[3];
    int k = 0;
    judge_calls();
    for (int i = 0; i < 3; i++) {
        points[i] = points_new(sizes[i] + 1, 2, 50, 1, 11 + i);
        for (double w = -3; w <= 3; w += 1.5, k++) {
            double b = 1 - w / 2, *x = points[i].x, *y = points[i].y;
            asked[k] = (Asked){x, y, sizes[i], w, b};
            cases[k] = (ExerciseCase){.asked = &asked[k],
                                      .found = {EXERCISE_UNSET, EXERCISE_UNSET}};
            if (sizes[i] == 1)
                exercise_tell(&cases[k], "n = 1, x[0] = %.6g, y[0] = %.6g, w = %g, b = %g", *x, *y,
                              w, b);
            else
                exercise_tell(&cases[k], "n = %d, w = %g, b = %g", sizes[i], w, b);
            slopes(cases[k].right, &asked[k], 0, sizes[i], w, b);
            gradient(&cases[k].found[0], &cases[k].found[1], x, y, sizes[i], w, b);
        }
    }
    exercise_judge(&(ExerciseQuestion){.names = {"dw", "db"},
                                       .absolute = 1e-9,
                                       .relative = 1e-9,
                                       .mistakes = mistakes},
                   cases, CASES);
    for (int i = 0; i < 3; i++)
        points_free(&points[i]);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "gradient", 10,
                          "the gradient of the mean squared error, to 1e-9", judge);
}
