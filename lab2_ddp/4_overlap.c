/* 4_overlap.c: send the gradient during the backward pass. Three exchanges of the same
 * gradients over links of several bandwidths: an all-reduce for each layer, one for all, buckets in
 * the backward pass. The figure shows how long an update waits, predicted and measured, and three
 * updates under each other. Exercises: exercises/4a_bucket_add.c, 4b_bucket_finish.c,
 * 4c_exposed_seconds.c.
 */
#include "check.h"
#include "parts/4_overlap/overlap_study.h"
#include <math.h>

typedef struct Choices {
    RunOptions run;
    const char *link, *clock, *model;
    int batch, updates;
    double bucket;
    Guess guess;
} Choices;

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS(c->run),
        LINK_OPTIONS(c->link, c->clock),
        {"model", ARG_STRING, &c->model, .help = "resnet20, resnet8, cnn, mlp …"},
        {"batch", ARG_INT, &c->batch, .min = 1, .max = 4096, .help = "images per rank and update"},
        {"updates", ARG_INT, &c->updates, .min = 1, .max = BENCH_UPDATES,
         .help = "updates of each setting"},
        {"bucket", ARG_REAL, &c->bucket, .min = 0, .max = 1e12, .help = "bucket size in bytes"},
        GUESS_OPTION(c->guess, "ms that the overlapped update waits for the exchange"),
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("4_overlap", "Buckets of gradients, exchanged during the backward pass.", table,
               argc, argv);
    guess_check(&c->guess);
}

typedef struct Session {
    OverlapStudy overlap; /* first */
    Link link;            /* the options' */
    double least;
    /* Chosen: the link's bandwidth times 2^steps; a size in study_size, -1: the option's. */
    int steps, size;
} Session;

/* ---- the work ---- */

/* What the elements of a Command are. */
enum { INDEX = 1, STEPS, SIZE };

/* The chosen link, `steps` keys away from the option's, and the chosen size. */
static Link link_chosen(const Session *s, int steps)
{
    return (Link){s->link.bandwidth * pow(2, steps), s->link.latency};
}

static double least_chosen(const Session *s, int size)
{
    return size < 0 ? s->least : study_size[size];
}

static bool next(const void *session, Command *todo)
{
    const Session *s = session;
    int index = 0;
    while (index < STUDY_SETTINGS && s->overlap.measured[index].done)
        index++;
    *todo = (Command){{0, index, s->steps, s->size}};
    return index < STUDY_SETTINGS;
}

static void measure(void *session, Command todo)
{
    Session *s = session;
    OverlapStudy *o = &s->overlap;
    const int32_t *k = todo.number;
    int done = 0;
    study_measure(o, link_chosen(s, k[STEPS]), least_chosen(s, k[SIZE]), k[INDEX]);
    study_lock(&o->study, true);
    for (int i = 0; i < STUDY_SETTINGS; i++)
        done += o->measured[i].done;
    study_lock(&o->study, false);
    run_progress(o->study.lab->run, "measured", done, STUDY_SETTINGS, "settings", "");
}

/* ---- the window ---- */

static const PlotKey keys[] = {{"space", "pause, resume"},
                               {"[ ]", "half, twice the chosen link's bandwidth"},
                               {"- +", "smaller, larger buckets"},
                               {"r", "measure again"},
                               {NULL, NULL}};

static void on_event(void *session, const PlotEvent *e)
{
    Session *s = session;
    char key = e->kind == PLOT_KEY ? e->key : 0;
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
    study_choose(&s->overlap, link_chosen(s, s->steps), least_chosen(s, s->size));
    s->overlap.measured[STUDY_COMPUTE].done &= key != 'r';
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
    static Session s = {.size = -1};
    s.overlap =
        (OverlapStudy){.study = {.title = "Lab 2 · overlap",
                                 .png = "overlap.png",
                                 .missing = exercise_missing("4a_bucket_add 4b_bucket_finish"),
                                 .next = next,
                                 .obey = measure,
                                 .draw = overlap_draw,
                                 .report = overlap_report,
                                 .keys = keys,
                                 .event = on_event},
                       .model = c.model,
                       .batch = c.batch,
                       .updates = c.updates,
                       .least = c.bucket,
                       .guess = c.guess};
    s.link = link_read("--link=", c.link);
    REQUIRE(isfinite(s.link.bandwidth), "--link=%s: this part needs a link", c.link);
    s.overlap.link = s.link;
    s.least = c.bucket;
    link_choose("none", c.clock); /* no link between the measurements */
    Comm *comm = comm_open(c.run.comm);
    REQUIRE(comm->size > 1, "needs at least 2 ranks: make lab2 ONLY=4_overlap NP=2");
    Lab lab = lab_open(comm, &c.run);
    lab_data_first(&lab, &c.run, (c.updates + 1) * c.batch * comm->size, 1);
    lab_run(&lab, "lab2_overlap", &c.run, table);
    s.overlap.bench = bench_new(&lab, c.model, c.batch, c.updates, (uint64_t)c.run.seed);
    int status = study_run(&s.overlap.study, &lab);
    bench_free(s.overlap.bench);
    lab_close(&lab);
    return status ? status : exercise_missing(NULL) ? EXIT_TODO : 0;
}
