/* 4_overlap.c: send the gradient while the backward pass goes on. Three exchanges of the same
 * gradients over links of several bandwidths: an all-reduce for each layer, one for all, buckets in
 * the backward pass. The figure shows how long an update waits, predicted and measured, and three
 * updates under each other. Exercises: exercises/4a_bucket_add.c, 4b_bucket_finish.c,
 * 4c_exposed_seconds.c.
 */
#include "check.h"
#include "exercise.h"
#include "lab.h"
#include "live_figure.h"
#include "overlap/overlap_study.h"
#include <math.h>
#include <unistd.h>

typedef struct Choices {
    RunOptions run;
    const char *link, *clock, *model;
    int batch, updates;
    double bucket;
    Guess guess;
} Choices;

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    const Option options[] = {RUN_OPTIONS(c->run),
                              LINK_OPTIONS(c->link, c->clock),
                              {"model", ARG_STRING, &c->model,
                               .help = "resnet20, resnet8, cnn, mlp …"},
                              {"batch", ARG_INT, &c->batch, .min = 1, .max = 4096,
                               .help = "images per rank and update"},
                              {"updates", ARG_INT, &c->updates, .min = 1, .max = BENCH_UPDATES,
                               .help = "updates of each setting"},
                              {"bucket", ARG_REAL, &c->bucket, .min = 0, .max = 1e12,
                               .help = "bytes: a bucket is started once it has as many"},
                              GUESS_OPTION(c->guess, "ms that the overlapped update waits"),
                              {0}};
    OPTIONS_KEEP(table, options);
    args_parse("4_overlap", "Buckets of gradients, exchanged while the backward pass goes on.",
               table, argc, argv);
    guess_check(&c->guess);
}

typedef struct Session {
    OverlapStudy study;
    Commands commands;
    Link link; /* the options' */
    double least;
    /* guarded by the thread's lock: */
    int steps, size; /* chosen: the link's bandwidth times 2^steps; a size in study_size, -1: the
                      * option's */
    int wanted;      /* how many times a measurement was requested */
    int changes;     /* of the figure */
    bool leave;      /* without a window: stop when all is measured */
    int drawn;
} Session;

/* ---- the work ---- */

/* What the elements of a Command are. */
enum { STOP, INDEX, STEPS, SIZE };

/* The chosen link, `steps` keys away from the option's, and the chosen size. */
static Link link_chosen(const Session *s, int steps)
{
    return (Link){s->link.bandwidth * pow(2, steps), s->link.latency};
}

static double least_chosen(const Session *s, int size)
{
    return size < 0 ? s->least : study_size[size];
}

/* Measure what rank 0 names. False: stop. */
static bool obey(Session *s, Command k)
{
    if (!k.number[STOP])
        study_measure(&s->study, link_chosen(s, k.number[STEPS]), least_chosen(s, k.number[SIZE]),
                      k.number[INDEX]);
    return !k.number[STOP];
}

/* The next setting to measure; -1: all are. */
static int next_index(const OverlapStudy *s)
{
    for (int i = 0; i < STUDY_SETTINGS; i++)
        if (!s->measured[i].done)
            return i;
    return -1;
}

static int count_done(const OverlapStudy *s)
{
    int done = 0;
    for (int i = 0; i < STUDY_SETTINGS; i++)
        done += s->measured[i].done;
    return done;
}

static void work(void *context, BackgroundThread *b)
{
    Session *s = context;
    s->study.own = b;
    while (background_goes_on(b) && !stop_requested()) {
        background_lock(b);
        int index = next_index(&s->study), steps = s->steps, size = s->size;
        bool leave = index < 0 && s->leave;
        background_unlock(b);
        if (leave)
            break;
        if (index < 0) {
            usleep(10000);
            continue;
        }
        obey(s, commands_broadcast(&s->commands, (Command){{0, index, steps, size}}));
        background_lock(b);
        s->changes++;
        int done = count_done(&s->study);
        background_unlock(b);
        run_progress(s->study.lab->run, "measured", done, STUDY_SETTINGS, "settings", "");
    }
    commands_broadcast(&s->commands, (Command){{true}});
}

static void follow(Session *s)
{
    while (obey(s, commands_broadcast(&s->commands, (Command){{0}})))
        ;
}

/* ---- the window ---- */

static const PlotKey keys[] = {{"[ ]", "half, twice the chosen link's bandwidth"},
                               {"- +", "smaller, larger buckets"},
                               {"r", "measure again"},
                               {"s", "save the figure"},
                               {"F11", "full screen"},
                               {"q", "quit"},
                               {NULL, NULL}};

static void key(Session *s, char key)
{
    OverlapStudy *study = &s->study;
    int size = s->size < 0 ? 4 : s->size;
    if (key == '[' && s->steps > -10)
        s->steps--;
    else if (key == ']' && s->steps < 10)
        s->steps++;
    else if (key == '-' && size > 0)
        s->size = size - 1;
    else if ((key == '+' || key == '=') && size < STUDY_SIZES - 2)
        s->size = size + 1;
    else if (key != 'r')
        return;
    study_choose(study, link_chosen(s, s->steps), least_chosen(s, s->size));
    study->measured[STUDY_COMPUTE].done &= key != 'r';
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

static bool changed(void *context)
{
    Session *s = context;
    if (s->study.thread)
        background_lock(s->study.thread);
    bool changed = s->drawn != s->changes;
    s->drawn = s->changes;
    if (s->study.thread)
        background_unlock(s->study.thread);
    return changed;
}

static void draw(void *context, Plot *plot)
{
    Session *s = context;
    if (s->study.thread)
        background_lock(s->study.thread);
    overlap_draw(&s->study, plot);
    if (s->study.thread)
        background_unlock(s->study.thread);
}

static void finish(void *context)
{
    Session *s = context;
    if (!s->study.thread)
        return;
    background_lock(s->study.thread);
    s->leave = true;
    background_unlock(s->study.thread);
    background_wait(s->study.thread);
}

/* Rank 0: the work on a thread, the figure here. */
static void lead(Session *s)
{
    Run *run = s->study.lab->run;
    s->study.thread = s->study.missing ? NULL : background_start(work, s);
    live_figure_show(run, &(LiveFigure){.title = "Lab 2 · overlap",
                                        .png = "overlap.png",
                                        .context = s,
                                        .keys = keys,
                                        .draw = draw,
                                        .changed = changed,
                                        .event = on_event,
                                        .finish = finish});
    background_stop(s->study.thread);
    if (s->study.missing)
        run_say(run, "to do: %s", s->study.missing);
    else
        overlap_report(&s->study);
}

int main(int argc, char **argv)
{
    Choices c = {.run = run_options_default(),
                 .link = "400Mbit/s,500us",
                 .clock = "virtual",
                 .model = "resnet20",
                 .batch = 16,
                 .updates = 5,
                 .bucket = 1e5,
                 .guess = {.what = "wait of the overlapped update", .unit = "ms"}};
    c.run.threads = 1; /* a rank stands for a machine; the virtual clock is one thread's */
    Option table[MOST_OPTIONS];
    parse(&c, table, argc, argv);
    stop_on_signals();
    static Session s = {.size = -1, .drawn = -1};
    s.study = (OverlapStudy){.model = c.model,
                             .batch = c.batch,
                             .updates = c.updates,
                             .least = c.bucket,
                             .guess = c.guess,
                             .missing = exercise_missing(NULL)};
    char *wrong = link_parse(&s.study.link, c.link);
    REQUIRE(!wrong, "--link=%s: %s", c.link, wrong);
    REQUIRE(isfinite(s.study.link.bandwidth), "--link=%s: this part is about a link: give one",
            c.link);
    s.link = s.study.link;
    s.least = c.bucket;
    link_choose("none", c.clock); /* between the measurements there is none */
    Comm *comm = comm_open(c.run.comm);
    REQUIRE(comm->size > 1, "one rank exchanges nothing: make lab2 ONLY=4_overlap NP=2");
    Lab lab = lab_open(comm, &c.run);
    lab_data_first(&lab, &c.run, (c.updates + 1) * c.batch * comm->size, 1);
    lab_run(&lab, "lab2_overlap", &c.run, table);
    s.study.lab = &lab;
    s.commands = commands_new(comm, lab.be);
    s.study.bench = bench_new(&lab, c.model, c.batch, c.updates, (uint64_t)c.run.seed);
    if (comm->rank == 0)
        lead(&s);
    else if (!s.study.missing)
        follow(&s);
    bench_free(s.study.bench);
    commands_free(&s.commands, lab.be);
    lab_close(&lab);
    return s.study.missing ? EXIT_TODO : 0;
}
