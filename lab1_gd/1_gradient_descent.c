/* 1_gradient_descent.c: full-batch gradient descent on a linear model, where everything can be seen: data and line, the
 * loss by update, the loss as a surface over (w, b), and the path that descent takes on it. Exercises: gradient.c,
 * update.c, converged.c (lab1.h).
 */
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "descent.h"
#include "run.h"
#include "timer.h"

typedef struct Choices {
    RunOptions run;
    int points, batch, updates;
    double rate, noise, speed, w, b;
} Choices;

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    const Option options[] = {
        {"points", ARG_INT, &c->points, .min = 2, .max = 100000, .help = "points to fit"},
        {"batch", ARG_INT, &c->batch, .min = 0, .max = 100000, .help = "points per update (0: all of them)"},
        {"rate", ARG_REAL, &c->rate, .min = 0, .max = 100, .help = "learning rate η"},
        {"noise", ARG_REAL, &c->noise, .min = 0, .max = 100, .help = "standard deviation of the noise in y"},
        {"start-w", ARG_REAL, &c->w, .min = -100, .max = 100, .help = "where the descent starts"},
        {"start-b", ARG_REAL, &c->b, .min = -100, .max = 100, .help = "where the descent starts"},
        {"updates", ARG_INT, &c->updates, .min = 1, .max = DESCENT_MAX, .help = "updates without a window"},
        {"speed", ARG_REAL, &c->speed, .min = 0.1, .max = 1000, .help = "updates per second in the window"},
        {"seed", ARG_LONG, &c->run.seed, .min = 0, .max = 9e15, .help = "seed of the points"},
        {"out", ARG_STRING, &c->run.out, .help = "folder for results"},
        {0}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        table[i] = options[i];
    args_parse("1_gradient_descent", "Gradient descent on a linear model.", table, argc, argv);
    c->batch = c->batch == 0 || c->batch > c->points ? c->points : c->batch;
}

/* What the keys and the mouse change. */
typedef struct Control {
    bool paused;
    double due; /* updates that the clock has asked for and that are not made yet */
} Control;

static void key(Descent *d, Control *c, char key)
{
    switch (key) {
    case ' ': c->paused = !c->paused; break;
    case '.': c->paused = true; descent_step(d); break;
    case ',': c->paused = true; descent_back(d); break;
    case '[': d->rate /= 1.1; break;
    case ']': d->rate *= 1.1; break;
    case '-': d->batch = d->batch > 1 ? d->batch / 2 : 1; break;
    case '+': case '=': d->batch = 2 * d->batch < d->points.n ? 2 * d->batch : d->points.n; break;
    case 'r': descent_restart(d, d->start_w, d->start_b); c->paused = false; break;
    }
    if (key == '[' || key == ']' || key == '-' || key == '+' || key == '=')
        d->end = DESCENT_GOES_ON; /* with another rate or batch it may move again */
}

/* False when the window is to close. */
static bool act_on(Descent *d, DescentView *v, Control *c, const PlotEvent *e)
{
    if (e->kind == PLOT_QUIT)
        return false;
    if (e->kind == PLOT_KEY)
        key(d, c, e->key);
    else if (e->kind == PLOT_CLICK && e->panel == DESCENT_PANEL_CONTOURS && isfinite(e->x) && isfinite(e->y))
        descent_restart(d, e->x, e->y);
    else if (e->panel == DESCENT_PANEL_SURFACE)
        plot_camera_move(&v->camera, e);
    return true;
}

static void in_window(PlotWindow *window, Descent *d, DescentView *v, Plot *plot, double speed)
{
    Control c = {0};
    double before = timer_now();
    for (bool open = true; open && !stop_requested();) {
        for (PlotEvent e; open && plot_window_event(window, &e);)
            open = act_on(d, v, &c, &e);
        double now = timer_now();
        c.due += c.paused ? 0 : fmin(now - before, 0.1) * speed;
        before = now;
        for (; c.due >= 1; c.due--)
            descent_step(d);
        descent_draw(d, v, plot, d->missing ? "to do" : c.paused ? "paused" : "running");
        plot_window_show(window);
    }
}

/* The answer in words, for a terminal and for a self-check's eyes. */
static void report(Run *run, const Descent *d)
{
    static const char *ends[] = {"still moving", "converged", "diverged", "out of updates"};
    int last = d->count - 1;
    double w, b, low, high;
    parabola_minimum(&d->all, &w, &b);
    parabola_curvature(&d->all, &low, &high);
    if (d->missing)
        run_say(run, "to do: %s", d->missing);
    run_say(run, "after %d updates at rate %g (stable below %.4f), batch %d: %s", last, d->rate, 2 / high, d->batch, ends[d->end]);
    run_say(run, "                 w         b      loss");
    run_say(run, "descent   %8.4f  %8.4f  %8.5g", d->w[last], d->b[last], d->loss[last]);
    run_say(run, "lowest    %8.4f  %8.4f  %8.5g   (least squares)", w, b, parabola_loss(&d->all, w, b));
    run_say(run, "made from %8.4f  %8.4f  %8.5g", d->points.true_w, d->points.true_b,
            parabola_loss(&d->all, d->points.true_w, d->points.true_b));
    run_metrics_header(run, "update,w,b,loss");
    for (int i = 0; i < d->count; i++)
        run_metrics(run, "%d,%.9g,%.9g,%.9g", i, d->w[i], d->b[i], d->loss[i]);
}

int main(int argc, char **argv)
{
    Choices c = {.run = run_options_default(), .points = 100, .rate = 0.1, .noise = 0.5, .updates = 200, .speed = 12,
                 .w = -1.5, .b = 3};
    Option table[16];
    parse(&c, table, argc, argv);
    stop_on_signals();
    Run *run = run_open("lab1_gradient_descent", &c.run, table, NULL, true);
    Descent d = descent_new(points_new(c.points, 1.5, 0.5, c.noise, (uint64_t)c.run.seed), c.batch, c.rate, c.w, c.b);
    DescentView v = descent_view_new(&d);
    Plot *plot = plot_new(1280, 720);
    char *picture = run_path(run, "descent.png"), *saves = run_path(run, "window");
    PlotWindow *window = plot_window_new(plot, "Lab 1 · gradient descent", saves, plot_keys);
    if (window)
        in_window(window, &d, &v, plot, c.speed);
    else
        for (int i = 0; i < c.updates; i++)
            descent_step(&d);
    PlotTimes times = window ? plot_window_times(window) : (PlotTimes){0};
    plot_window_free(window);
    descent_draw(&d, &v, plot, "end");
    if (plot_save(plot, picture))
        run_say(run, "picture: %s", picture);
    report(run, &d);
    if (times.frames)
        run_say(run, "first frame after %.2f s; %d frames, p50 %.1f ms, p99 %.1f ms from one to the next", times.first, times.frames,
                1000 * times.frame_p50, 1000 * times.frame_p99);
    bool to_do = d.missing != NULL;
    plot_free(plot);
    descent_view_free(&v);
    descent_free(&d);
    free(picture);
    free(saves);
    run_close(run);
    return to_do ? EXIT_TODO : 0;
}
