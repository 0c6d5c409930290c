/* Axes: for any data a finite range, and ticks that lie in it, ascend, and have different
 * labels. */
#include "harness.h"
#include "plot/plot_inside.h"
#include "rng.h"
#include <math.h>
#include <string.h>

static PlotAxis fitted(int log, int n, const double *v, double pad)
{
    PlotAxis axis = {.log = log};
    Range range = range_none();
    range_add(&range, log, n, v);
    axis_fit(&axis, range, pad);
    return axis;
}

static Ticks ticks_of(PlotAxis axis, int wanted)
{
    Ticks ticks;
    axis_ticks(&axis, wanted, &ticks);
    return ticks;
}

static void expect_labels(const Ticks *ticks, const char *const *label)
{
    for (int i = 0; i < ticks->count || label[i]; i++) {
        assert_non_null(label[i]);
        assert_true(i < ticks->count);
        assert_string_equal(ticks->label[i], label[i]);
    }
}

TEST(linear_labels)
{
    Ticks t = ticks_of((PlotAxis){.low = -1.03, .high = 1.03}, 5);
    expect_labels(&t, (const char *[]){"−1.0", "−0.5", "0.0", "0.5", "1.0", NULL});
    t = ticks_of((PlotAxis){.low = 0, .high = 120000}, 7);
    expect_labels(&t, (const char *[]){"0", "20,000", "40,000", "60,000", "80,000", "100,000",
                                       "120,000", NULL});
    t = ticks_of((PlotAxis){.low = 0, .high = 3e-5}, 3);
    expect_labels(&t, (const char *[]){"0", "10", "20", "30", NULL});
    assert_string_equal(t.factor, "×10⁻⁶");
    t = ticks_of((PlotAxis){.low = 1.0000001, .high = 1.0000004}, 3);
    expect_labels(&t, (const char *[]){"1.0000001", "1.0000002", "1.0000003", "1.0000004", NULL});
}

TEST(log_labels)
{
    Ticks t = ticks_of((PlotAxis){.low = 0.01, .high = 100, .log = 10}, 6);
    expect_labels(&t, (const char *[]){"0.01", "0.1", "1", "10", "100", NULL});
    assert_int_equal(t.minor_count, 4 * 8);
    t = ticks_of((PlotAxis){.low = 0.9, .high = 30, .log = 10}, 6);
    expect_labels(&t, (const char *[]){"1", "2", "5", "10", "20", NULL});
    /* one digit between: linear ticks */
    t = ticks_of((PlotAxis){.low = 3.1, .high = 4.9, .log = 10}, 5);
    assert_true(t.count >= 3);
    t = ticks_of((PlotAxis){.low = 1e-9, .high = 1, .log = 10}, 5);
    expect_labels(&t, (const char *[]){"10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "10⁰", NULL});
    t = ticks_of((PlotAxis){.low = 2e-7, .high = 3e-6, .log = 10}, 5);
    expect_labels(&t, (const char *[]){"2×10⁻⁷", "5×10⁻⁷", "10⁻⁶", "2×10⁻⁶", NULL});
    t = ticks_of((PlotAxis){.low = 7, .high = 1100, .log = 2}, 6);
    expect_labels(&t, (const char *[]){"8", "16", "32", "64", "128", "256", "512", "1,024", NULL});
    /* every second power: those that the data begin with */
    t = ticks_of((PlotAxis){.low = 7, .high = 9000, .log = 2, .first = 8}, 3);
    expect_labels(&t, (const char *[]){"8", "32", "128", "512", "2,048", "8,192", NULL});
}

TEST(names)
{
    const char *const name[] = {"ring", "tree"};
    Ticks t = ticks_of((PlotAxis){.low = -0.5, .high = 1.5, .names = name, .names_count = 2}, 5);
    expect_labels(&t, (const char *[]){"ring", "tree", NULL});
    assert_true(t.at[0] == 0 && t.at[1] == 1);
}

static void check_ticks(const PlotAxis *axis, const Ticks *t, int wanted)
{
    const char *where = axis->log ? "log axis" : "linear axis";
    if (t->count < 2 || t->count > 2 * wanted + 4)
        fail_msg("%s %g…%g: %d ticks for %d wanted", where, axis->low, axis->high, t->count,
                 wanted);
    for (int i = 0; i < t->count; i++) {
        double position = axis_position(axis, t->at[i]);
        if (!(position > -1e-5 && position < 1 + 1e-5))
            fail_msg("%s %g…%g: tick %g is outside", where, axis->low, axis->high, t->at[i]);
        if (i && !(t->at[i] > t->at[i - 1]))
            fail_msg("%s %g…%g: tick %g after %g", where, axis->low, axis->high, t->at[i],
                     t->at[i - 1]);
        if (i && !strcmp(t->label[i], t->label[i - 1]))
            fail_msg("%s %.17g…%.17g: two ticks are labelled %s", where, axis->low, axis->high,
                     t->label[i]);
    }
}

/* Ranges of every size at every distance from zero. */
TEST(ticks_always_good)
{
    Rng r = rng_at(1, RNG_TEST, 0, 0);
    for (int k = 0; k < 20000; k++) {
        int log = k % 3 == 0 ? 10 : k % 3 == 1 ? 2 : 0, wanted = 2 + (int)rng_below(&r, 9);
        double size = pow(10, (log ? 280 : 580) * (rng_uniform(&r) - 0.5)), v[2];
        v[0] = log ? size : size * rng_normal(&r);
        v[1] = log ? size * pow(10, 8 * rng_uniform(&r) * rng_uniform(&r))
                   : v[0] + fabs(v[0]) * pow(10, 6 - 14 * rng_uniform(&r));
        PlotAxis axis = fitted(log, 2, v, 0.03);
        Ticks ticks = ticks_of(axis, wanted);
        assert_true(axis.low < axis.high && isfinite(axis.low) && isfinite(axis.high));
        check_ticks(&axis, &ticks, wanted);
    }
}

TEST(fits_anything)
{
    const double odd[][3] = {{NAN, NAN, NAN},   {INFINITY, -INFINITY, NAN}, {0, 0, 0},
                             {5, 5, 5},         {-1e308, 1e308, 0},         {1e-308, 2e-308, 0},
                             {5e-324, 1, 2},    {1e17, 1e17 + 16, 1e17},    {-3, -3, -3},
                             {1e-308, 1e308, 1}};
    for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++)
        for (int log = 0; log <= 10; log += 2)
            for (int n = 0; n <= 3; n++) {
                PlotAxis axis = fitted(log == 0 || log == 2 ? log : 10, n, odd[i], 0.05);
                Ticks ticks = ticks_of(axis, 5);
                assert_true(isfinite(axis.low) && isfinite(axis.high) && axis.low < axis.high &&
                            isfinite(axis.high - axis.low));
                check_ticks(&axis, &ticks, 5);
            }
}

TEST(given_limits)
{
    Range data = {2, 7};
    PlotAxis axis = {.low = -1, .high = 10};
    axis_fit(&axis, data, 0.1);
    assert_true(axis.low == -1 && axis.high == 10);
    axis = (PlotAxis){.low = 0, .high = NAN};
    axis_fit(&axis, data, 0.1);
    assert_true(axis.low == 0 && axis.high > 7 && axis.high < 9);
    axis = (PlotAxis){.low = NAN, .high = 9};
    axis_fit(&axis, data, 0);
    assert_true(axis.low == 2 && axis.high == 9);
    axis = (PlotAxis){.low = 10, .high = -1}; /* reversed: corrected */
    axis_fit(&axis, data, 0);
    assert_true(axis.low == -1 && axis.high == 10);
    axis = (PlotAxis){.low = -5, .high = 100, .log = 10}; /* no position for -5 on a log axis: that
                                                           * end from the data */
    axis_fit(&axis, data, 0);
    assert_true(axis.low == 2 && axis.high == 100);
}

TEST(position_and_value)
{
    const PlotAxis axis[2] = {{.low = -3, .high = 5}, {.low = 0.01, .high = 1000, .log = 10}};
    for (int k = 0; k < 2; k++)
        for (double position = 0; position <= 1; position += 0.125)
            expect_close(axis_position(&axis[k], axis_value(&axis[k], position)), position, 1e-12,
                         0, "position");
    expect_close(axis_position(&axis[1], 1), 0.4, 1e-12, 0, "1 between 0.01 and 1000");
    assert_true(isnan(axis_position(&axis[1], 0)) && isnan(axis_position(&axis[1], -1)) &&
                isnan(axis_position(&axis[0], NAN)));
}
