/* power_law.c: see power_law.h. */
#include "power_law.h"
#include "check.h"
#include "quantiles.h"
#include "rng.h"
#include <math.h>
#include <stdlib.h>

double power_law_at(PowerLaw law, double examples)
{
    return law.alpha * pow(examples, law.beta) + law.gamma;
}

static double misfit(PowerLaw law, const double *examples, const double *error, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double relative = power_law_at(law, examples[i]) / error[i] - 1;
        sum += relative * relative;
    }
    return sum;
}

/* The best alpha and gamma for one beta: linear in both, columns D^beta / error and 1 / error,
 * right side 1. */
static PowerLaw fit_at(double beta, const double *examples, const double *error, int n)
{
    double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0;
    for (int i = 0; i < n; i++) {
        double u = pow(examples[i], beta) / error[i], v = 1 / error[i];
        uu += u * u;
        uv += u * v;
        vv += v * v;
        u1 += u;
        v1 += v;
    }
    double determinant = uu * vv - uv * uv;
    PowerLaw law = {(u1 * vv - v1 * uv) / determinant, beta, (uu * v1 - uv * u1) / determinant};
    if (!(law.gamma > 0))
        law = (PowerLaw){u1 / uu, beta, 0};
    if (!(law.alpha > 0))
        law = (PowerLaw){0, beta, v1 / vv};
    return law;
}

PowerLaw power_law_fit(const double *examples, const double *error, int n)
{
    const double lowest = -2, highest = -0.01, golden = 0.6180339887498949;
    enum { STEPS = 200 };
    double step = (highest - lowest) / STEPS, best = INFINITY, centre = highest;
    for (int i = 0; i <= STEPS; i++) {
        double beta = lowest + i * step,
               now = misfit(fit_at(beta, examples, error, n), examples, error, n);
        if (now < best) {
            best = now;
            centre = beta;
        }
    }
    double low = fmax(lowest, centre - step), high = fmin(highest, centre + step);
    while (high - low > 1e-9) { /* golden section */
        double a = high - golden * (high - low), b = low + golden * (high - low);
        bool left = misfit(fit_at(a, examples, error, n), examples, error, n) <
                    misfit(fit_at(b, examples, error, n), examples, error, n);
        *(left ? &high : &low) = left ? b : a;
    }
    return fit_at((low + high) / 2, examples, error, n);
}

/* The points grouped by size, one block per size. */
typedef struct Blocks {
    int count, *first, *member; /* block k: member[first[k] … first[k+1]) */
} Blocks;

static Blocks blocks_new(const double *examples, int n)
{
    Blocks b = {0, alloc(n + 1, sizeof(int)), alloc(n, sizeof(int))};
    int used = 0;
    for (int i = 0; i < n; i++) {
        bool seen = false;
        for (int j = 0; j < i; j++)
            seen |= examples[j] == examples[i];
        if (seen)
            continue;
        b.first[b.count++] = used;
        for (int j = i; j < n; j++)
            if (examples[j] == examples[i])
                b.member[used++] = j;
    }
    b.first[b.count] = used;
    return b;
}

/* A random residual of block k. */
static double draw_from(const Blocks *b, const double *residual, int k, Rng *r)
{
    return residual[b->member[b->first[k] + rng_below(r, b->first[k + 1] - b->first[k])]];
}

void power_law_bootstrap(PowerLawDraw *draws, int count, PowerLaw best, const double *examples,
                         const double *error, int n, uint64_t seed)
{
    Blocks b = blocks_new(examples, n);
    ASSERT(b.count >= 4);
    double *residual = alloc(n, sizeof(double)), *made = alloc(n, sizeof(double)),
           stretch = sqrt(b.count / (b.count - 3.0));
    for (int i = 0; i < n; i++)
        residual[i] = stretch * (error[i] / power_law_at(best, examples[i]) - 1);
    for (int d = 0; d < count; d++) {
        Rng r = rng_at(seed, RNG_NOISE, 7, d);
        for (int k = 0; k < b.count; k++) {
            int from = rng_below(&r, b.count);
            for (int i = b.first[k]; i < b.first[k + 1]; i++) {
                int at = b.member[i];
                made[at] = power_law_at(best, examples[at]) *
                           fmax(0.01, 1 + draw_from(&b, residual, from, &r));
            }
        }
        draws[d] = (PowerLawDraw){power_law_fit(examples, made, n),
                                  draw_from(&b, residual, rng_below(&r, b.count), &r)};
    }
    free(residual);
    free(made);
    free(b.first);
    free(b.member);
}

Interval interval_of(double *values, int n, double fraction)
{
    sort_ascending(values, n);
    int cut = (int)floor((1 - fraction) / 2 * n + 1e-9);
    return (Interval){values[cut], values[n - 1 - cut]};
}

Interval power_law_expect(const PowerLawDraw *draws, int count, double examples, double fraction)
{
    double *values = alloc(count, sizeof *values);
    for (int i = 0; i < count; i++)
        values[i] = power_law_at(draws[i].law, examples) * (1 + draws[i].residual);
    Interval interval = interval_of(values, count, fraction);
    free(values);
    return interval;
}
