/* check.c: the self-check of lab 2: `make check LAB=lab2` runs your code and judges what it did, one line per exercise.
 *
 *     check [ring] [1 … 9]     judge these (nothing named: all)
 *     check --ring FILE        one rank's part in judging all_reduce_ring; started by the first form under mpirun
 *
 * Run from the project's folder; 1_train is looked for beside this program. Exit status: 0 if all is right, else 1.
 */
#include "check.h"
#include "check_steps.h"
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Exercise { const char *name; int points; const char *expected; Judge *judge; } Exercise;

static const Exercise exercises[] = {
    {"ring", 16, "all_reduce_ring: on 1 to 4 ranks the sum, the same bits on each, 2(P-1)/P of the data sent", NULL},
    {"step 1", 6, "each process knows its rank and that there are three", judge_comm},
    {"step 2", 8, "rank r opens device r of the three on this machine", judge_device},
    {"step 3", 6, "rank 0 alone prints and writes metrics", judge_voice},
    {"step 4", 14, "update t: rank r trains on the r-th slice of global batch t; as many batches on each", judge_share},
    {"step 5", 8, "before the first update all ranks have rank 0's weights", judge_broadcast},
    {"step 6", 14, "after each update all ranks have the weights that one rank with a batch of P*B has", judge_average},
    {"step 7", 8, "the rate climbs from --rate to P times that over the warm-up, and stays there", judge_rate},
    {"step 8", 10, "the accuracy reported is that of all test pictures, each tested once, by one network", judge_metrics},
    {"step 9", 10, "rank 0 saves; resumed: the same bytes on as many ranks, goes on with fewer; all stop together",
     judge_checkpoint},
};
enum { EXERCISES = sizeof exercises / sizeof *exercises };

/* Which exercises are wanted: bit 0 the ring, bit k step k. */
static unsigned wanted(int argc, char **argv)
{
    unsigned steps = 0;
    for (int i = 1; i < argc; i++) {
        int step = !strcmp(argv[i], "ring") ? 0 : atoi(argv[i]);
        REQUIRE(step > 0 ? step < EXERCISES : !strcmp(argv[i], "ring"), "check %s: expected ring, or a step from 1 to 9",
                argv[i]);
        steps |= 1u << step;
    }
    return steps ? steps : (1u << EXERCISES) - 1;
}

/* One line. Returns the points won. */
static int say(const Exercise *e, bool to_do, const char *fault)
{
    int points = to_do || fault ? 0 : e->points;
    printf("%s  %-6s  %2d/%-2d  %s%s%s\n", to_do ? "TODO" : fault ? "FAIL" : "PASS", e->name, points, e->points,
           e->expected, fault && !to_do ? "; found: " : "", fault && !to_do ? fault : "");
    fflush(stdout);
    return points;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--ring")) {
        ring_rank(argv[2]);
        return 0;
    }
    unsigned steps = wanted(argc, argv);
    char *self = format_new("%s", argv[0]), *program = format_new("%s/1_train", dirname(self));
    REQUIRE(access(program, X_OK) == 0 && access("common/setup/launch.sh", X_OK) == 0,
            "%s or common/setup/launch.sh is not there: run 'make check LAB=lab2' in the project's folder", program);
    const char *base = getenv("TMPDIR");
    char *work = format_new("%s/lab2-check-XXXXXX", base && *base ? base : "/tmp");
    REQUIRE(mkdtemp(work), "%s: the folder cannot be made", work);

    int points = 0, most = 0;
    bool to_do = false;
    Runs runs = {0};
    if (steps & ~1u)
        runs = runs_make(program, work, steps);
    for (int i = 0; i < EXERCISES; i++) {
        if (!(steps & 1u << i))
            continue;
        to_do = i > 0 && runs.apart.to_do & 1u << i;
        char *fault = i == 0 ? judge_ring(argv[0], work, &to_do) : to_do ? NULL : exercises[i].judge(&runs);
        points += say(&exercises[i], to_do, fault);
        most += exercises[i].points;
        free(fault);
    }
    printf("%d of %d points\n", points, most);
    if (points == most)
        run_words((const char *const[]){"rm", "-rf", work, NULL}, "/dev/null");
    else
        printf("the runs and what they said: %s\n", work);
    runs_free(&runs);
    free(work);
    free(program);
    free(self);
    return points == most ? 0 : EXIT_WRONG;
}
