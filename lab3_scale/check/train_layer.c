/* train_layer.c: see train_layer.h. */
#include "train_layer.h"
#include "exercise.h"
#include <math.h>
#include <string.h>

enum { UPDATES = 3, GUARD = 4, ROOM = 32, NOTED = 4, GUARDED = 123 };

static float w[ROOM], a[ROOM], b[ROOM], g[ROOM]; /* the layer stands between two guards */

static void judge_guards(const Setting *s, int n)
{
    float *arrays[] = {w, a, b, g};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < ROOM; i++)
            WRONG_UNLESS((i >= GUARD && i < GUARD + n) || arrays[k][i] == GUARDED,
                         "%s: it writes outside of the layer's %d elements", s->what, n);
}

static void train(const Setting *s, LayerUpdate *update, double tolerance)
{
    static const double rates[UPDATES] = {0.1, 0.03, 0.2};
    static const char *const names[NOTED] = {"w[0]", "w[1]", "w[2]", "the last w"};
    int n = s->rows ? s->rows * s->columns : 3;
    Rng r = rng_at(6, RNG_TEST, 4, 0);
    for (int i = 0; i < ROOM; i++)
        w[i] = a[i] = b[i] = g[i] = GUARDED;
    memset(a + GUARD, 0, n * sizeof *a);
    memset(b + GUARD, 0, n * sizeof *b);
    for (int i = 0; i < n; i++) {
        float random = (float)(round(20 * rng_normal(&r)) / 10);
        w[GUARD + i] = s->zero_weights ? 0 : random;
    }
    exercise_group(s->what);
    for (int t = 0; t < UPDATES; t++) {
        float before[ROOM], gradient[ROOM];
        for (int i = 0; i < n; i++) {
            double random = round(100 * rng_normal(&r)) / 100 * (s->scale > 0 ? s->scale : 1);
            g[GUARD + i] = s->zero_gradients ? 0
                                             : (float)(random * pow(s->shrink ? s->shrink : 1, t));
        }
        memcpy(before, w, sizeof w);
        memcpy(gradient, g, sizeof g);
        exercise_case("%s, update %d with rate %g, w[0] = %.5g, g[0] = %.5g", s->what, t + 1,
                      rates[t], w[GUARD], g[GUARD]);
        update(s, w + GUARD, a + GUARD, b + GUARD, g + GUARD, t, rates[t]);
        judge_guards(s, n);
        WRONG_UNLESS(!memcmp(g, gradient, sizeof g),
                     "%s: it changes the gradient g, which the caller still needs", s->what);
        double moved = 1e-3;
        for (int i = 0; i < n; i++)
            moved = fmax(moved, fmin(fabs(w[GUARD + i] - before[GUARD + i]), 1000));
        exercise_tolerance(tolerance * moved, 4e-6);
        for (int i = 0; i < n && i < NOTED - 1; i++)
            exercise_value(names[i], w[GUARD + i]);
        if (n >= NOTED)
            exercise_value(names[NOTED - 1], w[GUARD + n - 1]);
    }
}

void train_layer(const Setting *settings, int n, LayerUpdate *update, double tolerance)
{
    for (int i = 0; i < n; i++)
        train(&settings[i], update, tolerance);
}
