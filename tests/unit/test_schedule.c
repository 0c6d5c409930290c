/* test_schedule.c: learning rates against closed values worked out by hand, against properties, and
 * against torch. */
#include "harness.h"
#include "python.h"
#include "schedule.h"
#include <math.h>
#include <string.h>

static double constant_after_warmup(double start, int64_t warmup, int64_t step)
{
    Schedule s = {
        .kind = SCHEDULE_CONSTANT, .rate = 0.8, .steps = 100, .warmup = warmup, .start = start};
    return schedule_rate(&s, step);
}

TEST(constant)
{
    for (int step = 0; step < 100; step += 33)
        expect_close(constant_after_warmup(0, 0, step), 0.8, 0, 1e-15, "constant");
}

TEST(warmup)
{
    /* to the rate 0.8 in constant increments; step number 3 and later have it */
    for (int step = 0; step < 6; step++)
        expect_close(constant_after_warmup(0, 3, step), fmin(0.8, 0.2 * (step + 1)), 0, 1e-14,
                     "three steps, without a start");
    /* from eta = 0.1 to k eta = 0.8 */
    for (int step = 0; step < 10; step++)
        expect_close(constant_after_warmup(0.1, 7, step), fmin(0.8, 0.1 * (step + 1)), 0, 1e-14,
                     "seven steps from a start");
    expect_close(constant_after_warmup(0.1, 1, 0), 0.1, 0, 1e-15, "a single step from a start");
}

TEST(step)
{
    Schedule s = {.kind = SCHEDULE_STEP,
                  .rate = 1,
                  .steps = 100,
                  .warmup = 4,
                  .drop_every = 10,
                  .drop_by = 0.1};
    const double expected[][2] = {{0, 0.2},  {3, 0.8},  {4, 1},     {13, 1},
                                  {14, 0.1}, {23, 0.1}, {24, 0.01}, {99, 1e-9}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        expect_close(schedule_rate(&s, (int64_t)expected[i][0]), expected[i][1], 0, 1e-12, "step");
}

TEST(cosine)
{
    Schedule s = {.kind = SCHEDULE_COSINE, .rate = 2, .steps = 110, .warmup = 10};
    expect_close(schedule_rate(&s, 9), 2 - 2 / 11.0, 0, 1e-15, "end of the warm-up");
    expect_close(schedule_rate(&s, 10), 2, 0, 1e-15, "begin");
    expect_close(schedule_rate(&s, 60), 1, 0, 1e-12, "half-way");
    expect_close(schedule_rate(&s, 35), 1 + sqrt(0.5), 0, 1e-12, "a quarter");
    expect_close(schedule_rate(&s, 109), 1 + cos(M_PI * 0.99), 0, 1e-9, "last");
    for (int step = 11; step < 110; step++)
        assert_true(schedule_rate(&s, step) < schedule_rate(&s, step - 1));
}

/* Values of torch 2.15: OneCycleLR(max_lr=0.4, total_steps=10). */
TEST(onecycle)
{
    static const double torch[10] = {0.016000000000000014,
                                     0.20800000000000002,
                                     0.4,
                                     0.38019385280538953,
                                     0.3246982615799052,
                                     0.24450480877451572,
                                     0.1554967912254843,
                                     0.0753033384200948,
                                     0.019807747194610516,
                                     1.6e-06};
    Schedule s = {.kind = SCHEDULE_ONECYCLE,
                  .rate = 0.4,
                  .steps = 10,
                  .warmup = 3 /* has no meaning here */};
    for (int step = 0; step < 10; step++)
        expect_close(schedule_rate(&s, step), torch[step], 0, 1e-12, "one-cycle");
}

TEST(onecycle_torch)
{
    const int lengths[] = {1, 2, 3, 4, 5, 7, 10, 100, 703};
    char *path = path_in(scratch_dir(), "rates");
    python_run("tests/torch/onecycle.py %s 0.4 1 2 3 4 5 7 10 100 703", path);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        Schedule s = {.kind = SCHEDULE_ONECYCLE, .rate = 0.4, .steps = lengths[i]};
        for (int step = 0; step < lengths[i]; step++) {
            double expected;
            assert_int_equal(fscanf(f, "%lf", &expected), 1);
            expect_close(schedule_rate(&s, step), expected, 0, 1e-11, "one-cycle");
        }
    }
    fclose(f);
}

TEST(names)
{
    const char *const all[] = {"constant", "step", "cosine", "onecycle"};
    const ScheduleKind kinds[] = {SCHEDULE_CONSTANT, SCHEDULE_STEP, SCHEDULE_COSINE,
                                  SCHEDULE_ONECYCLE};
    assert_string_equal(SCHEDULE_CHOICES, "constant|step|cosine|onecycle");
    for (int i = 0; i < 4; i++)
        assert_int_equal(schedule_kind(all[i]), kinds[i]);
}

static void unknown(void *name) { schedule_kind(name); }

static void past_the_end(void *schedule) { schedule_rate(schedule, 10); }

TEST(refusals)
{
    expect_death(2, unknown, "cosinus", "cosinus", SCHEDULE_CHOICES, NULL);
    Schedule s = {.kind = SCHEDULE_COSINE, .rate = 1, .steps = 10};
    expect_death(1, past_the_end, &s, "schedule.c", NULL);
}
