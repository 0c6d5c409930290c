/* 2_all_reduce.c: five all-reduces, made of messages: seen at work, chunk by chunk; timed on a
 * network of your choice for P = 2 … 32 ranks, beside what the α-β model predicts; and which of
 * them is fastest for which size and P. With --link none: how fast they are on this machine, beside
 * MPI_Allreduce. Exercises: exercises/2a_all_reduce_naive.c to 2f_all_reduce_seconds.c.
 */
#include "check.h"
#include "lab2.h"
#include "parts/2_all_reduce/all_reduce_study.h"
#include <math.h>
#include <string.h>

typedef struct Choices {
    RunOptions run;
    const char *link, *clock;
    int largest; /* KiB */
} Choices;

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    const Option options[] = {LINK_OPTIONS(c->link, c->clock),
                              {"largest", ARG_INT, &c->largest, .min = 4, .max = 65536,
                               .help = "largest vector, in KiB"},
                              {"out", ARG_STRING, &c->run.out, .help = "folder for results"},
                              {0}};
    OPTIONS_KEEP(table, options);
    args_parse("2_all_reduce", "Five all-reduces, seen, timed and predicted.", table, argc, argv);
    if (!strcmp(c->link, "none"))
        args_otherwise(table, "clock", "real", NULL);
}

static const PlotKey keys[] = {{"1 2 3", "the chunks; times; which is fastest where"},
                               {"space", "start or stop the clock"},
                               {". ,", "one step forward, one back"},
                               {"a", "another algorithm"},
                               {"- +", "fewer, more ranks"},
                               {"[ ]", "shorter, longer vectors"},
                               {"r", "from the start"},
                               {NULL, NULL}};

/* One step of the record on (1) or back (-1). */
static void step(AllReduceStudy *s, int way)
{
    const Record *r = &s->record;
    double nearest = way > 0 ? r->end : 0;
    for (int i = 0; i < r->steps; i++) {
        bool ahead = way > 0 ? r->step[i] > s->time * (1 + 1e-9)
                             : r->step[i] < s->time * (1 - 1e-9);
        if (ahead && (way > 0 ? r->step[i] < nearest : r->step[i] > nearest))
            nearest = r->step[i];
    }
    s->time = nearest;
    s->playing = false;
}

static void key_of_steps(AllReduceStudy *s, char key)
{
    int P = s->P + (key == '+' || key == '=') - (key == '-');
    int most = s->study.lab->comm->size < MOST_SEEN ? s->study.lab->comm->size : MOST_SEEN;
    switch (key) {
    case ' ':
        s->playing = !s->playing;
        s->time = s->playing && s->time >= s->record.end ? 0 : s->time;
        break;
    case '.': step(s, 1); break;
    case ',': step(s, -1); break;
    case 'a': s->algorithm = (s->algorithm + 1) % ALL_REDUCES; break;
    case '[': s->ratio = s->ratio > -4 ? s->ratio - 1 : s->ratio; break;
    case ']': s->ratio = s->ratio < 6 ? s->ratio + 1 : s->ratio; break;
    case 'r': s->time = 0; break;
    }
    s->P = P >= 2 && P <= most ? P : s->P;
}

static void key_of_times(AllReduceStudy *s, char key)
{
    int world = s->world + (key == '+' || key == '=') - (key == '-'),
        size = s->size + (key == ']') - (key == '[');
    s->world = world >= 0 && world < s->compared.worlds.count ? world : s->world;
    s->size = size >= 0 && size < s->compared.sizes ? size : s->size;
}

static void on_event(void *study, const PlotEvent *e)
{
    AllReduceStudy *s = study;
    if (e->kind != PLOT_KEY)
        return;
    if (e->key >= '1' && e->key < '1' + PAGES)
        s->page = e->key - '1';
    else if (s->page == PAGE_STEPS)
        key_of_steps(s, e->key);
    else if (s->page == PAGE_TIMES)
        key_of_times(s, e->key);
}

static void open_run(AllReduceStudy *s, Lab *lab, const Choices *c, Option *table)
{
    char link[80];
    int ranks = lab->comm->size;
    Comparison *k = &s->compared;
    REQUIRE(ranks > 1, "one rank has nothing to reduce: make lab2 ONLY=2_all_reduce NP=8");
    s->P = ranks < 4 ? ranks : 4;
    link_text(link, sizeof link, k->link);
    json_t *facts = json_pack("{s:s, s:s, s:i}", "network", link, "clock",
                              link_virtual() ? "virtual" : "real", "ranks", ranks);
    lab->run = run_open("lab2_all_reduce", &c->run, table, facts, lab->comm->rank == 0);
    k->worlds = worlds_new(ranks);
    for (int kib = 1; kib <= c->largest && k->sizes < MOST_SIZES; kib *= 4)
        k->count[k->sizes++] = kib * 1024 / (int)sizeof(float);
    s->world = k->worlds.count - 1;
    s->size = k->sizes - 1;
}

int main(int argc, char **argv)
{
    Choices c = {.run = run_options_default(),
                 .link = "1Gbit/s,50us",
                 .clock = "virtual",
                 .largest = 1024};
    Option table[MOST_OPTIONS];
    parse(&c, table, argc, argv);
    stop_on_signals();
    static AllReduceStudy s;
    s = (AllReduceStudy){.study = {.title = "Lab 2 · all-reduce",
                                   .png = "all_reduce.png",
                                   .next = all_reduce_next,
                                   .obey = all_reduce_obey,
                                   .draw = all_reduce_draw,
                                   .report = all_reduce_report,
                                   .keys = keys,
                                   .space = SPACE_FREE,
                                   .event = on_event,
                                   .advance = all_reduce_advance},
                         .algorithm = ALL_REDUCE_RING};
    link_choose(c.link, c.clock);
    Lab lab = {.comm = comm_open("mpi")};
    s.compared.link = link_now_used();
    link_set((Link){.bandwidth = INFINITY}); /* until something is measured */
    lab.be = backend_open("cpu", 0, 1, 1);
    open_run(&s, &lab, &c, table);
    study_run(&s.study, &lab);
    worlds_free(&s.compared.worlds);
    lab_close(&lab);
    return exercise_missing(NULL) ? EXIT_TODO : 0;
}
