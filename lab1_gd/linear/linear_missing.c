/* linear_missing.c: see linear_missing.h. */
#include "linear_missing.h"
#include "check.h"
#include "exercise.h"
#include "lab1.h"

static const double two[2] = {0, 1};

static void try_gradient(void *unused)
{
    double dw, db;
    gradient(&dw, &db, two, two, 2, 0, 0);
}

static void try_update(void *unused)
{
    double w = 0, b = 0;
    update(&w, &b, 1, 1, 0.1);
}

static void try_converged(void *unused) { converged(two, 2, 1, 0.1); }

/* Its results become indices: one out of range would crash the program. */
static void try_shuffle(void *unused)
{
    enum { N = 100 };
    int order[N];
    Rng r = rng_at(1, RNG_TEST, 0, 0);
    for (int i = 0; i < N; i++)
        order[i] = i;
    for (int round = 0; round < 10; round++)
        shuffle(order, N, &r);
    for (int i = 0; i < N; i++)
        if (order[i] < 0 || order[i] >= N)
            die(EXIT_WRONG, "it left %d in an order of 0 to %d", order[i], N - 1);
}

static void count_updates(void *count, int first, int size, double w, double b) { ++*(int *)count; }

static void try_minibatch_epoch(void *unused)
{
    double w = 0, b = 0, room[4];
    int order[3] = {1, 0, 1}, count = 0;
    minibatch_epoch(&w, &b, two, two, order, 3, 2, 0.1, room, count_updates, &count);
    if (count != 2)
        die(EXIT_WRONG, "it reported %d updates of 3 examples, 2 at a time", count);
}

char *linear_missing(int part)
{
    static const ExerciseUse uses[] = {{"lab1_gd/exercises/1a_gradient.c", try_gradient},
                                       {"lab1_gd/exercises/1b_update.c", try_update},
                                       {"lab1_gd/exercises/2_shuffle.c", try_shuffle},
                                       {"lab1_gd/exercises/3_minibatch_epoch.c",
                                        try_minibatch_epoch}};
    return exercise_missing(uses, part == 1 ? 2 : part == 2 ? 3 : 4);
}

char *linear_unstopped(void)
{
    return exercise_missing(&(ExerciseUse){"lab1_gd/exercises/1c_converged.c", try_converged}, 1);
}
