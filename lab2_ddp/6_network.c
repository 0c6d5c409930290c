/* 6_network.c: when is the network too slow? The efficiency of 2 to 32 ranks against bandwidth,
 * latency and ranks, on a virtual clock, for a network with a large gradient and one with a small
 * one. Lines are predicted, points measured; keys change the link while it runs. Exercises:
 * exercises/6a_efficiency.c, 6b_bandwidth_for.c.
 */
#include "check.h"
#include "parts/6_network/network_study.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Choices {
    RunOptions run;
    const char *link;
    int batch, hidden;
    bool overlap;
    double compute;
} Choices;

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS(c->run),
        {"link", ARG_STRING, &c->link, .help = "initial network: BANDWIDTH,LATENCY"},
        {"batch", ARG_INT, &c->batch, .min = 1, .max = 4096, .help = "images per rank and update"},
        {"hidden", ARG_INT, &c->hidden, .min = 128, .max = 4096,
         .help = "units of each of the MLP's two hidden layers"},
        {"overlap", ARG_FLAG, &c->overlap, .help = "exchange 8 buckets during the backward pass"},
        {"compute", ARG_REAL, &c->compute, .min = 0, .max = 1e6,
         .help = "milliseconds of computing per update (0: measure it)"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("6_network", "Efficiency of data parallelism on a network of your choice.", table,
               argc, argv);
}

/* The option's link times these powers of 2 and of 10; the keys change them. */
typedef struct Steps {
    int bandwidth, latency, model, overlapped;
} Steps;

typedef struct Session {
    NetworkStudy network; /* first */
    Link link;            /* the option's */
    Steps steps;          /* guarded by the study's lock */
} Session;

static Choice choice_of(const Session *s, Steps k)
{
    Link link = {s->link.bandwidth * pow(2, k.bandwidth), s->link.latency * pow(2, k.latency)};
    return (Choice){k.model, link, k.overlapped};
}

/* ---- the work ---- */

/* What the elements of a Command are. */
enum { INDEX = 1, BANDWIDTH, LATENCY, MODEL, OVERLAPPED };

static bool next(const void *session, Command *todo)
{
    const Session *s = session;
    Steps k = s->steps;
    int i = 0;
    while (i < STUDY_POINTS && !(network_possible(&s->network, i) && isnan(s->network.seconds[i])))
        i++;
    *todo = (Command){{0, i, k.bandwidth, k.latency, k.model, k.overlapped}};
    return i < STUDY_POINTS;
}

static void measure(void *session, Command todo)
{
    Session *s = session;
    NetworkStudy *n = &s->network;
    const int32_t *k = todo.number;
    Steps steps = {k[BANDWIDTH], k[LATENCY], k[MODEL], k[OVERLAPPED]};
    double seconds = network_measure(n, network_point(choice_of(s, steps), k[INDEX]));
    int done = 0, possible = 0;
    study_lock(&n->study, true);
    if (memcmp(&steps, &s->steps, sizeof steps) == 0) /* no key has chosen another meanwhile */
        n->seconds[k[INDEX]] = seconds;
    for (int i = 0; i < STUDY_POINTS; i++) {
        possible += network_possible(n, i);
        done += network_possible(n, i) && !isnan(n->seconds[i]);
    }
    study_lock(&n->study, false);
    run_progress(n->study.lab->run, "measured", done, possible, "points", "");
}

/* ---- the window ---- */

static const PlotKey keys[] = {{"space", "pause, resume"},
                               {"[ ]", "half, twice the bandwidth"},
                               {"- +", "half, twice the latency"},
                               {"m", "the other network"},
                               {"o", "overlapped or not"},
                               {NULL, NULL}};

static void on_event(void *session, const PlotEvent *e)
{
    Session *s = session;
    Steps *k = &s->steps;
    char key = e->kind == PLOT_KEY ? e->key : 0;
    if (key == '[' && k->bandwidth > -10)
        k->bandwidth--;
    else if (key == ']' && k->bandwidth < 10)
        k->bandwidth++;
    else if (key == '-' && k->latency > -10)
        k->latency--;
    else if ((key == '+' || key == '=') && k->latency < 10)
        k->latency++;
    else if (key == 'm')
        k->model = !k->model;
    else if (key == 'o')
        k->overlapped = !k->overlapped;
    else
        return;
    network_choose(&s->network, choice_of(s, *k));
}

/* ---- the start ---- */

static void choose_models(StudyModel *model, int hidden)
{
    for (int i = 0; i < STUDY_MODELS; i++)
        model[i] = network_models[i];
    snprintf(model[0].name, sizeof model[0].name, "MLP 784-%d-%d-10", hidden, hidden);
    model[0].spec.hidden[0] = model[0].spec.hidden[1] = hidden;
}

/* How long computing takes: measured once, on rank 0, while the others sleep. */
static void measure_computing(NetworkStudy *n, const Lab *lab, double milliseconds)
{
    UpdateWork found[STUDY_MODELS];
    Commands commands = commands_new(lab->comm, lab->be);
    for (int i = 0; i < STUDY_MODELS && lab->comm->rank == 0; i++) {
        found[i] = calibrate(lab->be, &n->model[i].spec, n->batch, 10);
        if (milliseconds > 0) {
            found[i].forward = milliseconds / 3e3;
            found[i].backward = milliseconds * 2 / 3e3;
        }
    }
    commands_broadcast(&commands, (Command){{0}});
    commands_free(&commands, lab->be);
    comm_broadcast_host(lab->comm, found, sizeof found, 0);
    for (int i = 0; i < STUDY_MODELS; i++)
        n->model[i].work = found[i];
    n->grads = tensor_new(lab->be, F32, (int)(found[0].bytes / 4), 1, 1, 1, 0);
}

int main(int argc, char **argv)
{
    Choices c = {.run = run_options_default(),
                 .link = "10Gbit/s,50us",
                 .batch = 32,
                 .hidden = 1024};
    c.run.threads = 1; /* a rank stands for a machine; the virtual clock is one thread's */
    Option table[MOST_OPTIONS];
    parse(&c, table, argc, argv);
    REQUIRE(strcmp(c.run.device, "cuda"), "--device=cuda: this part computes on the CPU");
    stop_on_signals();
    static Session s;
    s.network = (NetworkStudy){.study = {.title = "Lab 2 · network",
                                         .png = "network.png",
                                         .missing = exercise_missing(NULL),
                                         .next = next,
                                         .obey = measure,
                                         .draw = network_draw,
                                         .report = network_report,
                                         .keys = keys,
                                         .event = on_event},
                               .batch = c.batch};
    s.link = link_read("--link=", c.link);
    REQUIRE(isfinite(s.link.bandwidth), "--link=%s: this part needs a link", c.link);
    link_choose("none", "virtual"); /* no link between the measurements */
    Comm *comm = comm_open("mpi");
    REQUIRE(comm->size > 1, "needs at least 2 ranks: make lab2 ONLY=6_network NP=8");
    Lab lab = lab_open(comm, &c.run);
    lab_run(&lab, "lab2_network", &c.run, table);
    s.network.groups = groups_new(comm);
    s.steps.overlapped = c.overlap;
    for (int i = 0; i < STUDY_POINTS; i++)
        s.network.seconds[i] = NAN;
    s.network.choice = choice_of(&s, s.steps);
    choose_models(s.network.model, c.hidden);
    measure_computing(&s.network, &lab, c.compute);
    int status = study_run(&s.network.study, &lab);
    tensor_free(lab.be, s.network.grads);
    groups_free(&s.network.groups);
    lab_close(&lab);
    return status;
}
