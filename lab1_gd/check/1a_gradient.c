/* 1a_gradient.c: the check of gradient. */
#include "exercise.h"
#include "lab1.h"
#include "linear/linear.h"
#include <math.h>
#include <stddef.h>

static bool close_to(double a, double b) { return fabs(a - b) <= 1e-6 + 1e-6 * fabs(b); }

/* Against finite differences of the loss, which are exact for a parabola up to rounding. */
static void judge(void *unused)
{
    static const int sizes[] = {1, 7, 100};
    for (int i = 0; i < 3; i++) {
        Points p = points_new(sizes[i], 2, -1, 1, 11 + i);
        Parabola loss = parabola_of(&p, 0, p.n);
        for (double w = -3; w <= 3; w += 1.5) {
            double b = 1 - w / 2, h = 0.5, dw = NAN, db = NAN;
            gradient(&dw, &db, p.x, p.y, p.n, w, b);
            double true_dw = (parabola_loss(&loss, w + h, b) - parabola_loss(&loss, w - h, b)) /
                             (2 * h);
            double true_db = (parabola_loss(&loss, w, b + h) - parabola_loss(&loss, w, b - h)) /
                             (2 * h);
            WRONG_UNLESS(close_to(dw, true_dw) && close_to(db, true_db),
                         "(dw, db) = (%.6g, %.6g) with n = %d at w = %g, b = %g; expected "
                         "(%.6g, %.6g)",
                         dw, db, p.n, w, b, true_dw, true_db);
        }
        points_free(&p);
    }
}

int main(int argc, char **argv)
{
    return exercise_check(
        argc, argv, "gradient", 10,
        "the gradient of the mean squared error, within 1e-6 of finite differences", judge);
}
