/* 1b_update.c: the check of update. */
#include "exercise.h"
#include "lab1.h"

typedef struct Asked {
    double w, b, dw, db, rate;
} Asked;

#define MISTAKE(name, new_w, new_b) \
    static void name(double *out, const double *right, const void *asked) \
    { \
        __attribute__((unused)) const Asked a = *(const Asked *)asked; \
        out[0] = new_w; \
        out[1] = new_b; \
    }
MISTAKE(uphill, 2 * a.w - right[0], 2 * a.b - right[1])
MISTAKE(swapped, a.w + (right[1] - a.b), a.b + (right[0] - a.w))
MISTAKE(both_dw, right[0], a.b + (right[0] - a.w))
MISTAKE(both_db, a.w + (right[1] - a.b), right[1])
MISTAKE(no_rate, a.w - a.dw, a.b - a.db)
MISTAKE(over_rate, a.w - a.dw / a.rate, a.b - a.db / a.rate)
MISTAKE(rate_twice, a.w + a.rate * (right[0] - a.w), a.b + a.rate * (right[1] - a.b))
MISTAKE(step_twice, 2 * right[0] - a.w, 2 * right[1] - a.b)
MISTAKE(step_half, (a.w + right[0]) / 2, (a.b + right[1]) / 2)
MISTAKE(step_alone, right[0] - a.w, right[1] - a.b)
MISTAKE(step_turned, a.w - right[0], a.b - right[1])
#define FIXED(name, eta) MISTAKE(name, a.w - (eta)*a.dw, a.b - (eta)*a.db)
FIXED(rate_tenth, 0.1)
FIXED(rate_hundredth, 0.01)
FIXED(rate_thousandth, 0.001)
FIXED(rate_half, 0.5)
MISTAKE(nothing, a.w, a.b)
MISTAKE(only_w, right[0], a.b)
MISTAKE(only_b, a.w, right[1])
MISTAKE(up_w, 2 * a.w - right[0], right[1])
MISTAKE(up_b, right[0], 2 * a.b - right[1])
MISTAKE(crossed, right[1], right[0])
MISTAKE(decay, (1 - a.rate) * a.w + (right[0] - a.w), (1 - a.rate) * a.b + (right[1] - a.b))

static const Mistake mistakes[] = {
    {"the sign is wrong: it climbs; a step goes against the gradient, w − rate·dw", uphill},
    {"dw and db are swapped: w moves by dw, b by db", swapped},
    {"b moves by dw, too: it needs db", both_dw},
    {"w moves by db, too: it needs dw", both_db},
    {"the learning rate is missing: rate·dw, not dw", no_rate},
    {"it divides by the learning rate: multiply", over_rate},
    {"the learning rate is a fixed number: use the argument rate", rate_tenth},
    {"the learning rate is a fixed number: use the argument rate", rate_hundredth},
    {"the learning rate is a fixed number: use the argument rate", rate_thousandth},
    {"the learning rate is a fixed number: use the argument rate", rate_half},
    {"the learning rate is there twice", rate_twice},
    {"the step is twice as long: is there a 2 that belongs to the gradient?", step_twice},
    {"the step is half as long as rate·dw and rate·db", step_half},
    {"it sets w and b to the step alone: -= in place of =", step_alone},
    {"it sets w and b to the step alone: -= in place of =", step_turned},
    {"w and b stay what they were: change *w and *b, not the pointers or copies", nothing},
    {"only w moves: b needs its step, too", only_w},
    {"only b moves: w needs its step, too", only_b},
    {"the sign is wrong for w: it climbs", up_w},
    {"the sign is wrong for b: it climbs", up_b},
    {"w and b are swapped", crossed},
    {"it also shrinks w and b themselves", decay},
    {0}};

static void judge(void *unused)
{
    static const Asked asked[] = {{1, -2, 4, -6, 0.25},
                                  {0.3, 1.7, -2.25, 0.7, 0.1},
                                  {-5, 3, 1e3, 2e3, 1e-3},
                                  {2, 9, 100, 50, 0}};
    enum { CASES = sizeof asked / sizeof *asked };
    ExerciseCase cases[CASES];
    for (int k = 0; k < CASES; k++) {
        const Asked *a = &asked[k];
        double right[2] = {a->w, a->b}, slope[2] = {a->dw, a->db};
        cases[k] = (ExerciseCase){.asked = a, .found = {a->w, a->b}};
        for (int v = 0; v < 2; v++)
            cases[k].right[v] = right[v] + a->rate * -slope[v];
        exercise_tell(&cases[k], "w = %g, b = %g, dw = %g, db = %g, rate %g", a->w, a->b, a->dw,
                      a->db, a->rate);
        update(&cases[k].found[0], &cases[k].found[1], a->dw, a->db, a->rate);
    }
    exercise_judge(&(ExerciseQuestion){.names = {"w", "b"},
                                       .absolute = 1e-12,
                                       .relative = 1e-12,
                                       .mistakes = mistakes},
                   cases, CASES);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "update", 5, "w - rate dw and b - rate db, to 1e-12", judge);
}
