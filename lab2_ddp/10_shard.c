/* 10_shard.c: to train what does not fit: ZeRO 1, 2 and 3 shard the optimiser's state, the gradient
 * and the parameters over the ranks; activation checkpointing and accumulation save activations.
 * The figure shows a rank's memory, predicted and counted, and what each remedy costs in bytes or
 * time. Exercises: exercises/10a_rank_costs.c to 10g_recompute.c.
 */
#include "link.h"
#include "parts/10_shard/shard_study.h"
#include <string.h>

typedef struct Choices {
    RunOptions run;
    const char *link, *clock;
} Choices;

static void parse(Choices *c, ShardStudy *s, Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS_TEXT(c->run),
        LINK_OPTIONS(c->link, c->clock),
        {"model", ARG_STRING, &s->model, .help = "network to shard: mlp, resnet8, gpt-D-L-H …"},
        {"hidden", ARG_STRING, &s->hidden, .help = "mlp: the sizes of its hidden layers"},
        {"batch", ARG_INT, &s->batch, .min = 1, .max = 4096,
         .help = "images per rank and micro-batch"},
        {"updates", ARG_INT, &s->updates, .min = 1, .max = SHARD_UPDATES,
         .help = "updates of each setting"},
        {"deep", ARG_STRING, &s->deep,
         .help = "network of the second experiment, activation checkpointing"},
        {"deep-batch", ARG_INT, &s->deep_batch, .min = 1, .max = 4096,
         .help = "batch size of the --deep network"},
        GUESS_OPTION(s->guess, "MB per rank at stage 3 on all ranks"),
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("10_shard", "Less memory per rank: ZeRO, activation checkpointing, accumulation.",
               table, argc, argv);
    if (text_named(c->run.data))
        args_otherwise(table, "model", "gpt-256-2-4", "batch", "1", "deep", "gpt-64-8-4", NULL);
    args_only(table, "hidden", !strcmp(s->model, "mlp"), "--model mlp");
    guess_check(&s->guess);
}

static void work(void *study)
{
    ShardStudy *s = study;
    Comm *comm = s->study.lab->comm;
    shard_stages(s);
    if (comm->rank == 0)
        shard_savings(s);
    comm_barrier(comm); /* the others wait for rank 0's savings */
}

int main(int argc, char **argv)
{
    Choices c = {.run = run_options_default(), .link = "1Gbit/s,50us", .clock = "virtual"};
    c.run.threads = 1; /* a rank stands for a machine; the virtual clock is one thread's */
    static ShardStudy s;
    s = (ShardStudy){.study = {.program = "lab2_shard",
                               .open = shard_open,
                               .close = shard_close,
                               .title = "Lab 2 · shards",
                               .png = "shard.png",
                               .missing = exercise_missing(NULL),
                               .work = work,
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
    link_choose(c.link, c.clock);
    return study_main(&s.study, &c.run, table, NULL, NULL);
}
