/* 11_what_if.c: what if there were more machines, a faster network, a larger model? A calculator:
 * keys change the training, and the figure shows seconds, efficiency, bytes and memory at once. The
 * model, and what it leaves out, is in parts/11_what_if/step_cost.h; the time of an all-reduce
 * beside a backward pass is your exercises/6a_efficiency.c, memory and what ZeRO sends
 * 10a_rank_costs.c.
 * With --measure and several ranks every remedy and stage is performed on the link's virtual clock,
 * beside its prediction.
 */
#include "check.h"
#include "parts/11_what_if/what_if.h"
#include "study.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Choices {
    RunOptions run;
    const char *link;
    int machine, net, ranks, batch, remedy, stage;
    bool fp32, measure;
} Choices;

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS(c->run),
        {"machine", ARG_INT, &c->machine, .min = 0, .max = WHAT_IF_MACHINES - 1,
         .help = "0 = a CPU core, 1 = V100, 2 = A100, 3 = H100"},
        {"net", ARG_INT, &c->net, .min = 0, .max = WHAT_IF_NETS - 1,
         .help =
             "0 = MLP, 1 = ResNet-8, 2 = ResNet-50, 3 = GPT-2, 4 = 10^9 parameters, 5 = 7*10^9"},
        {"ranks", ARG_INT, &c->ranks, .min = 1, .max = 4096, .help = "ranks"},
        {"batch", ARG_INT, &c->batch, .min = 1, .max = 65536, .help = "samples per rank"},
        {"link", ARG_STRING, &c->link, .help = "the network: BANDWIDTH,LATENCY as in 1Gbit/s,50us"},
        {"fp32", ARG_FLAG, &c->fp32, .help = "compute and send in FP32, not in mixed precision"},
        {"remedy", ARG_INT, &c->remedy, .min = 0, .max = REMEDIES - 1,
         .help = "0 = none, 1 = overlap, 2 = accumulate, 3 = BF16, 4 = 8 bits, 5 = 2 bits, 6 = top "
                 "1 %, "
                 "7 = DiLoCo"},
        {"stage", ARG_INT, &c->stage, .min = 0, .max = ZERO_STAGES - 1,
         .help = "ZeRO stage; 0 = none"},
        {"measure", ARG_FLAG, &c->measure,
         .help = "also measure every remedy and stage, on NP ranks"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("11_what_if", "What if? A calculator of data-parallel training.", table, argc, argv);
}

typedef struct Session {
    Study study; /* first */
    WhatIf w;
    int machine, net, link; /* indices; link -1: the option's */
} Session;

/* ---- the window ---- */

static const PlotKey keys[] = {{"d", "the next machine"},
                               {"[ ]", "half, twice the ranks"},
                               {"- +", "a slower, faster link"},
                               {", .", "half, twice the batch"},
                               {"n", "the next network"},
                               {"p", "FP32 or mixed precision"},
                               {"r", "the next remedy"},
                               {"z", "the next stage of ZeRO"},
                               {NULL, NULL}};

static void next_link(Session *s, int by)
{
    int best = 0; /* from the option's: the one nearest to it */
    for (int i = 1; s->link < 0 && i < WHAT_IF_LINKS; i++)
        if (fabs(log(what_if_links[i].bandwidth / s->w.link.bandwidth)) <
            fabs(log(what_if_links[best].bandwidth / s->w.link.bandwidth)))
            best = i;
    s->link = (s->link < 0 ? best : s->link) + by;
    s->link = s->link < 0 ? 0 : s->link < WHAT_IF_LINKS ? s->link : WHAT_IF_LINKS - 1;
    s->w.link = what_if_links[s->link];
}

static void on_event(void *session, const PlotEvent *e)
{
    Session *s = session;
    WhatIf *w = &s->w;
    switch (e->kind == PLOT_KEY ? e->key : 0) {
    case 'd':
        w->machine = what_if_machines[s->machine = (s->machine + 1) % WHAT_IF_MACHINES];
        break;
    case 'n': w->net = what_if_nets[s->net = (s->net + 1) % WHAT_IF_NETS]; break;
    case '[': w->P = w->P > 1 ? w->P / 2 : 1; break;
    case ']': w->P = w->P < 4096 ? 2 * w->P : 4096; break;
    case ',': w->batch = w->batch > 1 ? w->batch / 2 : 1; break;
    case '.': w->batch = w->batch < 65536 ? 2 * w->batch : 65536; break;
    case '-': next_link(s, -1); break;
    case '+':
    case '=': next_link(s, 1); break;
    case 'p': w->format = !w->format; break;
    case 'r':
        do
            w->remedy = (w->remedy + 1) % REMEDIES;
        while (!step_possible(w));
        break;
    case 'z':
        w->stage = (w->stage + 1) % ZERO_STAGES;
        if (!step_possible(w))
            w->remedy = REMEDY_NONE;
        break;
    }
}

static void draw(const void *session, Plot *plot)
{
    const Session *s = session;
    if (!s->study.missing) {
        what_if_draw(&s->w, plot);
        return;
    }
    plot_begin(plot, 1, 1, "What if?");
    plot_note(plot_cell(plot, 0, 0, NULL, plot_axis("ranks P", 1, 4096),
                        plot_axis("efficiency (%)", 0, 100)),
              s->study.missing);
}

static void report(const void *session)
{
    const Session *s = session;
    Run *run = s->study.lab->run;
    char line[WHAT_IF_LINES][WHAT_IF_ROOM];
    char *title = what_if_title(&s->w);
    what_if_lines(&s->w, line);
    run_say(run, "%s", title);
    for (int i = 0; i < WHAT_IF_LINES; i++)
        run_say(run, "  %s", line[i]);
    run_say(run, "not in the model: topology, congestion, slow ranks, pipelines, the loader, small "
                 "batches' slower kernels, compressing, memory fragmentation, and how well it "
                 "learns");
    free(title);
}

static int measure(const Session *s, const Lab *lab)
{
    const char *missing = s->study.missing;
    if (missing)
        run_say(lab->run, "to do: %s", missing);
    else
        run_say(lab->run, "largest error %.3g %%",
                100 * what_if_measure(&s->w, lab->comm, lab->be, lab->run));
    return missing ? EXIT_TODO : 0;
}

static Session session_new(const Choices *c)
{
    Session s = {.study = {.title = "Lab 2 · what if",
                           .png = "what_if.png",
                           .missing = exercise_missing(NULL),
                           .draw = draw,
                           .report = report,
                           .keys = keys,
                           .event = on_event},
                 .machine = c->machine,
                 .net = c->net,
                 .link = -1};
    s.w = (WhatIf){.machine = what_if_machines[c->machine],
                   .net = what_if_nets[c->net],
                   .P = c->ranks,
                   .batch = c->batch,
                   .format = c->fp32 ? FORMAT_FP32 : FORMAT_MIXED,
                   .remedy = c->remedy,
                   .stage = c->stage};
    s.w.link = link_read("--link=", c->link);
    REQUIRE(isfinite(s.w.link.bandwidth), "--link=%s: the calculator needs a link", c->link);
    REQUIRE(step_possible(&s.w),
            "--stage=%d --remedy=%d: here ZeRO goes only with --remedy=%d, and stage 1 with %d",
            c->stage, c->remedy, REMEDY_NONE, REMEDY_ACCUMULATE);
    return s;
}

int main(int argc, char **argv)
{
    Choices c = {.run = run_options_default(),
                 .link = "100Gbit/s,5us",
                 .machine = 2,
                 .net = 4,
                 .ranks = 8,
                 .batch = 8};
    Option table[MOST_OPTIONS];
    parse(&c, table, argc, argv);
    stop_on_signals();
    Session s = session_new(&c);
    link_choose("none", "virtual");
    if (!c.measure && run_number() > 0)
        return 0; /* without --measure one process computes everything */
    Lab lab = {.comm = comm_open(c.measure ? "mpi" : "self")};
    REQUIRE(!c.measure || lab.comm->size > 1,
            "--measure needs at least 2 ranks: make lab2 ONLY=11_what_if NP=4");
    lab.be = backend_open("cpu", lab.comm->local_rank, lab.comm->local_size, 1);
    lab.run = run_open("lab2_what_if", &c.run, table, json_pack("{s:i}", "ranks", lab.comm->size),
                       lab.comm->rank == 0);
    int status = c.measure ? measure(&s, &lab) : study_run(&s.study, &lab);
    lab_close(&lab);
    return status;
}
