/* 1_gradient_descent.c: full-batch gradient descent on a linear model, where you see everything:
 * data and line, the loss by update, the loss as a surface over (w, b), and the path of the descent
 * on it. Exercises: exercises/1a_gradient.c, 1b_update.c, 1c_converged.c.
 */
#include "check.h"
#include "parts/1_linear/descent.h"
#include "parts/1_linear/player.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Choices {
    RunOptions run;
    int points, updates;
    double rate, noise, speed, w, b;
} Choices;

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    const Option options[] = {
        {"points", ARG_INT, &c->points, .min = 2, .max = 100000, .help = "points to fit"},
        {"rate", ARG_REAL, &c->rate, .min = 0, .max = 100, .help = "learning rate η"},
        {"noise", ARG_REAL, &c->noise, .min = 0, .max = 100,
         .help = "standard deviation of the noise in y"},
        {"start-w", ARG_REAL, &c->w, .min = -100, .max = 100, .help = "initial w"},
        {"start-b", ARG_REAL, &c->b, .min = -100, .max = 100, .help = "initial b"},
        {"updates", ARG_INT, &c->updates, .min = 1, .max = DESCENT_MAX,
         .help = "updates in a run without a window"},
        {"speed", ARG_REAL, &c->speed, .min = 0.1, .max = 10000,
         .help = "updates per second in the window"},
        {"seed", ARG_LONG, &c->run.seed, .min = 0, .max = 9e15, .help = "seed of the points"},
        {"out", ARG_STRING, &c->run.out, .help = "folder for results"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("1_gradient_descent", "Full-batch gradient descent on a linear model.", table, argc,
               argv);
}

static const PlotKey keys[] = {
    {"space", "pause, resume"},
    {".", "one update"},
    {",", "one update back"},
    {"[  ]", "learning rate down, up"},
    {"n  N", "more, less noise in the points"},
    {"f  F", "faster, slower"},
    {"r", "restart, without zoom"},
    {"mouse", "click on the contours to start there; wheel: zoom; drag: turn the surface"},
    {NULL, NULL}};

typedef struct Session {
    Player player; /* first: player.h */
    Descent d;
    DescentView v;
} Session;

static void step(void *descent) { descent_step(descent); }
static void back(void *descent) { descent_back(descent); }

static const double LEAST_NOISE = 0.5 / 4.76837158203125; /* 7 steps of 1.25 below the default */

static void key(Session *s, char key)
{
    Descent *d = &s->d;
    switch (key) {
    case '[': d->rate /= 1.25; break;
    case ']': d->rate *= 1.25; break;
    case 'n':
        descent_noise(d, d->points.noise > 0 ? fmin(1.25 * d->points.noise, 100) : LEAST_NOISE);
        break;
    case 'N':
        descent_noise(d, d->points.noise > 1.1 * LEAST_NOISE ? d->points.noise / 1.25 : 0);
        break;
    case 'r':
        descent_restart(d, d->start_w, d->start_b);
        s->v.map.zoom = 1;
        s->player.paused = false;
        break;
    }
    if (key == '[' || key == ']')
        d->end = DESCENT_RUNNING; /* with another rate it may continue */
}

static void on_event(void *context, const PlotEvent *e)
{
    Session *s = context;
    if (e->kind == PLOT_KEY && player_key(&s->player, e->key))
        return;
    if (e->kind == PLOT_KEY)
        key(s, e->key);
    else if (e->kind == PLOT_CLICK && e->panel == DESCENT_PANEL_CONTOURS && isfinite(e->x) &&
             isfinite(e->y))
        descent_restart(&s->d, e->x, e->y);
    else if (e->panel == DESCENT_PANEL_CONTOURS)
        linear_view_wheel(&s->v.map, e);
    else if (e->panel == DESCENT_PANEL_SURFACE)
        plot_camera_move(&s->v.camera, e);
}

static void draw(void *context, Plot *plot)
{
    Session *s = context;
    descent_draw(&s->d, &s->v, plot, player_phase(&s->player));
}

static void report(Run *run, const Descent *d)
{
    int last = d->count - 1;
    double w, b;
    const char *to_do = d->missing ? d->missing : d->unstopped;
    parabola_minimum(&d->all, &w, &b);
    if (to_do)
        run_say(run, "to do: %s", to_do);
    run_say(run, "after %d updates at rate %g: %s", last, d->rate,
            descent_words(d, d->loss[last] > d->loss[0] ? "growing" : "still moving"));
    run_say(run, "                 w         b      loss");
    run_say(run, "descent   %8.4f  %8.4f  %8.5g", d->w[last], d->b[last], d->loss[last]);
    run_say(run, "minimum   %8.4f  %8.4f  %8.5g   (least squares)", w, b, descent_lowest(d));
    run_say(run, "true line %8.4f  %8.4f  %8.5g", d->points.true_w, d->points.true_b,
            parabola_loss(&d->all, d->points.true_w, d->points.true_b));
    run_metrics_header(run, "update,w,b,loss");
    for (int i = 0; i < d->count; i++)
        run_metrics(run, "%d,%.9g,%.9g,%.9g", i, d->w[i], d->b[i], d->loss[i]);
}

int main(int argc, char **argv)
{
    Choices c = {.run = run_options_default(),
                 .points = 100,
                 .rate = 0.1,
                 .noise = 0.5,
                 .updates = 200,
                 .speed = 12,
                 .w = -1.5,
                 .b = 3};
    Option table[MOST_OPTIONS];
    parse(&c, table, argc, argv);
    stop_on_signals();
    Run *run = run_open("lab1_gradient_descent", &c.run, table, linear_facts(c.points, c.noise),
                        true);
    Session s = {.player = {&s.d, step, back, NULL, &s.d.missing, c.updates, c.speed}};
    s.d = descent_new(c.points, c.noise, (uint64_t)c.run.seed, c.rate, c.w, c.b);
    s.v = descent_view_new();
    player_show(&s.player, run, "Lab 1 · gradient descent", "descent.png", keys, draw, on_event);
    report(run, &s.d);
    bool to_do = s.d.missing || s.d.unstopped;
    descent_view_free(&s.v);
    descent_free(&s.d);
    run_close(run);
    return to_do ? EXIT_TODO : 0;
}
