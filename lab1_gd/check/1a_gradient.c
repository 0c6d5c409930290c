/* 1a_gradient.c: the check of gradient. */
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
    enum { SIZES = 4, PLACES = 3 };
    double dw[SIZES][PLACES], db[SIZES][PLACES];
    Points p[SIZES];
    for (int s = 0; s < SIZES; s++) {
        int n = sizes[s], bytes = (n + 1) * (int)sizeof(double);
        Points before = points_new(n + 1, 2, 50, 1, 11 + s);
        p[s] = points_new(n + 1, 2, 50, 1, 11 + s);
        exercise_group(n == 1 ? "n = 1" : NULL);
        for (int k = 0; k < PLACES; k++) {
            dw[s][k] = db[s][k] = EXERCISE_UNSET;
            exercise_case("n = %d, x[0] = %.6g, y[0] = %.6g, w = %g, b = %g", n, *p[s].x, *p[s].y,
                          at[k][0], at[k][1]);
            gradient(&dw[s][k], &db[s][k], p[s].x, p[s].y, n, at[k][0], at[k][1]);
            exercise_value("dw", dw[s][k]);
            exercise_value("db", db[s][k]);
            WRONG_UNLESS(!memcmp(p[s].x, before.x, bytes), "it changes the array x: only read it");
            WRONG_UNLESS(!memcmp(p[s].y, before.y, bytes), "it changes the array y: only read it");
        }
        points_free(&before);
    }
    exercise_compare();
    for (int s = 0; s < SIZES; s++)
        for (int k = 0; k < PLACES; k++) { /* differences over 1 are exact for a parabola */
            double w = at[k][0], b = at[k][1];
            Parabola l = parabola_of(&p[s], 0, sizes[s]);
            double slope_w = parabola_loss(&l, w + 0.5, b) - parabola_loss(&l, w - 0.5, b),
                   slope_b = parabola_loss(&l, w, b + 0.5) - parabola_loss(&l, w, b - 0.5);
            WRONG_UNLESS(fabs(dw[s][k] - slope_w) < 1e-9 * (1 + fabs(slope_w)) &&
                             fabs(db[s][k] - slope_b) < 1e-9 * (1 + fabs(slope_b)),
                         "it is not the slope of the loss: dw %.10g, db %.10g, expected %.10g, "
                         "%.10g",
                         dw[s][k], db[s][k], slope_w, slope_b);
        }
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "gradient", 10,
                          "the gradient of the mean squared error, to 1e-9", judge);
}
