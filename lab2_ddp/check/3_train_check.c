/* 3_train_check.c: the check of the conversion: runs the student's trainer and judges what it did,
 * one line per step.
 *
 *     3_train [1 … 9]     judge these steps (default: all)
 *
 * Run it from the project's folder; the trainer, also named 3_train, is in the folder above this
 * program's. Exit status: 0 if all steps are right, 77 if none is wrong but some are unfinished,
 * else 1.
 */
#include "check.h"
#include "check_steps.h"
#include "exercise.h"
#include "number.h"
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the runs ----
 * On three ranks, because 3 divides little by luck: 100 images are four global batches of 24 and 4
 * left over (with two micro-batches, two of 48), 50 test images are 16 + 17 + 17. And small: an
 * update takes a few milliseconds; the images are drawn, so that no files are read. */

#define SHALLOW \
    "--data synthetic --model mlp --hidden 16 --batch 8 --images 100 --test-images 50 --seed 7 " \
    "--device cpu --threads 1 --schedule constant --rate 0.02 "
#define DEEP \
    "--data synthetic --model resnet8 --batch 4 --images 62 --test-images 200 --seed 7 " \
    "--device cpu --threads 1 --rate 0.1 --epochs 2 --checkpoint-every 3 --init-seed 1 "

/* What each rank's shell does first in the run that is stopped: rank 1's waits until training has
 * begun, then sends the signal to rank 1 alone. */
#define STOP_RANK_1 \
    "if [ $R = 1 ]; then " \
    "(until grep -sq update \"$1/rank-1.jsonl\" || ! kill -0 $$; do sleep 0.1; done; " \
    "kill -TERM $$) & fi;"

static bool has(unsigned steps, int step) { return steps & 1u << step; }

/* This part, if its step is done and to be judged; else of the last step before it that is, or of
 * the first one after it. */
static const char *answerable(const Runs *r, const char *part)
{
    static const char *const parts[] = {"", "1a", "2", "3a", "4b", "5", "6b", "7", "8a", "9a"};
    unsigned steps = r->wanted & ~r->apart.to_do;
    int step = step_of(part);
    if (has(steps, step))
        return part;
    for (int k = step - 1; k > 0; k--)
        if (has(steps, k))
            return parts[k];
    while (step < STEPS && !has(steps, step))
        step++;
    return parts[step];
}

/* The part of a step that must answer for the run that failed. In a run of step 9 all others were
 * right before. */
static const char *blamed(const Runs *r)
{
    if (r->failed == &r->stopped)
        return "9b";
    bool early = r->failed == &r->apart || r->failed == &r->together;
    const char *part = early || r->failed == &r->whole ? blame(r->failed) : "9a";
    if (!early && step_of(part) < 8)
        part = "9a";
    return answerable(r, part);
}

/* Make this run, unless it is made, or one before it failed. */
static void run(Runs *r, Facts *f, const char *name, const char *arguments)
{
    static const Facts none;
    if (f->dir)
        return;
    *f = facts_run(r->program, r->work, name, f == &r->others ? OTHERS : RANKS,
                   f == &r->stopped ? STOP_RANK_1 : "", arguments, r->failed ? r->failed : &none);
    if (f->left_out || f->status == 0)
        return;
    r->failed = f;
    r->blamed = blamed(r);
}

/* The runs of step 9. */
static void run_checkpoints(Runs *r)
{
    run(r, &r->half, "half", DEEP "--steps 3");
    char *path = facts_path(&r->half, 0, "checkpoint.safetensors"),
         *resume = format_new("%s", DEEP "--resume \"$LABS_RESUME\"");
    setenv("LABS_RESUME", path, 1); /* a quote in TMPDIR is no quote of the shell's */
    run(r, &r->resumed, "resumed", resume);
    run(r, &r->others, "others", resume);
    run(r, &r->stopped, "stopped", SHALLOW "--epochs 100000");
    free(resume);
    free(path);
}

/* The runs that step k needs. */
static void run_for(Runs *r, int k)
{
    run(r, &r->apart, "apart", SHALLOW "--epochs 2 --warmup 1.5 --init-seed $((R + 1))");
    if ((k == 4 || k == 6 || k == 8) && !r->together.dir) {
        run(r, &r->together, "together",
            SHALLOW "--epochs 2 --warmup 0 --init-seed 1 --accumulate 2");
        r->reference = reference_train(&r->together);
    }
    if (k == 8 || k == 9)
        run(r, &r->whole, "whole", DEEP "--trace");
    if (k == 9)
        run_checkpoints(r);
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
    const char *needs; /* the steps that must be right before it can be judged: "146" */
    Judge *judge;
    const char *expected;
} Exercise;

static const Exercise exercises[STEPS + 1] = {
    {0}, /* number k: step k */
    {"step 1", 6, "", judge_comm, "each process knows its rank and that there are three"},
    {"step 2", 8, "1", judge_device, "rank r opens device r of the three on this machine"},
    {"step 3", 6, "1", judge_output, "rank 0 alone prints and writes, and reports three \"ranks\""},
    {"step 4", 14, "1", judge_slices,
     "update t: rank r trains on the r-th slice of global batch t; as many batches on each"},
    {"step 5", 8, "1", judge_broadcast, "before the first update all ranks have rank 0's weights"},
    {"step 6", 14, "14", judge_average,
     "after each update all ranks have the weights that one rank with a batch of P*B has"},
    {"step 7", 8, "1", judge_rate,
     "the rate climbs from --rate to P times that over the warm-up, and stays there"},
    /* steps 8 and 9 use average() */
    {"step 8", 10, "16", judge_metrics,
     "the accuracy reported is that of one network on all test images, each tested once"},
    {"step 9", 10, "146", judge_checkpoint,
     "rank 0 saves; all resume: with the same bytes on as many ranks, also on fewer; all stop "
     "together"},
};

/* The steps to judge: bit k: step k. */
static unsigned wanted(int argc, char **argv)
{
    unsigned steps = 0;
    for (int i = 1; i < argc; i++) {
        int64_t step;
        REQUIRE(number_whole(&step, argv[i], 1, STEPS), "%s: expected a step, 1 to %d", argv[i],
                STEPS);
        steps |= 1u << step;
    }
    return steps ? steps : (1u << (STEPS + 1)) - 2;
}

/* ---- the verdicts ---- */

/* A step's line. `first`: the step to fix before this one can be judged; 0: none. */
typedef struct Line {
    ExerciseState state;
    int first;
    char *why;
} Line;

/* The step to fix before step k; 0: none. One that waits for k itself does not count. */
static int first_needed(const Line *line, int k)
{
    for (const char *needs = exercises[k].needs; *needs; needs++) {
        const Line *before = &line[step_of(needs)];
        int first = before->first ? before->first : step_of(needs);
        if (before->state != EXERCISE_DONE && first != k)
            return first;
    }
    return 0;
}

static Line judged(Runs *r, int k)
{
    run_for(r, k);
    Verdict verdict = exercises[k].judge(r);
    if (verdict.first && verdict.first != k) {
        free(verdict.fault);
        return (Line){EXERCISE_TODO, verdict.first, NULL};
    }
    if (!verdict.fault && step_of(r->blamed) == k)
        verdict = missing(r, r->failed, r->blamed, "it does not get to its end");
    return (Line){verdict.fault ? EXERCISE_WRONG : EXERCISE_DONE, 0, verdict.fault};
}

/* Prints a line per step; returns the status: 0, EXIT_TODO or EXIT_WRONG. */
static int judge_all(Runs *r)
{
    run_for(r, 1);              /* which also says what is still to do */
    Line line[STEPS + 1] = {0}; /* a step that is not to be judged counts as right */
    int status = 0;
    for (int k = 1; k <= STEPS; k++) {
        if (!has(r->wanted, k))
            continue;
        const Exercise *e = &exercises[k];
        int first = first_needed(line, k);
        line[k] = has(r->apart.to_do, k) ? (Line){EXERCISE_TODO, 0, NULL}
                : first                  ? (Line){EXERCISE_TODO, first, NULL}
                                         : judged(r, k);
        char *later = format_new("not judged: step %d comes first", line[k].first);
        exercise_say(e->name, e->points, line[k].first ? later : e->expected,
                     (ExerciseResult){.state = line[k].state, .why = line[k].why});
        if (line[k].state != EXERCISE_DONE && status != EXIT_WRONG)
            status = line[k].state == EXERCISE_WRONG ? EXIT_WRONG : EXIT_TODO;
        free(later);
        free(line[k].why);
    }
    return status;
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
    Runs runs = {.program = program, .work = work, .wanted = steps};
    int status = judge_all(&runs);
    check_folder_free(work, status != EXIT_WRONG);
    runs_free(&runs);
    free(program);
    free(self);
    return status;
}
