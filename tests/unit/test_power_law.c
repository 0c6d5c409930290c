/* test_power_law.c: the fit finds the law that generated its points, and the intervals have the
 * right width. */
#include "harness.h"
#include "power_law.h"
#include "rng.h"
#include <math.h>
#include <stdlib.h>

enum { SIZES = 9, SEEDS = 3, POINTS = SIZES * SEEDS, DRAWS = 300 };

/* Sizes 64, 128, …, three trainings each, with this relative noise. */
static void make_points(double *examples, double *error, PowerLaw law, double noise, int world)
{
    for (int i = 0; i < POINTS; i++) {
        Rng r = rng_at(9, RNG_TEST, world, i);
        examples[i] = 64 << i / SEEDS;
        error[i] = power_law_at(law, examples[i]) * (1 + noise * rng_normal(&r));
    }
}

static void assert_near(double found, double expected, double relative)
{
    if (!(fabs(found - expected) <= relative * fabs(expected) + 1e-6))
        fail_msg("found %.9g, expected %.9g", found, expected);
}

TEST(finds_the_law)
{
    static const PowerLaw laws[] = {{2, -0.5, 0.05},
                                    {1.4, -0.25, 0},
                                    {5, -1.2, 0.12},
                                    {0.9, -0.1, 0.01}};
    for (int i = 0; i < 4; i++) {
        double examples[POINTS], error[POINTS];
        make_points(examples, error, laws[i], 0, 0);
        PowerLaw found = power_law_fit(examples, error, POINTS);
        assert_near(found.alpha, laws[i].alpha, 1e-3);
        assert_near(found.beta, laws[i].beta, 1e-3);
        assert_near(found.gamma, laws[i].gamma, 1e-3);
    }
}

/* No nearby law fits better. */
TEST(is_the_least)
{
    double examples[POINTS], error[POINTS], least = 0;
    make_points(examples, error, (PowerLaw){2, -0.4, 0.08}, 0.05, 1);
    PowerLaw found = power_law_fit(examples, error, POINTS);
    for (int way = -1; way < 6; way++) {
        double f = way % 2 ? 1.01 : 0.99, sum = 0;
        PowerLaw law = found;
        double *changed = way < 2 ? &law.alpha : way < 4 ? &law.beta : &law.gamma;
        *changed *= way < 0 ? 1 : f;
        for (int i = 0; i < POINTS; i++)
            sum += pow(power_law_at(law, examples[i]) / error[i] - 1, 2);
        if (way < 0)
            least = sum;
        else
            assert_true(sum > least);
    }
}

/* In most of 20 simulations the 90 % intervals contain the true alpha, beta, gamma, and error at
 * four times the data. */
TEST(intervals_hold_the_truth)
{
    const PowerLaw law = {2, -0.5, 0.06};
    int held[4] = {0};
    for (int world = 0; world < 20; world++) {
        double examples[POINTS], error[POINTS], values[3][DRAWS];
        PowerLawDraw draws[DRAWS];
        make_points(examples, error, law, 0.03, world);
        power_law_bootstrap(draws, DRAWS, power_law_fit(examples, error, POINTS), examples, error,
                            POINTS, 1);
        for (int i = 0; i < DRAWS; i++) {
            values[0][i] = draws[i].law.alpha;
            values[1][i] = draws[i].law.beta;
            values[2][i] = draws[i].law.gamma;
        }
        const double truth[] = {law.alpha, law.beta, law.gamma};
        for (int v = 0; v < 3; v++) {
            Interval in = interval_of(values[v], DRAWS, 0.9);
            held[v] += in.low <= truth[v] && truth[v] <= in.high;
        }
        double far = 4 * examples[POINTS - 1];
        Rng r = rng_at(9, RNG_TEST, world, 1000);
        double measured = power_law_at(law, far) * (1 + 0.03 * rng_normal(&r));
        Interval in = power_law_expect(draws, DRAWS, far, 0.9);
        held[3] += in.low <= measured && measured <= in.high;
    }
    print_message("in the 90 %% interval, of 20: alpha %d, beta %d, gamma %d, a new training %d\n",
                  held[0], held[1], held[2], held[3]);
    for (int v = 0; v < 4; v++)
        assert_true(held[v] >= 16);
}

/* The error is still far above the floor, which may be anything from 0 up: the interval shows
 * it. */
TEST(an_unseen_floor_stays_open)
{
    const PowerLaw law = {1.6, -0.15, 0.05};
    double examples[POINTS], error[POINTS], gamma[DRAWS];
    PowerLawDraw draws[DRAWS];
    make_points(examples, error, law, 0.03, 3);
    power_law_bootstrap(draws, DRAWS, power_law_fit(examples, error, POINTS), examples, error,
                        POINTS, 1);
    for (int i = 0; i < DRAWS; i++)
        gamma[i] = draws[i].law.gamma;
    Interval in = interval_of(gamma, DRAWS, 0.9);
    double lowest = power_law_at(law, examples[POINTS - 1]);
    print_message("floor %g: interval %.3f to %.3f; the lowest error measured is %.3f\n", law.gamma,
                  in.low, in.high, lowest);
    assert_true(in.low < law.gamma && in.high > 0.5 * lowest && in.high < lowest);
}

/* The farther from the data, the wider the interval. */
TEST(expectations_widen)
{
    double examples[POINTS], error[POINTS];
    PowerLawDraw draws[DRAWS];
    make_points(examples, error, (PowerLaw){2, -0.5, 0.06}, 0.03, 5);
    power_law_bootstrap(draws, DRAWS, power_law_fit(examples, error, POINTS), examples, error,
                        POINTS, 1);
    Interval inside = power_law_expect(draws, DRAWS, 1024, 0.9);
    Interval outside = power_law_expect(draws, DRAWS, 1 << 20, 0.9);
    double near = (inside.high - inside.low) / inside.high;
    double far = (outside.high - outside.low) / outside.high;
    print_message("relative width: %.3f at 1,024 examples, %.3f at 1,048,576\n", near, far);
    assert_true(far > 1.3 * near);
}

TEST(intervals_of_values)
{
    double values[] = {5, INFINITY, 1, 4, 3, 2, 9, 8, 7, 6};
    Interval in = interval_of(values, 10, 0.8);
    assert_true(in.low == 2 && in.high == 9);
    in = interval_of(values, 10, 1);
    assert_true(in.low == 1 && isinf(in.high));
}
