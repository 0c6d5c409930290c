/* 10_shard.c: to train what does not fit: ZeRO 1, 2 and 3 shard the optimiser's state, the gradient
 * and the parameters over the ranks; activation checkpointing and accumulation save activations.
 * The figure shows a rank's memory, predicted and counted, and what each remedy costs in bytes or
 * time. Exercises: exercises/10a_rank_costs.c to 10g_recompute.c.
 */
#include "check.h"
#include "link.h"
#include "shard/shard_study.h"
#include <string.h>

typedef struct Choices {
    RunOptions run;
    const char *link, *clock;
} Choices;

static void parse(Choices *c, ShardStudy *s, Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS(c->run),
        LINK_OPTIONS(c->link, c->clock),
        {"model", ARG_STRING, &s->model, .help = "the network that is sharded: mlp, resnet8 …"},
        {"hidden", ARG_STRING, &s->hidden, .help = "mlp: the sizes of its hidden layers"},
        {"batch", ARG_INT, &s->batch, .min = 1, .max = 4096,
         .help = "images per rank and micro-batch"},
        {"updates", ARG_INT, &s->updates, .min = 1, .max = SHARD_UPDATES,
         .help = "updates of each setting"},
        {"deep", ARG_STRING, &s->deep, .help = "the network whose activations are saved"},
        {"deep-batch", ARG_INT, &s->deep_batch, .min = 1, .max = 4096, .help = "its images"},
        GUESS_OPTION(s->guess, "MB on a rank, stage 3, on all ranks"),
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("10_shard", "Less memory per rank: ZeRO, activation checkpointing, accumulation.",
               table, argc, argv);
    args_only(table, "hidden", !strcmp(s->model, "mlp"), "--model mlp");
    guess_check(&s->guess);
}

/* ---- the exercises ---- */

static void nothing(void *context, int a) {}
static void no_pass(void *context, int first, int end, bool again) {}
static void no_loss(void *context) {}
static void no_back(void *context, int first, int end) {}

static void try_costs(void *unused) { rank_costs(ZERO_0, 1, (int[]){1}, 1, 1, 1); }
static void try_shard(void *unused) { shard_of(2, 1, 0); }
static void try_bytes(void *unused) { activation_bytes((double[]){0, 1}, (int[]){0, 1}, 1); }
static void try_passes(void *unused)
{
    recompute(&(Passes){NULL, nothing, nothing, no_pass, no_loss, no_back}, (int[]){0, 1}, 1);
}

/* One unit of one element, on one rank. */
static void with_unit(void (*call)(Sharded *, ShardUnit *))
{
    Backend *be = backend_open("cpu", 0, 1, 1);
    ShardUnit u = {.count = 1, .each = 1};
    Sharded z = {.stage = ZERO_2, .comm = comm_open("self"), .be = be, .unit = &u, .units = 1};
    z.s = be->op->stream_new(be, 1);
    Tensor *all[] = {&u.params, &u.grads, &u.my_params, &u.my_grads, &u.my_velocity, &z.rate};
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++)
        *all[i] = tensor_new(be, F32, 1, 1, 1, 1, 0);
    call(&z, &u);
}
static void call_reduce(Sharded *z, ShardUnit *u) { shard_reduce(z, u); }
static void call_update(Sharded *z, ShardUnit *u) { shard_update(z, u, 0.1); }
static void call_layer(Sharded *z, ShardUnit *u) { shard_layer(z, u, true); }
static void try_reduce(void *unused) { with_unit(call_reduce); }
static void try_update(void *unused) { with_unit(call_update); }
static void try_layer(void *unused) { with_unit(call_layer); }

static const ExerciseUse uses[] = {{"lab2_ddp/exercises/10a_rank_costs.c", try_costs},
                                   {"lab2_ddp/exercises/10b_shard_of.c", try_shard},
                                   {"lab2_ddp/exercises/10c_shard_reduce.c", try_reduce},
                                   {"lab2_ddp/exercises/10d_shard_update.c", try_update},
                                   {"lab2_ddp/exercises/10e_shard_layer.c", try_layer},
                                   {"lab2_ddp/exercises/10f_activation_bytes.c", try_bytes},
                                   {"lab2_ddp/exercises/10g_recompute.c", try_passes}};

int main(int argc, char **argv)
{
    Choices c = {.run = run_options_default(), .link = "1Gbit/s,50us", .clock = "virtual"};
    c.run.threads = 1; /* a rank stands for a machine; the virtual clock is one thread's */
    static ShardStudy s;
    s = (ShardStudy){.study = {.title = "Lab 2 · shards",
                               .png = "shard.png",
                               .work = shard_work,
                               .draw = shard_draw,
                               .report = shard_report},
                     .guess = {.what = "memory of a rank in stage 3, on all ranks", .unit = "MB"},
                     .model = "mlp",
                     .hidden = "1024,1024",
                     .deep = "resnet20",
                     .batch = 16,
                     .deep_batch = 16,
                     .updates = 3,
                     .rate = 0.05,
                     .momentum = 0.9};
    Option table[MOST_OPTIONS];
    parse(&c, &s, table, argc, argv);
    s.study.missing = exercise_missing(uses, sizeof uses / sizeof *uses);
    stop_on_signals();
    link_choose(c.link, c.clock);
    Lab lab = lab_open(comm_open(c.run.comm), &c.run);
    lab_data(&lab, &c.run, NULL);
    shard_open(&s, &lab, (uint64_t)c.run.seed);
    lab_run(&lab, "lab2_shard", &c.run, table);
    int status = study_run(&s.study, &lab);
    shard_close(&s);
    lab_close(&lab);
    return status;
}
