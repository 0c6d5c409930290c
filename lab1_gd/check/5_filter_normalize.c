/* 5_filter_normalize.c: the check of filter_normalize. */
#include "exercise.h"
#include "lab1.h"
#include "quantiles.h"
#include "rng.h"
#include <math.h>
#include <string.h>

enum { FILTERS = 6, SIZE = 27, ALL = FILTERS * SIZE, HUGE_FILTER = 5 };

/* Sums over a filter, or over all. */
typedef struct Sums {
    double squares, sizes, most; /* of |element|²; of |element|; the largest */
} Sums;

static Sums sums_of(const float *v, int n)
{
    Sums s = {0};
    for (int i = 0; i < n; i++) {
        s.squares += (double)v[i] * v[i];
        s.sizes += fabs(v[i]);
        s.most = fmax(s.most, fabs(v[i]));
    }
    return s;
}

/* A filter: what d and w were, this one, the first, and all of them. */
typedef struct Asked {
    int f;
    Sums d, w, first_d, first_w, all_d, all_w;
} Asked;

/* By which factor a version multiplies filter f of d; NAN: any. A filter that is all zeros is
 * judged by itself, and a large factor is too much for a float. */
#define MISTAKE(name, scale) \
    static void name(double *out, const double *right, const void *asked) \
    { \
        const Asked *a = asked; \
        double factor = scale; \
        out[0] = a->d.squares == 0 || factor > 1e35 ? NAN : factor; \
    }
MISTAKE(whole, sqrt(a->all_w.squares / a->all_d.squares))
MISTAKE(squared, a->w.squares / a->d.squares)
MISTAKE(unit, 1 / sqrt(a->d.squares))
MISTAKE(no_unit, sqrt(a->w.squares))
MISTAKE(upside_down, a->w.squares == 0 ? INFINITY : sqrt(a->d.squares / a->w.squares))
MISTAKE(same_w, sqrt(a->first_w.squares / a->d.squares))
MISTAKE(same_d, sqrt(a->w.squares / a->first_d.squares))
MISTAKE(first_scale, sqrt(a->first_w.squares / a->first_d.squares))
MISTAKE(only_first, a->f ? 1 : right[0])
MISTAKE(last_missing, a->f == FILTERS - 1 ? 1 : right[0])
MISTAKE(manhattan, a->w.sizes / a->d.sizes)
MISTAKE(largest, a->w.most / a->d.most)
MISTAKE(whole_unit, sqrt(a->w.squares / a->all_d.squares))
MISTAKE(whole_length, sqrt(a->all_w.squares / a->d.squares))
MISTAKE(nothing, 1)
MISTAKE(mean_square, sqrt(a->w.squares / SIZE / a->d.squares))
MISTAKE(twice, right[0] * right[0])
MISTAKE(turned, -right[0])
static void zero_kept(double *out, const double *right, const void *asked)
{
    out[0] = ((const Asked *)asked)->w.squares == 0 ? 1 : right[0];
}
/* Squares beyond float's range. */
static void in_float(double *out, const double *right, const void *asked)
{
    const Asked *a = asked;
    out[0] = a->d.squares == 0 || a->f == HUGE_FILTER ? NAN : right[0];
}

static const Mistake mistakes[] = {
    {"the whole direction is scaled at once: each filter needs its own factor", whole},
    {"the root is missing: a length is the root of the sum of squares", squared},
    {"each filter gets length 1: times |w_f| is missing", unit},
    {"it multiplies by |w_f| without dividing by |d_f|", no_unit},
    {"the factor is upside down: |w_f| / |d_f|, not |d_f| / |w_f|", upside_down},
    {"w does not move on: every filter gets the length of w's first", same_w},
    {"d's length does not move on: every filter is divided by that of d's first", same_d},
    {"every filter gets the factor of the first: compute it for each", first_scale},
    {"it scales the first filter alone", only_first},
    {"off by one: the last filter is left as it was", last_missing},
    {"it adds |element|: the Euclidean length is the root of the sum of squares", manhattan},
    {"it compares the largest elements: the length is the root of the sum of squares", largest},
    {"it divides by the whole direction's length, not by each filter's", whole_unit},
    {"each filter gets the length of all of w, not of its own filter", whole_length},
    {"d stays what it was", nothing},
    {"where w_f is all zeros, d_f must become zero, too: its length is 0", zero_kept},
    {"only one of the two lengths is divided by size: both or none", mean_square},
    {"it is scaled twice: is the length summed while elements change?", twice},
    {"each filter's sign is wrong, too", turned},
    {"the sums of squares are in float, where those of large weights overflow: use double",
     in_float},
    {0}};

/* Filters of very different lengths; one filter of w and one of d all zeros; one of w
 * whose squares do not fit into a float; guard elements before the start and past the end. */
static void draw(float *d, float *w)
{
    Rng r = rng_at(3, RNG_TEST, 0, 0);
    for (int i = 0; i < ALL; i++) {
        int f = i / SIZE;
        float large = f == HUGE_FILTER ? 1e20f : 1;
        d[i] = f == 3 ? 0 : rng_normal(&r) * (f + 1);
        w[i] = f == 2 ? 0 : large * rng_normal(&r) * powf(10, (float)(f - 2));
    }
    d[-1] = d[ALL] = 7;
}

/* The factor of a filter, which kept its direction. */
static double factor_of(const float *now, const float *old, const float *w, int f)
{
    double along = 0, squares = 0;
    for (int i = 0; i < SIZE; i++) {
        along += (double)now[i] * old[i];
        squares += (double)old[i] * old[i];
    }
    WRONG_UNLESS(memcmp(now, w, SIZE * sizeof *w) != 0,
                 "it copies w: only the lengths are w's, the direction stays d's");
    if (squares == 0)
        return now[0];
    double scale = along / squares, most = fabs(scale) * largest_difference(old, NULL, SIZE);
    for (int i = 0; i < SIZE; i++)
        WRONG_UNLESS(isnan(scale) || isinf(scale) ||
                         fabs(now[i] - scale * old[i]) <= 1e-5 * most + 1e-12,
                     "filter %d changed its direction: its elements need one factor; element %d "
                     "was %.6g and became %.6g",
                     f, i, old[i], now[i]);
    return scale;
}

static void judge(void *unused)
{
    float room[1 + ALL + 1], *d = room + 1, w[ALL], before[ALL + 1], weights[ALL];
    ExerciseCase cases[FILTERS];
    Asked asked[FILTERS];
    draw(d, w);
    memcpy(before, d, sizeof before);
    memcpy(weights, w, sizeof w);
    filter_normalize(d, w, FILTERS, SIZE);
    WRONG_UNLESS(d[-1] == 7, "it wrote before the start of d, at d[-1]");
    WRONG_UNLESS(d[ALL] == 7, "it wrote past the end of d, which has %d filters of %d elements: %d",
                 FILTERS, SIZE, ALL);
    WRONG_UNLESS(!memcmp(w, weights, sizeof w), "it changed the weights w: scale d");
    for (int f = 0; f < FILTERS; f++) {
        asked[f] = (Asked){f,
                           sums_of(before + f * SIZE, SIZE),
                           sums_of(w + f * SIZE, SIZE),
                           sums_of(before, SIZE),
                           sums_of(w, SIZE),
                           sums_of(before, ALL),
                           sums_of(w, ALL)};
        const Asked *a = &asked[f];
        cases[f] = (ExerciseCase){.asked = a};
        cases[f].found[0] = factor_of(d + f * SIZE, before + f * SIZE, w + f * SIZE, f);
        cases[f].right[0] = a->d.squares == 0 ? 0 : sqrt(a->w.squares) / sqrt(a->d.squares);
        exercise_tell(&cases[f], "filter %d%s", f,
                      f == 3   ? ", where d is all zeros"
                      : f == 2 ? ", where w is all zeros"
                               : "");
    }
    WRONG_UNLESS(!isnan(cases[3].found[0]),
                 "0/0 = NaN for a filter of d that is all zeros: it stays zero");
    exercise_judge(&(ExerciseQuestion){.names = {"its factor"},
                                       .absolute = 1e-12,
                                       .relative = 1e-5,
                                       .mistakes = mistakes},
                   cases, FILTERS);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "filter_normalize", 10,
                          "each filter of d as long as the same filter of w, to 1e-5, relative",
                          judge);
}
