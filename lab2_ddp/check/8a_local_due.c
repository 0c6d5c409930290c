/* 8a_local_due.c: the check of local_due: the three promises by name, then all small cases. */
#include "exercise.h"
#include "lab2.h"

static void expect(int64_t step, int64_t steps, int64_t every, int64_t plain, bool expected,
                   const char *why)
{
    bool found = local_due(step, steps, every, plain);
    WRONG_UNLESS(found == expected,
                 "after update %ld of %ld, every = %ld, plain = %ld: %s, expected %s: %s",
                 (long)step, (long)steps, (long)every, (long)plain, found ? "true" : "false",
                 expected ? "true" : "false", why);
}

static bool right(int64_t step, int64_t steps, int64_t every, int64_t plain)
{
    if (step <= plain || step == steps)
        return true;
    int64_t due = plain;
    while (due < step)
        due += every;
    return due == step;
}

static void judge(void *unused)
{
    expect(1, 100, 4, 0, false, "one update is made, not 4: does the count begin at 0?");
    expect(3, 100, 4, 0, false, "3 updates are made, not 4: one too early");
    expect(4, 100, 4, 0, true, "`every` updates are made");
    expect(5, 100, 4, 0, false, "that was one update ago: one too late");
    expect(8, 100, 4, 0, true, "twice `every`");
    expect(10, 10, 4, 0, true, "the last update: all ranks must end with one network");
    expect(3, 3, 100, 0, true, "the last update, although `every` is more than all updates");
    expect(1, 100, 4, 3, true, "one of the first `plain` updates");
    expect(2, 100, 4, 3, true, "one of the first `plain` updates, the second");
    expect(3, 100, 4, 3, true, "the last of the first `plain` updates");
    expect(4, 100, 4, 3, false, "`every` counts from the end of the plain updates, not from 0");
    expect(7, 100, 4, 3, true, "`every` updates after the plain ones");
    for (int64_t step = 1; step < 20; step++)
        expect(step, 20, 1, 0, true, "every = 1 averages always");
    for (int64_t steps = 1; steps <= 24; steps++)
        for (int64_t step = 1; step <= steps; step++)
            for (int64_t every = 1; every <= 9; every++)
                for (int64_t plain = 0; plain <= 12; plain++)
                    expect(step, steps, every, plain, right(step, steps, every, plain),
                           "see the three cases");
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "local_due", 4,
                          "true after the first `plain` updates, every so often, at the end",
                          judge);
}
