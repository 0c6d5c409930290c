/* 6_live_surface.c: a real network trains on its own loss surface while you turn the knobs:
 * learning rate, batch size, momentum. As the weights move on, a new plane is laid through weight
 * space; it is measured between the updates. Exercise: exercises/6_plane_coordinates.c; it also
 * uses 5_filter_normalize.c.
 */
#include "check.h"
#include "hessian.h"
#include "live_figure.h"
#include "parts/5_landscape/live.h"
#include "parts/5_landscape/show.h"
#include "study.h"
#include <stdlib.h>
#include <string.h>

typedef struct Choices {
    RunOptions run;
    const char *model, *plane;
    int images, measured, batch, updates;
    double rate, momentum, speed;
    bool show, sharpness;
} Choices;

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS_TEXT(c->run),
        {"model", ARG_STRING, &c->model,
         .help = "mlp (with hidden layers of 64 and 32), linear, resnet8 …; for text gpt-16-2-2 …"},
        {"images", ARG_INT, &c->images, .min = 1, .max = 1000000, .help = "images to train on"},
        {"measured", ARG_INT, &c->measured, .min = 1, .max = 100000,
         .help = "images used to measure a loss"},
        {"batch", ARG_INT, &c->batch, .min = 1, .max = LIVE_LARGEST_BATCH,
         .help = "initial batch size"},
        {"rate", ARG_REAL, &c->rate, .min = 1e-6, .max = 1000, .help = "initial learning rate η"},
        {"momentum", ARG_REAL, &c->momentum, .min = 0, .max = 0.999,
         .help = "initial momentum of SGD"},
        {"plane", ARG_CHOICE, &c->plane, .choices = "path|start|random",
         .help = "initial plane of the surface"},
        {"speed", ARG_REAL, &c->speed, .min = 0.1, .max = 1e6,
         .help = "updates per second in the window, at most"},
        {"sharpness", ARG_FLAG, &c->sharpness,
         .help = "measure the largest curvature too, and draw it beside 2/η"},
        {"show", ARG_FLAG, &c->show, .help = "for an audience: full screen, one idea at a time"},
        {"updates", ARG_INT, &c->updates, .min = 1, .max = 10000000,
         .help = "updates in a run without a window"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("6_live_surface", "A network trains on its own loss surface.", table, argc, argv);
    if (text_named(c->run.data)) /* one window has 64 labels */
        args_otherwise(table, "model", "gpt-16-2-2", "measured", "64", "batch", "8", "momentum",
                       "0.9", "rate", "0.02", NULL);
}

/* ---- the window ---- */

typedef struct Session {
    Study study; /* first */
    Live *live;
    LiveLook look;
} Session;

/* The next momentum up or down from m. */
static double next_momentum(double m, int direction)
{
    static const double steps[] = {0, 0.5, 0.8, 0.9, 0.95, 0.99};
    int n = sizeof steps / sizeof *steps;
    for (int i = direction > 0 ? 0 : n - 1; i >= 0 && i < n; i += direction)
        if (direction > 0 ? steps[i] > m + 1e-9 : steps[i] < m - 1e-9)
            return steps[i];
    return m;
}

/* blunt: no sharpness can be measured. */
static void key(LiveWish *w, char key, int images, bool blunt)
{
    int most = images < LIVE_LARGEST_BATCH ? images : LIVE_LARGEST_BATCH;
    switch (key) {
    case ' ': w->paused = !w->paused; break;
    case '.':
        w->steps = w->paused ? w->steps + 1 : 1;
        w->paused = true;
        break;
    case '[': w->rate /= 1.25; break;
    case ']': w->rate *= 1.25; break;
    case '-': w->batch = w->batch > 1 ? w->batch / 2 : 1; break;
    case '+':
    case '=': w->batch = 2 * w->batch < most ? 2 * w->batch : most; break;
    case 'm': w->momentum = next_momentum(w->momentum, -1); break;
    case 'M': w->momentum = next_momentum(w->momentum, 1); break;
    case 'e': w->sharpness = !w->sharpness && !blunt; break;
    case 'p': w->plane = (w->plane + 1) % PLANE_KINDS; break;
    case 'r':
        w->restart = true;
        w->paused = false;
        break;
    }
}

static void on_event(void *session, const PlotEvent *e)
{
    Session *s = session;
    if (e->kind == PLOT_KEY && e->key == 'h')
        s->look.heat = !s->look.heat;
    else if (e->kind == PLOT_KEY)
        key(&s->live->wish, e->key, s->live->setup.images, s->live->setup.blunt);
    else if (e->panel == LIVE_PANEL_SURFACE)
        plot_camera_move(&s->look.camera, e);
}

static int64_t version(const void *session) { return ((const Session *)session)->live->changes; }

static void draw(const void *session, Plot *plot)
{
    const Session *s = session;
    live_draw(s->live, plot, &s->look, s->study.missing);
}

static void finish(void *session) { ((Session *)session)->live->wish.hurry = true; }

static void work(void *session)
{
    Session *s = session;
    live_work(s->live, s->study.own);
}

static const PlotKey keys[] = {{"space", "pause; the surface is still measured"},
                               {".", "one update"},
                               {"[ ]", "learning rate"},
                               {"- +", "batch size"},
                               {"m M", "momentum down, up"},
                               {"p", "plane: path, start and now, random"},
                               {"e", "the sharpness beside 2/η, the edge of stability"},
                               {"r", "restart with the same weights"},
                               {"h", "heat map or contours"},
                               {"drag", "turn the surface"},
                               {"wheel", "zoom the surface"},
                               {NULL, NULL}};

/* ---- results ---- */

static void report_live(const Live *l, Run *run)
{
    const LiveSeen *s = &l->seen;
    run_say(run, "after %d updates at rate %.4g, batch %d, momentum %g: %s", s->update,
            l->wish.rate, l->wish.batch, l->wish.momentum,
            s->diverged ? "diverged" : "still moving");
    if (s->update > 0) {
        run_say(run, "  loss of the batch  held out  accuracy  from the start  path off the plane");
        run_say(run, "  %17.4f %9.4f %7.1f %% %15.3f %19.3f", s->loss, s->held_loss,
                100 * s->accuracy, s->moved, s->off);
    }
    if (s->side)
        run_say(run, "surface: %s, %d × %d points on %d training %s", live_planes[s->plane],
                s->side, s->side, l->setup.measured, images_unit(&l->setup.data->train));
    if (s->sharpness.count)
        run_say(run, "sharpness %.4g, updates diverge beyond %.4g",
                s->sharpness.y[s->sharpness.count - 1], s->limit.y[s->limit.count - 1]);
    if (s->plane == PLANE_PATH && s->side)
        run_say(run, "its two directions explain %.1f %% and %.1f %% of the path's variance",
                100 * s->explained[0], 100 * s->explained[1]);
    run_metrics_header(run, "update,held_out_loss");
    for (int i = 0; i < s->held.count; i++)
        run_metrics(run, "%g,%.9g", s->held.x[i], s->held.y[i]);
}

static void report(const void *session)
{
    const Session *s = session;
    report_live(s->live, s->study.lab->run);
}

static LiveWish first_wish(const Choices *c)
{
    PlaneKind plane = !strcmp(c->plane, "path")  ? PLANE_PATH
                    : !strcmp(c->plane, "start") ? PLANE_START_NOW
                                                 : PLANE_RANDOM;
    return (LiveWish){.rate = c->rate,
                      .momentum = c->momentum,
                      .speed = c->speed,
                      .sharpness = c->sharpness,
                      .batch = c->batch,
                      .plane = plane};
}

static Live *live_open(Choices *c, const Lab *lab, const char *missing, bool by_filter)
{
    const Images *train = &lab->data->train;
    int tests = lab->data->test.count;
    c->images = c->images < train->count ? c->images : train->count;
    REQUIRE(c->batch <= c->images, "--batch=%d is above the %d training images", c->batch,
            c->images);
    REQUIRE(c->measured <= train->count && c->measured <= tests,
            "--measured=%d: there are %d training and %d test images", c->measured, train->count,
            tests);
    LiveSetup setup = {.be = lab->be,
                       .data = lab->data,
                       .images = c->images,
                       .measured = c->measured,
                       .updates = c->updates,
                       .seed = (uint64_t)c->run.seed,
                       .spec = model_spec_for(c->model, lab->data),
                       .by_filter = by_filter,
                       .path = !missing};
    memcpy(setup.spec.hidden, (int[]){64, 32}, 2 * sizeof(int));
    Live *live = live_new(&setup, first_wish(c));
    char *refused = hessian_refused(live->probe);
    REQUIRE(!refused || !c->sharpness, "%s", refused);
    live->setup.blunt = refused;
    free(refused);
    return live;
}

/* In place of the study, for an audience. */
static void show_to_audience(Live *live, Run *run)
{
    Show *s = show_new(live);
    BackgroundThread *thread = background_start(live_work, live);
    show_begin(s, thread);
    live_figure_show(run, &(LiveFigure){.title = "Lab 1 · the show",
                                        .png = "show.png",
                                        .keys = show_keys,
                                        .full_screen = true,
                                        .enlarged = 2,
                                        .context = s,
                                        .draw = show_draw,
                                        .event = show_event,
                                        .advance = show_advance,
                                        .filmed = show_filmed,
                                        .finish = show_finish});
    background_stop(thread);
    show_free(s);
    report_live(live, run);
}

static Choices defaults(void)
{
    return (Choices){.run = run_options_default(),
                     .model = "mlp",
                     .plane = "path",
                     .images = 8192,
                     .measured = 512,
                     .batch = 32,
                     .updates = 600,
                     .rate = 0.1,
                     .speed = 30};
}

int main(int argc, char **argv)
{
    Choices c = defaults();
    Option table[MOST_OPTIONS];
    parse(&c, table, argc, argv);
    Session s = {.study = {.title = "Lab 1 · live training on the surface",
                           .png = "live.png",
                           .missing = exercise_missing(NULL),
                           .unfinished = STUDY_ANYWAY,
                           .work = work,
                           .draw = draw,
                           .report = report,
                           .keys = keys,
                           .space = SPACE_FREE,
                           .event = on_event,
                           .version = version,
                           .finish = finish},
                 .look.camera = {-50, 35, .zoom = 1}};
    const char *missing = s.study.missing;
    stop_on_signals();
    Comm *all = comm_open(c.run.comm), *alone = comm_split(all, all->rank, 0);
    if (all->rank == 0) { /* one network is too small to split over ranks */
        Lab lab = lab_open(alone, &c.run);
        lab_data(&lab, &c.run, NULL);
        s.live = live_open(&c, &lab, missing, !exercise_missing("5_filter_normalize"));
        lab_run(&lab, "lab1_live_surface", &c.run, table);
        if (c.show && !missing)
            show_to_audience(s.live, lab.run);
        else
            study_run(&s.study, &lab);
        live_free(s.live);
        lab_close(&lab);
    } else
        comm_close(alone);
    comm_close(all);
    return missing ? EXIT_TODO : 0;
}
