/* 3_train.c: the check of the conversion: runs the student's trainer and judges what it did, one
 * line per step.
 *
 *     3_train [1 … 9]     judge these steps (default: all)
 *
 * Run it from the project's folder; the trainer, also named 3_train, is in the folder above this
 * program's. Exit status: 0 if all steps are right, else 1.
 */
#include "check.h"
#include "check_steps.h"
#include "exercise.h"
#include "file.h"
#include "number.h"
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the runs ----
 * On three ranks, because 3 divides little by luck: 100 images are four global batches of 24 and 4
 * left over, 50 test images are 16 + 17 + 17. And small: an update takes a few milliseconds. */

#define SHALLOW \
    "--model mlp --hidden 16 --batch 8 --images 100 --test-images 50 --seed 7 --device cpu " \
    "--threads 1 " \
    "--schedule constant --rate 0.02 "
#define DEEP \
    "--model resnet8 --batch 4 --images 62 --test-images 200 --seed 7 --device cpu --threads 1 " \
    "--rate 0.1 --epochs 2 --checkpoint-every 3 --init-seed 1 "

/* What each rank's shell does first in the run that is stopped: rank 1's waits until training has
 * begun, then sends the signal to rank 1 alone. */
#define STOP_RANK_1 \
    "if [ $R = 1 ]; then " \
    "(until grep -sq update \"$1/rank-1.jsonl\" || ! kill -0 $$; do sleep 0.1; done; " \
    "kill -TERM $$) & fi;"

static bool has(unsigned steps, int step) { return steps & 1u << step; }

/* The runs of step 9. */
static void run_checkpoints(Runs *r, const char *program, const char *work)
{
    r->half = facts_run(program, work, "half", RANKS, "", DEEP "--steps 3", &r->whole);
    char *path = facts_path(&r->half, 0, "checkpoint.safetensors"),
         *resume = format_new(DEEP "--resume '%s'", path);
    r->resumed = facts_run(program, work, "resumed", RANKS, "", resume, &r->half);
    r->others = facts_run(program, work, "others", OTHERS, "", resume, &r->resumed);
    r->stopped = facts_run(program, work, "stopped", RANKS, STOP_RANK_1, SHALLOW "--epochs 100000",
                           &r->others);
    free(resume);
    free(path);
}

/* steps: bit k: judge step k. After a run that hangs the next ones are not tried. */
static Runs runs_make(const char *program, const char *work, unsigned steps)
{
    Runs r = {.apart = facts_run(program, work, "apart", RANKS, "",
                                 SHALLOW "--epochs 2 --warmup 1 --init-seed $((R + 1))", NULL)};
    const Facts *before = &r.apart;
    steps &= ~r.apart.to_do;
    if (has(steps, 6) || has(steps, 8)) {
        r.together = facts_run(program, work, "together", RANKS, "",
                               SHALLOW "--epochs 2 --warmup 0 --init-seed 1", before);
        before = &r.together;
        r.distance = reference_distance(&r.together, &r.loss);
    }
    if (has(steps, 8) || has(steps, 9))
        r.whole = facts_run(program, work, "whole", RANKS, "", DEEP, before);
    if (has(steps, 9))
        run_checkpoints(&r, program, work);
    return r;
}

static void runs_free(Runs *r)
{
    Facts *all[] = {&r->apart,   &r->together, &r->whole, &r->half,
                    &r->resumed, &r->stopped,  &r->others};
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++)
        facts_free(all[i]);
}

/* ---- the exercises ---- */

typedef struct Exercise {
    const char *name;
    int points;
    const char *expected;
    Judge *judge;
} Exercise;

static const Exercise exercises[] = {
    /* number k - 1: step k */
    {"step 1", 6, "each process knows its rank and that there are three", judge_comm},
    {"step 2", 8, "rank r opens device r of the three on this machine", judge_device},
    {"step 3", 6, "rank 0 alone prints and writes metrics", judge_voice},
    {"step 4", 14,
     "update t: rank r trains on the r-th slice of global batch t; as many batches on each",
     judge_slices},
    {"step 5", 8, "before the first update all ranks have rank 0's weights", judge_broadcast},
    {"step 6", 14,
     "after each update all ranks have the weights that one rank with a batch of P*B has",
     judge_average},
    {"step 7", 8, "the rate climbs from --rate to P times that over the warm-up, and stays there",
     judge_rate},
    {"step 8", 10,
     "the accuracy reported is that of one network on all test images, each tested once",
     judge_metrics},
    {"step 9", 10,
     "rank 0 saves; all resume: with the same bytes on as many ranks, also on fewer; all stop "
     "together",
     judge_checkpoint},
};
enum { EXERCISES = sizeof exercises / sizeof *exercises };

/* The steps to judge: bit k: step k. */
static unsigned wanted(int argc, char **argv)
{
    unsigned steps = 0;
    for (int i = 1; i < argc; i++) {
        int64_t step;
        REQUIRE(number_whole(&step, argv[i], 1, EXERCISES), "%s: expected a step, 1 to %d", argv[i],
                EXERCISES);
        steps |= 1u << step;
    }
    return steps ? steps : (1u << (EXERCISES + 1)) - 2;
}

int main(int argc, char **argv)
{
    unsigned steps = wanted(argc, argv);
    char *self = format_new("%s", argv[0]),
         *program = format_new("%s/3_train", dirname(dirname(self)));
    REQUIRE(access(program, X_OK) == 0 && access("common/setup/launch.sh", X_OK) == 0,
            "%s or common/setup/launch.sh is missing: run 'make check LAB=lab2' in the project's "
            "folder",
            program);
    char *work = check_folder_new();
    int points = 0, most = 0;
    Runs runs = runs_make(program, work, steps);
    for (int k = 1; k <= EXERCISES; k++) {
        if (!has(steps, k))
            continue;
        const Exercise *e = &exercises[k - 1];
        bool to_do = has(runs.apart.to_do, k);
        char *fault = to_do ? NULL : e->judge(&runs);
        ExerciseResult result = {.state = to_do ? EXERCISE_TODO
                                        : fault ? EXERCISE_WRONG
                                                : EXERCISE_DONE,
                                 .why = fault};
        points += exercise_say(e->name, e->points, e->expected, result);
        most += e->points;
        free(fault);
    }
    check_folder_free(work, points == most);
    runs_free(&runs);
    free(program);
    free(self);
    return points == most ? 0 : EXIT_WRONG;
}
