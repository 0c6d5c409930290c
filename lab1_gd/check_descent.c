/* check_descent.c: judges of the exercises about the linear model. */
#include <math.h>
#include <stddef.h>
#include "judge.h"
#include "lab1.h"

static bool close_to(double a, double b) { return fabs(a - b) <= 1e-6 + 1e-6 * fabs(b); }

/* Against finite differences of the loss, which are exact for a parabola up to rounding. */
void judge_gradient(void *unused)
{
    (void)unused;
    static const int sizes[] = {1, 7, 100};
    for (int i = 0; i < 3; i++) {
        Points p = points_new(sizes[i], 2, -1, 1, 11 + i);
        Parabola loss = parabola_of(&p, 0, p.n);
        for (double w = -3; w <= 3; w += 1.5) {
            double b = 1 - w / 2, h = 0.5, dw = NAN, db = NAN;
            gradient(&dw, &db, p.x, p.y, p.n, w, b);
            double true_dw = (parabola_loss(&loss, w + h, b) - parabola_loss(&loss, w - h, b)) / (2 * h);
            double true_db = (parabola_loss(&loss, w, b + h) - parabola_loss(&loss, w, b - h)) / (2 * h);
            WRONG_UNLESS(close_to(dw, true_dw) && close_to(db, true_db),
                         "(dw, db) = (%.6g, %.6g) with n = %d at w = %g, b = %g; the loss's slope there is (%.6g, %.6g)", dw,
                         db, p.n, w, b, true_dw, true_db);
        }
        points_free(&p);
    }
}

void judge_update(void *unused)
{
    (void)unused;
    double w = 1, b = -2;
    update(&w, &b, 4, -6, 0.25);
    WRONG_UNLESS(close_to(w, 0) && close_to(b, -0.5),
                 "w = 1, b = -2, dw = 4, db = -6, rate 0.25 gave (%g, %g), expected (0, -0.5)", w, b);
    update(&w, &b, 100, 100, 0);
    WRONG_UNLESS(close_to(w, 0) && close_to(b, -0.5), "a rate of 0 moved (w, b) to (%g, %g)", w, b);
}

void judge_converged(void *unused)
{
    (void)unused;
    /* The loss before the first one, 1, is not theirs to read. */
    static const struct { double before, loss[6]; int count, window; bool answer; const char *what; } cases[] = {
        {1, {8, 4, 2, 1, 0.5, 0.25}, 6, 2, false, "a loss that halves each time"},
        {1, {8, 4, 1, 1, 1, 1}, 6, 3, true, "a loss that stands still"},
        {1, {8, 4, 1, 1, 1, 1}, 6, 4, false, "a loss that fell within the window"},
        {1, {1, 1, 1, 1, 1, 1}, 3, 3, false, "as many losses as the window: too few to tell"},
        {1, {1, 1, 1, 1, 2, 4}, 6, 2, false, "a loss that rises"},
        {1, {1, 1, 1, 1, NAN, NAN}, 6, 2, false, "a loss that is not a number"},
        {1, {1, 0, 0, 0, 0, 0}, 6, 3, true, "a loss of exactly 0"},
        {1, {1, 1, 1, 1, 1, 0.99}, 6, 2, false, "a fall of 1 %, with a tolerance of 0.1 %"},
        {1, {1, 1, 1, 1, 1, 0.9999}, 6, 2, true, "a fall of 0.01 %, with a tolerance of 0.1 %"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool answer = converged(cases[i].loss, cases[i].count, cases[i].window, 1e-3);
        WRONG_UNLESS(answer == cases[i].answer, "%s for %s", answer ? "true" : "false", cases[i].what);
    }
}
