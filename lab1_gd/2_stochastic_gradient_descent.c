/* 2_stochastic_gradient_descent.c: SGD with batch size 1 on the linear model. Every update goes
 * downhill on the surface of one example, a valley of all lines through that one point. So the path
 * is noisy: it is near the minimum soon, and never settles there. The height at which it hovers,
 * the noise floor, is measured and compared with theory (sgd_floor.h). Exercises:
 * exercises/1a_gradient.c, 1b_update.c, 2_shuffle.c.
 */
#include "check.h"
#include "parts/1_linear/player.h"
#include "parts/1_linear/sgd_walk.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Choices {
    RunOptions run;
    int points, updates;
    const char *sampling;
    double rate, noise, speed, w, b;
} Choices;

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    const Option options[] = {
        {"points", ARG_INT, &c->points, .min = 3, .max = 5000, .help = "points to fit"},
        {"rate", ARG_REAL, &c->rate, .min = 1e-5, .max = 100, .help = "learning rate η"},
        {"sampling", ARG_CHOICE, &c->sampling, .choices = "shuffled|with",
         .help = "a new order in each epoch, or drawn with replacement"},
        {"noise", ARG_REAL, &c->noise, .min = 0, .max = 100,
         .help = "standard deviation of the noise in y"},
        {"start-w", ARG_REAL, &c->w, .min = -100, .max = 100, .help = "initial w"},
        {"start-b", ARG_REAL, &c->b, .min = -100, .max = 100, .help = "initial b"},
        {"updates", ARG_INT, &c->updates, .min = 1, .max = WALK_MAX,
         .help = "updates in a run without a window"},
        {"speed", ARG_REAL, &c->speed, .min = 0.1, .max = 10000,
         .help = "updates per second in the window"},
        {"seed", ARG_LONG, &c->run.seed, .min = 0, .max = 9e15,
         .help = "seed of the points and orders"},
        {"out", ARG_STRING, &c->run.out, .help = "folder for results"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("2_stochastic_gradient_descent",
               "Stochastic gradient descent, one example at a time, on a linear model.", table,
               argc, argv);
}

static const PlotKey keys[] = {{"space", "pause, resume"},
                               {".", "one update"},
                               {",", "one update back"},
                               {"[  ]", "learning rate"},
                               {"f  F", "faster, slower"},
                               {"m", "shuffled every epoch, or drawn with replacement"},
                               {"n  N", "more, less noise in the points"},
                               {"r", "restart"},
                               {"mouse", "click on the contours to start there; wheel: zoom"},
                               {NULL, NULL}};

typedef struct Session {
    Player player; /* first: player.h */
    SgdWalk walk;
    SgdWalkView view;
} Session;

static void step(void *walk) { sgd_walk_step(walk); }
static void back(void *walk) { sgd_walk_back(walk); }

static void key(Session *s, char key)
{
    SgdWalk *w = &s->walk;
    switch (key) {
    case '[': w->rate = fmax(w->rate / 1.25, 1e-5); break;
    case ']': w->rate = fmin(w->rate * 1.25, 100); break;
    case 'm': sgd_walk_sampling(w, w->sampling == SGD_SHUFFLED ? SGD_WITH : SGD_SHUFFLED); break;
    case 'n':
        sgd_walk_noise(w, w->points.noise > 0 ? fmin(1.25 * w->points.noise, 100) : 0.1);
        break;
    case 'N': sgd_walk_noise(w, w->points.noise > 0.05 ? w->points.noise / 1.25 : 0); break;
    case 'r':
        sgd_walk_restart(w, w->start_w, w->start_b);
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
    else if (e->panel != WALK_PANEL_ONE && e->panel != WALK_PANEL_ALL)
        return;
    else if (!linear_view_wheel(&s->view.map, e) && e->kind == PLOT_CLICK && isfinite(e->x) &&
             isfinite(e->y))
        sgd_walk_restart(&s->walk, e->x, e->y);
}

static void draw(void *context, Plot *plot)
{
    Session *s = context;
    sgd_walk_draw(&s->walk, &s->view, plot, player_phase(&s->player));
}

static void report(Run *run, SgdWalk *s)
{
    int last = s->count - 1, n = s->points.n;
    if (s->missing)
        run_say(run, "to do: %s", s->missing);
    run_say(run, "after %d updates (%.1f epochs) at rate %g, %s%s", last, (double)last / n, s->rate,
            sgd_sampling_name[s->sampling], s->lost ? ": diverged" : "");
    run_say(run, "                 w         b      loss");
    double w, b;
    parabola_minimum(&s->noise.all, &w, &b);
    run_say(run, "walk      %8.4f  %8.4f  %8.5g", s->w[last], s->b[last], s->loss[last]);
    run_say(run, "minimum   %8.4f  %8.4f  %8.5g   (least squares)", w, b, s->noise.lowest);
    if (!s->missing)
        sgd_survey_report(&s->survey, run);
    run_metrics_header(run, "update,epoch,example,w,b,own_loss,loss");
    for (int t = 0; t < s->count; t++)
        run_metrics(run, "%d,%d,%d,%.9g,%.9g,%.9g,%.9g", t, t / n,
                    t < last ? sgd_walk_example(s, t) : -1, s->w[t], s->b[t],
                    t < last ? s->own[t] : NAN, s->loss[t]);
}

int main(int argc, char **argv)
{
    Choices c = {.run = run_options_default(),
                 .points = 100,
                 .rate = 0.03,
                 .noise = 1,
                 .updates = 400,
                 .speed = 10,
                 .sampling = "shuffled",
                 .w = -0.5,
                 .b = 2.5};
    Option table[MOST_OPTIONS];
    parse(&c, table, argc, argv);
    stop_on_signals();
    SgdSampling sampling = !strcmp(c.sampling, "with") ? SGD_WITH : SGD_SHUFFLED;
    Session s = {.player = {&s.walk, step, back, &s.walk.survey, &s.walk.missing, c.updates,
                            c.speed},
                 .view = {linear_view_new()}};
    s.walk = sgd_walk_new(c.points, c.noise, (uint64_t)c.run.seed, sampling, c.rate, c.w, c.b);
    Run *run = run_open("lab1_sgd", &c.run, table, linear_facts(c.points, c.noise), true);
    player_show(&s.player, run, "Lab 1 · stochastic gradient descent", "sgd.png", keys, draw,
                on_event);
    report(run, &s.walk);
    bool to_do = s.walk.missing != NULL;
    linear_view_free(&s.view.map);
    sgd_walk_free(&s.walk);
    run_close(run);
    return to_do ? EXIT_TODO : 0;
}
