/* 3_minibatches.c: batch sizes from 1 to N on the linear model, racing from the same start. Small
 * batches get far on few examples, but their noise floor is high; large ones descend smoothly, but
 * need many examples. What counts is time. Exercises: exercises/1a_gradient.c, 1b_update.c,
 * 2_shuffle.c, 3_minibatch_epoch.c.
 */
#include "check.h"
#include "parts/1_linear/player.h"
#include "parts/1_linear/sgd_race.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Choices {
    RunOptions run;
    int points, updates, batch[RACERS];
    const char *sampling;
    double rate, noise, speed, w, b;
} Choices;

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    const Option options[] = {
        {"points", ARG_INT, &c->points, .min = 3, .max = 5000, .help = "points to fit"},
        {"batch-1", ARG_INT, &c->batch[0], .min = 1, .max = 5000,
         .help = "batch size of the first racer"},
        {"batch-2", ARG_INT, &c->batch[1], .min = 1, .max = 5000,
         .help = "batch size of the second"},
        {"batch-3", ARG_INT, &c->batch[2], .min = 1, .max = 5000,
         .help = "batch size of the third"},
        {"batch-4", ARG_INT, &c->batch[3], .min = 1, .max = 5000,
         .help = "batch size of the fourth (at most --points)"},
        {"rate", ARG_REAL, &c->rate, .min = 1e-4, .max = 100, .help = "learning rate η"},
        {"sampling", ARG_CHOICE, &c->sampling, .choices = "shuffled|without|with",
         .help = "batches from a shuffled epoch, or drawn without or with replacement"},
        {"noise", ARG_REAL, &c->noise, .min = 0, .max = 100,
         .help = "standard deviation of the noise in y"},
        {"start-w", ARG_REAL, &c->w, .min = -100, .max = 100, .help = "initial w"},
        {"start-b", ARG_REAL, &c->b, .min = -100, .max = 100, .help = "initial b"},
        {"updates", ARG_INT, &c->updates, .min = 1, .max = RACE_MAX,
         .help = "updates in a run without a window"},
        {"speed", ARG_REAL, &c->speed, .min = 0.1, .max = 10000,
         .help = "updates per second in the window"},
        {"seed", ARG_LONG, &c->run.seed, .min = 0, .max = 9e15,
         .help = "seed of the points and orders"},
        {"out", ARG_STRING, &c->run.out, .help = "folder for results"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("3_minibatches", "Batch sizes racing on a linear model.", table, argc, argv);
}

static const PlotKey keys[] = {{"space", "pause, resume"},
                               {".", "one update of each"},
                               {",", "one update back"},
                               {"1 … 4", "select a racer"},
                               {"−  +", "its batch size"},
                               {"[  ]", "learning rate; restarts"},
                               {"m", "shuffled, drawn without, with replacement; restarts"},
                               {"n  N", "more, less noise in the points; restarts"},
                               {"f  F", "faster, slower"},
                               {"r", "restart"},
                               {"mouse", "click on the contours to start there; wheel: zoom"},
                               {NULL, NULL}};

typedef struct Session {
    Player player; /* first: player.h */
    SgdRace race;
    SgdRaceView view;
} Session;

static void step(void *race) { sgd_race_step(race); }
static void back(void *race) { sgd_race_back(race); }

static void key(Session *s, char key)
{
    SgdRace *r = &s->race;
    switch (key) {
    case '1':
    case '2':
    case '3':
    case '4': r->marked = key - '1'; break;
    case '-': sgd_race_batch(r, r->racer[r->marked].batch / 2); break;
    case '+':
    case '=': sgd_race_batch(r, 2 * r->racer[r->marked].batch); break;
    case '[': sgd_race_rate(r, fmax(r->rate / 1.25, 1e-4)); break;
    case ']': sgd_race_rate(r, fmin(r->rate * 1.25, 100)); break;
    case 'm': sgd_race_sampling(r, (r->sampling + 1) % SGD_SAMPLINGS); break;
    case 'n':
        sgd_race_noise(r, r->points.noise > 0 ? fmin(1.25 * r->points.noise, 100) : 0.1);
        break;
    case 'N': sgd_race_noise(r, r->points.noise > 0.05 ? r->points.noise / 1.25 : 0); break;
    case 'r':
        sgd_race_restart(r, r->start_w, r->start_b);
        s->view.map.zoom = 1;
        s->player.paused = false;
        break;
    }
}

static void on_event(void *context, const PlotEvent *e)
{
    Session *s = context;
    if (e->kind == PLOT_KEY && player_key(&s->player, e->key))
        return;
    if (e->kind == PLOT_KEY)
        key(s, e->key);
    else if (e->panel != RACE_PANEL_CONTOURS)
        return;
    else if (!linear_view_wheel(&s->view.map, e) && e->kind == PLOT_CLICK && isfinite(e->x) &&
             isfinite(e->y))
        sgd_race_restart(&s->race, e->x, e->y);
}

static void draw(void *context, Plot *plot)
{
    Session *s = context;
    sgd_race_draw(&s->race, &s->view, plot, player_phase(&s->player));
}

/* After how many updates racer k was first within 10 % of the minimal loss; -1: not yet. */
static int arrived(const SgdRace *r, int k)
{
    for (int i = 0; i <= sgd_racer_at(r, k); i++)
        if (r->racer[k].loss[i] <= 1.1 * r->noise.lowest)
            return i;
    return -1;
}

static void report(Run *run, const SgdRace *r)
{
    if (r->missing) {
        run_say(run, "to do: %s", r->missing);
        return;
    }
    run_say(run,
            "after %d updates at rate %g, %s; first within 10 %% of the minimum, %.5g:", r->tick,
            r->rate, sgd_sampling_name[r->sampling], r->noise.lowest);
    run_say(run, "batch   loss now   updates  examples        µs   ns/update  ns/example");
    run_metrics_header(run, "batch,update,examples,seconds,w,b,loss");
    for (int k = 0; k < RACERS; k++) {
        const Racer *racer = &r->racer[k];
        int at = arrived(r, k), now = sgd_racer_at(r, k);
        char *first = at < 0 ? format_new("%8s  %8s  %8s", "–", "–", "–")
                             : format_new("%8d  %8.0f  %8.3g", at, racer->seen[at],
                                          1e6 * at * racer->seconds);
        run_say(run, "%5d  %9.5g  %s  %10.1f  %10.1f%s", racer->batch, racer->loss[now], first,
                1e9 * racer->seconds, 1e9 * racer->seconds / racer->batch,
                racer->lost ? "   diverged" : "");
        free(first);
        for (int i = 0; i <= now; i++)
            run_metrics(run, "%d,%d,%.0f,%.6g,%.9g,%.9g,%.9g", racer->batch, i, racer->seen[i],
                        i * racer->seconds, racer->w[i], racer->b[i], racer->loss[i]);
    }
    sgd_survey_report(&r->survey, run);
}

int main(int argc, char **argv)
{
    Choices c = {.run = run_options_default(),
                 .points = 100,
                 .rate = 0.03,
                 .noise = 1,
                 .updates = 1000,
                 .speed = 20,
                 .sampling = "shuffled",
                 .batch = {1, 4, 32, 100},
                 .w = -1.5,
                 .b = 2.5};
    Option table[MOST_OPTIONS];
    parse(&c, table, argc, argv);
    stop_on_signals();
    SgdSampling sampling = SGD_SHUFFLED;
    while (strcmp(c.sampling, sgd_sampling_word[sampling]))
        sampling++;
    Session s = {.player = {&s.race, step, back, &s.race.survey, &s.race.missing, c.updates,
                            c.speed},
                 .view = {linear_view_new()}};
    s.race = sgd_race_new(c.points, c.noise, (uint64_t)c.run.seed, sampling, c.rate, c.w, c.b,
                          c.batch);
    Run *run = run_open("lab1_minibatches", &c.run, table, linear_facts(c.points, c.noise), true);
    player_show(&s.player, run, "Lab 1 · minibatches", "minibatches.png", keys, draw, on_event);
    report(run, &s.race);
    bool to_do = s.race.missing != NULL;
    linear_view_free(&s.view.map);
    sgd_race_free(&s.race);
    run_close(run);
    return to_do ? EXIT_TODO : 0;
}
