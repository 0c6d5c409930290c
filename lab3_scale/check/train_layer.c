/* train_layer.c: see train_layer.h. */
#include "train_layer.h"
#include "exercise.h"
#include <math.h>
#include <string.h>

enum { GUARD = 4, ROOM = 32, GUARDED = 123 };

static void train(const Setting *s, void (*update)(Trained l), double tolerance)
{
    static const double rates[] = {0.1, 0.03, 0.2};
    float room[4 * ROOM], before[4 * ROOM], *w = room + GUARD, *g = w + ROOM;
    Trained l = {s, w, g + ROOM, g + 2 * ROOM, g, s->rows ? s->rows * s->columns : 3, 1, 0};
    Rng r = rng_at(6, RNG_TEST, 4, 0);
    for (int i = 0; i < 4 * ROOM; i++)
        room[i] = i % ROOM < GUARD || i % ROOM >= GUARD + l.n ? GUARDED : 0;
    for (int i = 0; i < l.n && !s->zero_weights; i++)
        w[i] = (float)((s->weights > 0 ? s->weights : 1) * round(20 * rng_normal(&r)) / 10);
    exercise_group(s->what);
    for (; l.step <= 3; l.step++) {
        double moved = 1e-3, scale = (s->scale > 0 ? s->scale : 1) * pow(0.7, l.step - 1);
        bool zero = s->zero_gradients || (s->zero_first_gradient && l.step == 1);
        for (int i = 0; i < l.n; i++)
            g[i] = zero ? 0 : (float)(scale * round(100 * rng_normal(&r)) / 100);
        l.rate = rates[l.step - 1] * (s->rate > 0 ? s->rate : 1);
        exercise_case("%s, update %d with rate %g, w[0] = %.5g, g[0] = %.5g", s->what, l.step,
                      l.rate, w[0], g[0]);
        memcpy(before, room, sizeof room);
        update(l);
        for (int i = 0; i < 4 * ROOM; i++)
            WRONG_UNLESS(before[i] != GUARDED || room[i] == GUARDED,
                         "%s: it writes outside of the layer's %d elements", s->what, l.n);
        WRONG_UNLESS(!memcmp(room + ROOM, before + ROOM, ROOM * sizeof *room),
                     "%s: it changes the gradient g, which the caller still needs", s->what);
        for (int i = 0; i < l.n; i++) { /* not by fmax: see quantiles.c */
            double by = fmin(fabs(w[i] - before[GUARD + i]), 1000);
            moved = by > moved ? by : moved;
        }
        exercise_tolerance(tolerance * moved, 4e-6);
        for (int i = 0; i < 3 && i < l.n; i++)
            exercise_value((const char *[]){"w[0]", "w[1]", "w[2]"}[i], w[i]);
        if (l.n > 3)
            exercise_value("the last w", w[l.n - 1]);
    }
}

void train_layer(const Setting *settings, int n, void (*update)(Trained l), double tolerance)
{
    for (int i = 0; i < n; i++)
        train(&settings[i], update, tolerance);
}
