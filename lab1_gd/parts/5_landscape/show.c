/* show.c: its ideas, its keys and its figure: see show.h. */
#include "show.h"
#include "background_thread.h"
#include "check.h"
#include "memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FINE = 73 }; /* points along a side of the surface that is drawn */

typedef enum { FROM_START, FROM_ELSEWHERE, WITH_ITS_PATH } Begin;

/* An idea: its sentence, how long it stays, and what the networks do meanwhile. hold: on the plane
 * of a long enough path: without one it first trains, as fast as it can. WITH_ITS_PATH: that path
 * is shown, too. */
typedef struct Idea {
    const char *says; /* with %W the number of weights, %E the path's variance in the plane */
    double seconds;
    PlaneKind plane;
    bool paused, hold;
    Begin begin;
    double rate, momentum;
    int batch;
    double other_rate, other_momentum; /* other_rate 0: there is no second network */
    int other_batch;
} Idea;

static const Idea ideas[] = {{"%W weights are one point. Its height is the loss.", 10, PLANE_RANDOM,
                              true, false, FROM_START, 0.1, 0, 32, 0, 0, 0},
                             {"Training moves it downhill, 32 images at a time.", 22, PLANE_PATH,
                              false, false, FROM_START, 0.1, 0, 32, 0, 0, 0},
                             {"Of %W directions, these two hold %E % of its path.", 10, PLANE_PATH,
                              true, true, WITH_ITS_PATH, 0.1, 0, 32, 0, 0, 0},
                             {"Another start, another way down. Click to choose.", 18, PLANE_PATH,
                              false, true, FROM_ELSEWHERE, 0.1, 0, 32, 0, 0, 0},
                             {"A larger learning rate is faster, up to a point.", 18, PLANE_PATH,
                              false, true, FROM_START, 0.02, 0, 32, 0.2, 0, 32},
                             {"Same effective rate: momentum averages the zigzag.", 18, PLANE_PATH,
                              false, true, FROM_START, 0.5, 0, 128, 0.05, 0.9, 128},
                             {"Fewer images per update: a noisier path.", 18, PLANE_PATH, false,
                              true, FROM_ELSEWHERE, 0.1, 0, 1024, 0.1, 0, 4},
                             {"Too large a step jumps out of the valley.", 14, PLANE_PATH, false,
                              true, FROM_START, 0.1, 0, 32, 3, 0, 32}};
/* on the valley's wall, as fractions of the plane's sides */
static const struct {
    double a, b;
} ELSEWHERE = {0.35, 0.94};
enum { IDEAS = sizeof ideas / sizeof *ideas, TRAINS = 1 };
static const PlotCamera AHEAD = {-20, 30, 1.15, 2};
static const double SECTOR = 14, PERIOD = 24; /* degrees to each side; seconds */
static const double REACH = 2.5;              /* of the first idea's plane */
static const int LONG_ENOUGH = 400;           /* updates */
static const double AS_FAST_AS_IT_CAN = 1e6;  /* updates per second */

struct Show {
    Live *live;
    BackgroundThread *thread;
    int idea;
    double since;            /* seconds that this idea has been shown */
    double speed;            /* updates per second */
    bool prepares, prepared; /* trains for the path's plane that this idea needs; it is there */
    bool still, by_hand, filmed;
    PlotCamera camera;
    double swing;             /* of the camera: seconds since it looked straight ahead */
    LiveSeen seen;            /* as of the last draw */
    double z[FINE * FINE];    /* the surface that is drawn: log of the loss, on its way to … */
    double to_z[FINE * FINE]; /* … this */
    double low, high;         /* the losses between which it is drawn */
    bool known;
};

const PlotKey show_keys[] = {{"click", "put the network there: it trains on from there"},
                             {"1 … 8", "this idea"},
                             {". ,", "the next idea, the one before"},
                             {"a", "advance by itself, or wait for keys"},
                             {"t", "turn the surface, or hold it still"},
                             {"space", "pause the training"},
                             {"r", "this idea from its start"},
                             {"[ ]", "learning rate"},
                             {"- +", "batch size"},
                             {"m M", "momentum down, up"},
                             {"drag", "turn the surface"},
                             {"wheel", "zoom"},
                             {"v", "film: begin, end"},
                             {"F11", "full screen, or a window"},
                             {NULL, NULL}};

Show *show_new(Live *live)
{
    Show *s = alloc(1, sizeof *s);
    s->live = live;
    s->speed = live->wish.speed;
    s->camera = AHEAD;
    return s;
}

void show_free(Show *s) { free(s); }

/* ---- ideas ---- */

/* Does the plane that is shown lie along a path that is long enough, up to its end? */
static bool is_developed(const LiveSeen *seen)
{
    double a = seen->path_points ? seen->a[seen->path_points - 1] : INFINITY,
           b = seen->path_points ? seen->b[seen->path_points - 1] : INFINITY;
    return seen->plane == PLANE_PATH && seen->side > LIVE_SIDE / 2 && seen->update >= LONG_ENOUGH &&
           fabs(a) < 0.1 * (seen->a_high - seen->a_low) &&
           fabs(b) < 0.2 * (seen->b_high - seen->b_low);
}

/* Trains until the plane is as an idea needs it, which then begins. go_on: from where it is. */
static void prepare(LiveWish *w, bool go_on)
{
    w->plane = PLANE_PATH;
    w->rate = ideas[TRAINS].rate;
    w->momentum = ideas[TRAINS].momentum;
    w->batch = ideas[TRAINS].batch;
    w->duel = w->hold = w->paused = w->place = false;
    w->restart = !go_on;
    w->speed = AS_FAST_AS_IT_CAN;
}

static void start(const Show *s, const Idea *i, LiveWish *w, const LiveSeen *seen)
{
    w->plane = i->plane;
    w->reach = REACH;
    w->paused = i->paused;
    w->hold = i->hold;
    w->rate = i->rate;
    w->momentum = i->momentum;
    w->batch = i->batch;
    w->duel = i->other_rate > 0;
    w->other.rate = i->other_rate;
    w->other.momentum = i->other_momentum;
    w->other.batch = i->other_batch;
    /* at the start it may be already, with its surface */
    w->restart = i->begin == FROM_START && (i->hold || seen->update > 0 || w->restart);
    w->place = i->begin == FROM_ELSEWHERE;
    w->a = seen->a_low + ELSEWHERE.a * (seen->a_high - seen->a_low);
    w->b = seen->b_low + ELSEWHERE.b * (seen->b_high - seen->b_low);
    w->speed = s->speed;
}

static void begin_idea(Show *s, int which)
{
    const Idea *i = &ideas[which];
    background_lock(s->thread);
    LiveWish *w = &s->live->wish;
    const LiveSeen *seen = &s->live->seen;
    bool trains = s->idea == TRAINS && !w->restart && !seen->diverged,
         trained = trains && is_developed(seen);
    s->prepared = i->hold && (s->prepared || trained) && !s->prepares;
    s->prepares = i->hold && (i->begin == WITH_ITS_PATH ? !trained : !s->prepared);
    s->idea = which;
    s->since = 0;
    if (s->prepares)
        prepare(w, trains);
    else
        start(s, i, w, seen);
    background_unlock(s->thread);
}

/* Once it has trained for long enough it pauses; once the plane is measured the idea begins. */
static void go_on_preparing(Show *s)
{
    background_lock(s->thread);
    LiveWish *w = &s->live->wish;
    const LiveSeen *seen = &s->live->seen;
    w->paused = w->paused || (!w->restart && seen->update >= LONG_ENOUGH);
    s->prepared = !w->restart && is_developed(seen);
    s->prepares = !s->prepared;
    if (s->prepared)
        start(s, &ideas[s->idea], w, seen);
    background_unlock(s->thread);
}

void show_begin(Show *s, BackgroundThread *thread)
{
    s->thread = thread;
    begin_idea(s, 0);
}

void show_advance(void *show, double seconds)
{
    Show *s = show;
    if (!s->still) { /* within a sector, in which the path stays in view */
        s->swing += seconds;
        s->camera.azimuth = AHEAD.azimuth + SECTOR * sin(2 * M_PI * s->swing / PERIOD);
    }
    for (int k = 0; k < FINE * FINE && s->known; k++) /* a new surface grows out of the old one */
        s->z[k] += (s->to_z[k] - s->z[k]) * (1 - exp(-5 * seconds));
    if (s->prepares)
        go_on_preparing(s);
    s->since += s->known && !s->prepares ? seconds : 0;
    if (!s->by_hand && s->since > ideas[s->idea].seconds)
        begin_idea(s, (s->idea + 1) % IDEAS);
}

bool show_filmed(void *show) { return ((Show *)show)->filmed; }

void show_finish(void *show)
{
    Show *s = show;
    begin_idea(s, 1);
    background_lock(s->thread);
    s->live->wish.hurry = true;
    background_unlock(s->thread);
    background_wait(s->thread);
}

/* ---- keys and the mouse ---- */

static void place(Show *s, double a, double b)
{
    if (isnan(a + b))
        return;
    s->by_hand = true;
    background_lock(s->thread);
    LiveWish *w = &s->live->wish;
    w->a = a;
    w->b = b;
    w->place = w->hold = true;
    w->paused = false;
    background_unlock(s->thread);
}

static void train_key(LiveWish *w, char key)
{
    switch (key) {
    case ' ': w->paused = !w->paused; break;
    case '[': w->rate /= 1.25; break;
    case ']': w->rate *= 1.25; break;
    case '-': w->batch = w->batch > 1 ? w->batch / 2 : 1; break;
    case '+':
    case '=': w->batch = 2 * w->batch < LIVE_LARGEST_BATCH ? 2 * w->batch : w->batch; break;
    case 'm': w->momentum = fmax(0, w->momentum - 0.1); break;
    case 'M': w->momentum = fmin(0.9, w->momentum + 0.1); break;
    }
}

static void key(Show *s, char key)
{
    bool number = key >= '1' && key < '1' + IDEAS;
    s->by_hand = s->by_hand || number || (key && strchr(".,r []-+=mM", key));
    if (number)
        begin_idea(s, key - '1');
    switch (key) {
    case '.': begin_idea(s, (s->idea + 1) % IDEAS); break;
    case ',': begin_idea(s, (s->idea + IDEAS - 1) % IDEAS); break;
    case 'r': begin_idea(s, s->idea); break;
    case 'a': s->by_hand = !s->by_hand; break;
    case 't': s->still = !s->still; break;
    case 'v': s->filmed = !s->filmed; break;
    default:
        background_lock(s->thread);
        train_key(&s->live->wish, key);
        background_unlock(s->thread);
    }
}

void show_event(void *show, const PlotEvent *e)
{
    Show *s = show;
    if (e->kind == PLOT_KEY)
        key(s, e->key);
    else if (e->kind == PLOT_CLICK)
        place(s, e->x, e->y);
    else if (plot_camera_move(&s->camera, e) && e->kind == PLOT_DRAG)
        s->still = true;
}

/* ---- the figure ---- */

/* The curve through b and c, t of the way between them (Catmull and Rom). */
static double between(double a, double b, double c, double d, double t)
{
    return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

/* n points z, `step` apart, at a fraction of the way from the first to the last. */
static double smooth(const double *z, int n, int step, double at)
{
    double x = at * (n - 1);
    int i = (int)fmin(x, n - 2), before = i > 0 ? i - 1 : 0, after = i + 2 < n ? i + 2 : n - 1;
    return between(z[before * step], z[i * step], z[(i + 1) * step], z[after * step], x - i);
}

/* The surface that was measured, as a smooth one of FINE × FINE points. */
static void refine(Show *s)
{
    const LiveSeen *seen = &s->seen;
    int n = seen->side;
    double measured[LIVE_SIDE * LIVE_SIDE], rows[LIVE_SIDE * FINE], low = INFINITY,
                                                                    high = -INFINITY;
    for (int k = 0; k < n * n; k++) {
        measured[k] = log(seen->z[k] < 1e6 ? fmax(seen->z[k], 1e-6) : 1e6);
        low = fmin(low, measured[k]);
        high = fmax(high, measured[k]);
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < FINE; i++)
            rows[j * FINE + i] = smooth(measured + j * n, n, 1, i / (FINE - 1.0));
    for (int j = 0; j < FINE; j++)
        for (int i = 0; i < FINE; i++)
            s->to_z[j * FINE + i] = smooth(rows + i, n, FINE, j / (FINE - 1.0));
    s->low = exp(low);
    s->high = fmax(fmin(1.1 * exp(high), 3 * seen->start_loss), 2 * s->low);
    for (int k = 0; k < FINE * FINE && !s->known; k++)
        s->z[k] = s->to_z[k];
    s->known = true;
}

static char *sentence(const Show *s)
{
    const char *says = s->prepares ? "First some training, to prepare the next surface …"
                                   : ideas[s->idea].says;
    char text[256], *at = text, *end = text + sizeof text - 16;
    for (; *says && at < end; says++) {
        if (says[0] == '%' && says[1] == 'W') {
            int n = s->live->run.m->params.n;
            at += snprintf(at, 16, n > 999 ? "%d,%03d" : "%d", n > 999 ? n / 1000 : n, n % 1000);
            says++;
        } else if (says[0] == '%' && says[1] == 'E') {
            at += snprintf(at, 16, "%.0f", 100 * (s->seen.explained[0] + s->seen.explained[1]));
            says++;
        } else
            *at++ = *says;
    }
    *at = 0;
    return format_new("%s", text);
}

static bool is_on(const LiveSeen *s, double a, double b)
{
    return a >= s->a_low && a <= s->a_high && b >= s->b_low && b <= s->b_high;
}

/* How much of the way from `at`, between low and high, by `step` lies between them? */
static double inside(double at, double step, double low, double high)
{
    double most = step > 0 ? (high - at) / step : step < 0 ? (low - at) / step : 1;
    return fmax(0, fmin(1, most));
}

enum { ORANGE = 1, BLUE = 5 };
static const uint32_t INK[] = {0x8a3c00, 0x0b4f80}; /* dark: of words in that colour */

/* A path, its ball and its words. One that has left the surface ends at the edge, where it flew
 * over. */
static void draw_path(const LiveSeen *s, int n, const double *a, const double *b, const char *label,
                      int color, PlotPanel *panel)
{
    double x[LIVE_STEPS + 1], y[LIVE_STEPS + 1];
    int on = n;
    while (on > 0 && !is_on(s, a[on - 1], b[on - 1]))
        on--;
    if (on == 0)
        return;
    for (int i = 0; i < on; i++)
        x[i] = a[i], y[i] = b[i];
    if (on < n) {
        double da = a[on] - a[on - 1], db = b[on] - b[on - 1];
        double t = fmin(inside(a[on - 1], da, s->a_low, s->a_high),
                        inside(b[on - 1], db, s->b_low, s->b_high));
        x[on] = a[on - 1] + t * da;
        y[on] = b[on - 1] + t * db;
    }
    on += on < n;
    plot_line(panel, on, x, y,
              (PlotStyle){.color = plot_series(color), .width = 5, .tube = true, .head = true});
    if (label) /* ahead of the path */
        plot_text(panel, x[on - 1], y[on - 1], label,
                  (PlotStyle){.size = 14, .color = INK[color == BLUE], .head = x[on - 1] < x[0]});
}

/* The settings in which a network differs from its rival, η / (1 − momentum) in place of η; without
 * one, all of them. */
static char *settings(double rate, double momentum, int batch, const LiveWish *w)
{
    double effective = w->rate / (1 - w->momentum),
           of_other = w->other.rate / (1 - w->other.momentum);
    bool rates = !w->duel || fabs(effective / of_other - 1) > 1e-6,
         momenta = w->momentum != w->other.momentum,
         batches = !w->duel || w->batch != w->other.batch;
    char text[96];
    int at = 0;
    if (rates)
        at += snprintf(text + at, sizeof text - at, "η = %.3g", rate);
    if (momentum > 0 || (w->duel && momenta))
        at += snprintf(text + at, sizeof text - at, "%smomentum %.2g", at ? " · " : "", momentum);
    if (batches)
        at += snprintf(text + at, sizeof text - at, "%s%d image%s", at ? " · " : "", batch,
                       batch > 1 ? "s" : "");
    return format_new("%.*s", at, text);
}

static void draw_networks(const Show *s, const LiveWish *w, PlotPanel *panel)
{
    const LiveSeen *seen = &s->seen;
    char *own = settings(w->rate, w->momentum, w->batch, w),
         *other = settings(w->other.rate, w->other.momentum, w->other.batch, w);
    if (w->duel)
        draw_path(seen, seen->other_points, seen->other_a, seen->other_b, other, BLUE, panel);
    draw_path(seen, seen->path_points, seen->a, seen->b, seen->update ? own : NULL, ORANGE, panel);
    free(own);
    free(other);
}

static void draw_surface(Show *s, const LiveWish *w, Plot *plot)
{
    const LiveSeen *seen = &s->seen;
    double z[FINE * FINE];
    for (int k = 0; k < FINE * FINE; k++)
        z[k] = exp(s->z[k]);
    PlotGrid grid = {FINE, FINE, seen->a_low, seen->a_high, seen->b_low, seen->b_high, z};
    bool path = seen->plane == PLANE_PATH;
    PlotPanel *panel = plot_panel(
        plot, (PlotAxes){.x = {.label = path ? "the path's first direction" : "a random direction",
                               .low = seen->a_low,
                               .high = seen->a_high},
                         .y = {.label = path ? "second direction" : "another direction",
                               .low = seen->b_low,
                               .high = seen->b_high},
                         /* the surface floats above the floor, which shows its contours */
                         .z = {.label = "loss",
                               .log = 10,
                               .low = s->low * pow(s->low / s->high, 0.5),
                               .high = s->high},
                         .no_legend = true,
                         .shadows = true});
    plot_surface(panel, grid, s->camera);
    plot_contours(panel, grid, (PlotStyle){.width = 1.5});
    draw_networks(s, w, panel);
}

void show_draw(void *show, Plot *plot)
{
    Show *s = show;
    background_lock(s->thread);
    int side = s->seen.side;
    double a = s->seen.a_low, b = s->seen.b_low, first = s->seen.z[0];
    s->seen = s->live->seen;
    LiveWish w = s->live->wish;
    background_unlock(s->thread);
    const LiveSeen *seen = &s->seen;
    if (seen->side &&
        (side != seen->side || a != seen->a_low || b != seen->b_low || first != seen->z[0]))
        refine(s);
    char *says = sentence(s);
    plot_begin(plot, 1, 1, "%s", says);
    free(says);
    if (s->known && seen->side)
        draw_surface(s, &w, plot);
    else
        plot_note(plot_panel(plot, (PlotAxes){.x.label = "", .y.label = ""}),
                  "measuring the surface …");
    char *loss = !seen->update ? format_new("%s", "")
               : w.duel
                   ? format_new(" · loss: orange %.3f, blue %.3f", seen->loss, seen->other_loss)
                   : format_new(" · loss %.3f · %.0f %% of unseen images right", seen->loss,
                                100 * seen->accuracy);
    plot_footer(plot, "%d of %d · update %d%s%s%s", s->idea + 1, IDEAS, seen->update, loss,
                seen->diverged ? " · DIVERGED" : "", w.paused ? " · paused" : "");
    free(loss);
}
