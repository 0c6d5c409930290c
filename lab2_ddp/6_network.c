/* 6_network.c: when is the network too slow? The efficiency of 2 to 32 ranks against bandwidth,
 * latency and ranks, on a virtual clock, for a network with a large gradient and one with a small
 * one. Lines are predicted, points measured; keys change the link while it runs. Exercises:
 * exercises/6a_efficiency.c, 6b_bandwidth_for.c.
 */
#include "check.h"
#include "exercise.h"
#include "live_figure.h"
#include "network/network_study.h"
#include <math.h>
#include <unistd.h>

typedef struct Choices {
    RunOptions run;
    const char *link;
    int batch;
    bool overlap;
    double compute;
} Choices;

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS(c->run),
        {"link", ARG_STRING, &c->link, .help = "the network at the start: BANDWIDTH,LATENCY"},
        {"batch", ARG_INT, &c->batch, .min = 1, .max = 4096, .help = "images per rank and update"},
        {"overlap", ARG_FLAG, &c->overlap, .help = "exchange 8 buckets in the backward pass"},
        {"compute", ARG_REAL, &c->compute, .min = 0, .max = 1e6,
         .help = "milliseconds of computing in an update; 0: as measured here"},
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
    NetworkStudy study;
    Commands commands;
    Link link; /* the option's */
    BackgroundThread *own;
    /* guarded by the thread's lock: */
    Steps steps;
    int changes; /* of the figure */
    bool leave;  /* without a window: stop when all is measured */
    int drawn;
} Session;

static Choice choice_of(const Session *s, Steps k)
{
    Link link = {s->link.bandwidth * pow(2, k.bandwidth), s->link.latency * pow(2, k.latency)};
    return (Choice){k.model, link, k.overlapped};
}

/* ---- the work ---- */

/* What the elements of a Command are. */
enum { STOP, INDEX, BANDWIDTH, LATENCY, MODEL, OVERLAPPED };

/* Measure what rank 0 names. False: stop. */
static bool obey(Session *s, Command k)
{
    const int32_t *n = k.number;
    if (n[STOP])
        return false;
    Steps steps = {n[BANDWIDTH], n[LATENCY], n[MODEL], n[OVERLAPPED]};
    double seconds = network_measure(&s->study, network_point(choice_of(s, steps), n[INDEX]));
    if (s->study.world->rank)
        return true;
    background_lock(s->own);
    if (steps.bandwidth == s->steps.bandwidth && steps.latency == s->steps.latency &&
        steps.model == s->steps.model && steps.overlapped == s->steps.overlapped)
        s->study.seconds[n[INDEX]] = seconds;
    s->changes++;
    background_unlock(s->own);
    return true;
}

/* The next point to measure, -1: all are; and how many are, of those possible. */
static int next_point(const NetworkStudy *s, int *done, int *possible)
{
    int next = -1;
    *done = *possible = 0;
    for (int i = STUDY_POINTS - 1; i >= 0; i--) {
        if (!network_possible(s, i))
            continue;
        ++*possible;
        if (isnan(s->seconds[i]))
            next = i;
        else
            ++*done;
    }
    return next;
}

static void work(void *context, BackgroundThread *b)
{
    Session *s = context;
    int said = -1;
    s->own = b;
    while (background_goes_on(b) && !stop_requested()) {
        int done, possible;
        background_lock(b);
        int index = next_point(&s->study, &done, &possible);
        Steps k = s->steps;
        bool leave = index < 0 && s->leave;
        background_unlock(b);
        if (done != said)
            run_progress(s->study.run, "measured", done, possible, "points", "");
        said = done;
        if (leave)
            break;
        if (index < 0)
            usleep(10000);
        else
            obey(s, commands_broadcast(&s->commands, (Command){{0, index, k.bandwidth, k.latency,
                                                                k.model, k.overlapped}}));
    }
    commands_broadcast(&s->commands, (Command){{true}});
}

static void follow(Session *s)
{
    while (obey(s, commands_broadcast(&s->commands, (Command){{0}})))
        ;
}

/* ---- the window ---- */

static const PlotKey keys[] = {{"[ ]", "half, twice the bandwidth"},
                               {"- +", "half, twice the latency"},
                               {"m", "the other network"},
                               {"o", "overlapped or not"},
                               {"s", "save the figure"},
                               {"F11", "full screen"},
                               {"q", "quit"},
                               {NULL, NULL}};

static void key(Session *s, char key)
{
    Steps *k = &s->steps;
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
    network_choose(&s->study, choice_of(s, *k));
    s->changes++;
}

static void on_event(void *context, const PlotEvent *e)
{
    Session *s = context;
    if (e->kind != PLOT_KEY || !s->study.thread)
        return;
    background_lock(s->study.thread);
    key(s, e->key);
    background_unlock(s->study.thread);
}

static void lock(Session *s, bool on)
{
    if (s->study.thread)
        (on ? background_lock : background_unlock)(s->study.thread);
}

static bool changed(void *context)
{
    Session *s = context;
    lock(s, true);
    bool changed = s->drawn != s->changes;
    s->drawn = s->changes;
    lock(s, false);
    return changed;
}

static void draw(void *context, Plot *plot)
{
    Session *s = context;
    lock(s, true);
    network_draw(&s->study, plot);
    lock(s, false);
}

static void finish(void *context)
{
    Session *s = context;
    lock(s, true);
    s->leave = true;
    lock(s, false);
    if (s->study.thread)
        background_wait(s->study.thread);
}

/* Rank 0: the work on a thread, the figure here. */
static void lead(Session *s)
{
    NetworkStudy *study = &s->study;
    study->thread = study->missing ? NULL : background_start(work, s);
    live_figure_show(study->run, &(LiveFigure){.title = "Lab 2 · network",
                                               .png = "network.png",
                                               .context = s,
                                               .keys = keys,
                                               .draw = draw,
                                               .changed = changed,
                                               .event = on_event,
                                               .finish = finish});
    background_stop(study->thread);
    if (study->missing)
        run_say(study->run, "to do: %s", study->missing);
    else
        network_report(study);
}

/* ---- the start ---- */

/* How long computing takes: measured once, on rank 0, while the others sleep. */
static void measure_computing(Session *s, double milliseconds)
{
    NetworkStudy *study = &s->study;
    UpdateWork found[STUDY_MODELS];
    for (int i = 0; i < STUDY_MODELS && study->world->rank == 0; i++) {
        found[i] = calibrate(study->be, &network_models[i].spec, study->batch, 10);
        if (milliseconds > 0) {
            found[i].forward = milliseconds / 3e3;
            found[i].backward = milliseconds * 2 / 3e3;
        }
    }
    commands_broadcast(&s->commands, (Command){{0}});
    comm_broadcast_host(study->world, found, sizeof found, 0);
    for (int i = 0; i < STUDY_MODELS; i++) {
        study->model[i] = network_models[i];
        study->model[i].work = found[i];
    }
    study->grads = tensor_new(study->be, F32, (int)(found[0].bytes / 4), 1, 1, 1, 0);
}

static void session_begin(Session *s, const Choices *c, Option *table)
{
    NetworkStudy *study = &s->study;
    char link[40];
    link_text(link, sizeof link, s->link);
    study->run = run_open("lab2_network", &c->run, table,
                          json_pack("{s:s, s:s, s:i}", "network", link, "clock", "virtual", "ranks",
                                    study->world->size),
                          study->world->rank == 0);
    s->commands = commands_new(study->world, study->be);
    study->groups = groups_new(study->world);
    s->steps.overlapped = c->overlap;
    for (int i = 0; i < STUDY_POINTS; i++)
        study->seconds[i] = NAN;
    study->choice = choice_of(s, s->steps);
    measure_computing(s, c->compute);
}

int main(int argc, char **argv)
{
    Choices c = {.run = run_options_default(), .link = "10Gbit/s,50us", .batch = 32};
    Option table[MOST_OPTIONS];
    parse(&c, table, argc, argv);
    stop_on_signals();
    static Session s = {.drawn = -1};
    s.study = (NetworkStudy){.batch = c.batch, .missing = exercise_missing(NULL)};
    char *wrong = link_parse(&s.link, c.link);
    REQUIRE(!wrong, "--link=%s: %s", c.link, wrong);
    REQUIRE(isfinite(s.link.bandwidth), "--link=%s: this part is about a link: give one", c.link);
    link_choose("none", "virtual"); /* between the measurements there is none */
    s.study.world = comm_open("mpi");
    REQUIRE(s.study.world->size > 1, "one rank exchanges nothing: make lab2 ONLY=6_network NP=8");
    s.study.be = backend_open("cpu", s.study.world->local_rank, s.study.world->local_size, 1);
    session_begin(&s, &c, table);
    if (s.study.world->rank == 0)
        lead(&s);
    else if (!s.study.missing)
        follow(&s);
    tensor_free(s.study.be, s.study.grads);
    groups_free(&s.study.groups);
    commands_free(&s.commands, s.study.be);
    run_close(s.study.run);
    backend_close(s.study.be);
    comm_close(s.study.world);
    return s.study.missing ? EXIT_TODO : 0;
}
