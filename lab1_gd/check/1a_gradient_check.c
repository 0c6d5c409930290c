/* 1a_gradient_check.c: the check of gradient. */
#include "exercise.h"
#include "lab1.h"
#include "parts/1_linear/linear.h"
#include <math.h>
#include <string.h>

/* The points' y lie far from 0: sums in float lose digits. There is one point more in the arrays
 * than the exercise is told. */
static void judge(void *unused)
{
    static const int sizes[] = {1, 2, 7, 100};
    static const double at[][2] = {{-3, 2.5}, {1.5, -0.25}, {2, 52}};
    double off = 0; /* from differences over 1, which are exact for a parabola */
    for (int s = 0; s < 4; s++) {
        int n = sizes[s], bytes = (n + 1) * (int)sizeof(double);
        Points p = points_new(n + 1, 2, 50, 1, 11 + s),
               before = points_new(n + 1, 2, 50, 1, 11 + s);
        Parabola l = parabola_of(&p, 0, n);
        exercise_group(n == 1 ? "n = 1" : NULL);
        for (int k = 0; k < 3; k++) {
            double w = at[k][0], b = at[k][1], dw = EXERCISE_UNSET, db = EXERCISE_UNSET;
            exercise_case("n = %d, x[0] = %.6g, y[0] = %.6g, w = %g, b = %g", n, *p.x, *p.y, w, b);
            gradient(&dw, &db, p.x, p.y, n, w, b);
            exercise_value("dw", dw);
            exercise_value("db", db);
            WRONG_UNLESS(!memcmp(p.x, before.x, bytes), "it changes the array x: only read it");
            WRONG_UNLESS(!memcmp(p.y, before.y, bytes), "it changes the array y: only read it");
            dw -= parabola_loss(&l, w + 0.5, b) - parabola_loss(&l, w - 0.5, b);
            db -= parabola_loss(&l, w, b + 0.5) - parabola_loss(&l, w, b - 0.5);
            off = fmax(off, fmax(fabs(dw), fabs(db)));
        }
        points_free(&p);
        points_free(&before);
    }
    exercise_compare();
    WRONG_UNLESS(off < 1e-7, "it is not the slope of the loss, by %g", off);
}

const ExerciseCheck exercise_check = {__FILE__, "gradient", 10,
                                      "the gradient of the mean squared error, to 1e-9", judge};
