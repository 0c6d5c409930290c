/* study.c: see study.h. */
#include "study.h"
#include "check.h"
#include "live_figure.h"
#include "timer.h"
#include <unistd.h>

void study_lock(Study *s, bool on)
{
    if (on)
        background_lock(s->own);
    else
        background_unlock(s->own);
}

bool study_goes_on(Study *s) { return !stop_requested() && background_goes_on(s->own); }

/* The first number of a command. */
enum { STOP };

bool study_all_go_on(Study *s)
{
    Command command = {.number[STOP] = s->lab->comm->rank == 0 && !study_goes_on(s)};
    return !commands_broadcast(&s->commands, command).number[STOP];
}

static bool goes_on(void *context) { return study_goes_on(context); }

bool study_farm(Study *s, TaskFarm tasks)
{
    tasks.context = s;
    tasks.goes_on = goes_on;
    return task_farm_run(s->lab->comm, s->lab->be, &tasks);
}

void study_note_missing(const Study *s, Plot *plot, int columns)
{
    plot_note(plot_panel(plot, (PlotAxes){.columns = columns,
                                          .x = {.low = 0, .high = 1},
                                          .y = {.low = 0, .high = 1}}),
              s->missing);
}

/* ---- the window ---- */

static const PlotKey keys[] = {{"space", "pause, resume"},
                               {"s", "save the figure"},
                               {"F11", "full screen"},
                               {"q", "quit"},
                               {NULL, NULL}};

static void draw(void *context, Plot *plot)
{
    Study *s = context;
    background_lock(s->thread);
    s->draw(s, plot);
    background_unlock(s->thread);
}

/* It changes when a piece of work ends: drawn twice a second. */
static bool changed(void *context)
{
    Study *s = context;
    bool due = timer_real() >= s->redraw;
    if (due)
        s->redraw = timer_real() + 0.5;
    return due;
}

static void on_event(void *context, const PlotEvent *e)
{
    Study *s = context;
    if (e->kind == PLOT_KEY && e->key == ' ' && s->thread)
        background_pause(s->thread, s->paused = !s->paused);
    if (!s->event)
        return;
    background_lock(s->thread);
    s->event(s, e);
    background_unlock(s->thread);
    s->redraw = 0;
}

static void finish(void *context)
{
    Study *s = context;
    background_lock(s->thread);
    s->leave = true;
    background_unlock(s->thread);
    if (s->thread)
        background_wait(s->thread);
}

/* Rank 0 says what is next. */
static void direct(Study *s)
{
    for (bool leave = false; !leave && study_goes_on(s);) {
        Command todo = {0};
        study_lock(s, true);
        bool more = s->next(s, &todo);
        leave = !more && s->leave;
        study_lock(s, false);
        if (more)
            s->obey(s, commands_broadcast(&s->commands, todo));
        else
            usleep(10000);
    }
    commands_broadcast(&s->commands, (Command){.number[STOP] = true});
}

static void follow(Study *s)
{
    Command todo;
    while (todo = commands_broadcast(&s->commands, (Command){0}), !todo.number[STOP])
        s->obey(s, todo);
}

static void work(void *context, BackgroundThread *b)
{
    Study *s = context;
    s->own = b;
    if (s->work)
        s->work(s);
    else
        direct(s);
}

/* Rank 0: the work on a thread, the figure here. */
static void lead(Study *s)
{
    Run *run = s->lab->run;
    s->thread = s->missing ? NULL : background_start(work, s);
    live_figure_show(run, &(LiveFigure){.title = s->title,
                                        .png = s->png,
                                        .context = s,
                                        .keys = s->keys ? s->keys : keys,
                                        .draw = draw,
                                        .changed = changed,
                                        .event = on_event,
                                        .finish = finish});
    background_stop(s->thread);
    s->thread = NULL;
    if (s->missing)
        run_say(run, "to do: %s", s->missing);
    else
        s->report(s);
}

int study_run(Study *s, const Lab *lab)
{
    s->lab = lab;
    s->commands = commands_new(lab->comm, lab->be);
    if (lab->comm->rank == 0)
        lead(s);
    else if (!s->missing && s->work)
        s->work(s);
    else if (!s->missing)
        follow(s);
    commands_free(&s->commands, lab->be);
    return s->missing ? EXIT_TODO : 0;
}
