/* 7a_needed_examples.c: the check of needed_examples. */
#include "exercise.h"
#include "lab1.h"
#include <math.h>

typedef struct Asked {
    double alpha, beta, gamma, target;
} Asked;

/* Each mistake by the D that it would give, through the law: error(D) is what it took for the
 * target. NAN: below gamma, where versions differ. */
static double at(const Asked *k, double alpha, double beta, double error)
{
    return error > 0 ? exp(log(error / alpha) / beta) : NAN;
}
#define MISTAKE(name, d) \
    static void name(double *out, const double *right, const void *asked) \
    { \
        const Asked *k = asked; \
        __attribute__((unused)) double a = k->alpha, b = k->beta, g = k->gamma, t = k->target; \
        out[0] = t <= g && g > 0 ? NAN : d; \
    }
MISTAKE(turned, at(k, a, -b, t - g))
MISTAKE(not_inverse, at(k, a, 1 / b, t - g))
MISTAKE(no_gamma, at(k, a, b, t))
MISTAKE(plus_gamma, at(k, a, b, t + g))
MISTAKE(no_alpha, at(k, 1, b, t - g))
MISTAKE(times_alpha, at(k, 1 / a, b, t - g))
MISTAKE(alpha_outside, at(k, 1, b, t - g) / a)
MISTAKE(gamma_late, at(k, a, b, t) - g)
MISTAKE(gamma_of_ratio, at(k, 1, b, t / a - g))
MISTAKE(logarithm, log(right[0]))
MISTAKE(upside_down, 1 / right[0])
MISTAKE(law, a *exp(log(t) * b) + g)
MISTAKE(whole_power, t > g ? pow((t - g) / a, trunc(1 / b)) : NAN)
MISTAKE(rounded, ceil(right[0] - 1e-9))
MISTAKE(truncated, floor(right[0] + 1e-9))

/* All but INFINITY is right. */
static void finite_only(double *out, const double *right, const void *asked)
{
    out[0] = isinf(right[0]) ? NAN : right[0];
}
/* The comparison turned round: INFINITY where D is finite. */
static void never(double *out, const double *right, const void *asked)
{
    out[0] = isinf(right[0]) ? NAN : INFINITY;
}

static const Mistake mistakes[] = {
    {"the exponent's sign is wrong: it is 1/beta, and beta is negative already", turned},
    {"the exponent is beta: to solve for D take the power 1/beta", not_inverse},
    {"gamma is missing: subtract it from the target first", no_gamma},
    {"gamma is added: subtract it from the target", plus_gamma},
    {"alpha is missing: divide by it", no_alpha},
    {"it multiplies by alpha: divide", times_alpha},
    {"it divides by alpha after the power: before it", alpha_outside},
    {"gamma is subtracted at the end: subtract it from the target first", gamma_late},
    {"gamma is subtracted after the division: subtract it from the target first", gamma_of_ratio},
    {"it gives the logarithm of D", logarithm},
    {"it gives 1/D", upside_down},
    {"it gives the law's value, as if the target were a number of examples: solve it for D", law},
    {"1/beta is cut off to an integer: keep it in double", whole_power},
    {"it rounds up: D need not be an integer", rounded},
    {"it cuts off the fraction: D need not be an integer", truncated},
    {"at or below gamma no D is enough: return INFINITY there", finite_only},
    {"it returns INFINITY above gamma: the comparison with gamma is the wrong way round", never},
    {0}};

static void judge(void *unused)
{
    static const double laws[][3] = {{2, -0.5, 0}, {2, -0.5, 0.05}, {1.3, -0.31, 0.1}};
    enum { SIZES = 7, CASES = 3 * (SIZES + 2) };
    Asked asked[CASES];
    ExerciseCase cases[CASES];
    int n = 0;
    for (int i = 0; i < 3; i++) {
        const double *l = laws[i];
        double examples = 10.5;
        for (int j = 0; j < SIZES + 2; j++, examples *= 7) {
            bool reached = j < SIZES;
            double target = reached ? l[0] * pow(examples, l[1]) + l[2] : l[2] * (j - SIZES);
            if (!reached && l[2] == 0)
                continue;
            asked[n] = (Asked){l[0], l[1], l[2], target};
            cases[n] = (ExerciseCase){.asked = &asked[n], .right = {reached ? examples : INFINITY}};
            exercise_tell(&cases[n], "an error of %.6g by %g D^%g + %g", target, l[0], l[1], l[2]);
            cases[n].found[0] = needed_examples(l[0], l[1], l[2], target);
            n++;
        }
    }
    exercise_judge(&(ExerciseQuestion){.names = {"D"}, .relative = 1e-6, .mistakes = mistakes},
                   cases, n);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "needed_examples", 5,
                          "the power law inverted, to 1e-6; INFINITY at gamma and below", judge);
}
