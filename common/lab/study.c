/* study.c: see study.h. */
#include "study.h"
#include "check.h"
#include "live_figure.h"
#include "timer.h"
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void study_lock(Study *s, bool on)
{
    if (on)
        background_lock(s->own);
    else
        background_unlock(s->own);
}

void study_pause(Study *s, bool on)
{
    s->paused = on;
    background_pause(s->thread, on);
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

bool study_begin(const Study *s, Plot *plot, int rows, int columns, const char *title, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, title);
    vsnprintf(text, sizeof text, title, arguments);
    va_end(arguments);
    plot_begin(plot, s->missing ? 1 : rows, columns, "%s", text);
    if (s->missing)
        plot_note(plot_panel(plot, (PlotAxes){.columns = columns,
                                              .x = {.low = 0, .high = 1},
                                              .y = {.low = 0, .high = 1}}),
                  s->missing);
    return !s->missing;
}

/* ---- the window ---- */

static const PlotKey keys[] = {{"space", "pause, resume"}, {NULL, NULL}};

static void draw(void *context, Plot *plot)
{
    Study *s = context;
    background_lock(s->thread);
    s->draw(s, plot);
    background_unlock(s->thread);
}

static bool changed(void *context)
{
    Study *s = context;
    int64_t now = (int64_t)(2 * timer_real());
    if (s->version) {
        background_lock(s->thread);
        now = s->version(s);
        background_unlock(s->thread);
    }
    bool due = s->advance || now != s->drawn;
    s->drawn = now;
    return due;
}

static void pause_key(Study *s, char key)
{
    if (!s->thread || s->space == SPACE_FREE)
        return;
    if (key == ' ')
        study_pause(s, !s->paused);
    if (key != '.' || s->space != SPACE_STEPS)
        return;
    s->paused = true;
    background_step(s->thread);
}

static void on_event(void *context, const PlotEvent *e)
{
    Study *s = context;
    if (e->kind == PLOT_KEY)
        pause_key(s, e->key);
    if (!s->event)
        return;
    background_lock(s->thread);
    s->event(s, e);
    background_unlock(s->thread);
    s->drawn = -1;
}

static void advance(void *context, double seconds)
{
    Study *s = context;
    background_lock(s->thread);
    s->advance(s, seconds);
    background_unlock(s->thread);
}

static void finish(void *context)
{
    Study *s = context;
    background_lock(s->thread);
    s->leave = true;
    if (s->finish)
        s->finish(s);
    background_unlock(s->thread);
    if (s->thread && !(s->missing && s->unfinished == STUDY_WHILE_SEEN))
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
    s->cut = stop_requested();
    if (s->next)
        direct(s);
}

static bool works(const Study *s) { return (s->work || s->next) && (!s->missing || s->unfinished); }

/* Rank 0: the work on a thread, the figure here. */
static void lead(Study *s)
{
    Run *run = s->lab->run;
    s->drawn = -1;
    s->thread = works(s) ? background_start(work, s) : NULL;
    live_figure_show(run, &(LiveFigure){.title = s->title,
                                        .png = s->png,
                                        .context = s,
                                        .keys = s->keys ? s->keys : keys,
                                        .draw = draw,
                                        .changed = changed,
                                        .event = on_event,
                                        .advance = s->advance ? advance : NULL,
                                        .finish = finish});
    background_stop(s->thread);
    s->thread = NULL;
    if (s->missing)
        run_say(run, "to do: %s", s->missing);
    if (s->cut)
        run_say(run, "stopped by a signal before all was measured");
    if (!s->missing || s->unfinished)
        s->report(s);
}

int study_run(Study *s, const Lab *lab)
{
    s->lab = lab;
    s->commands = commands_new(lab->comm, lab->be);
    if (lab->comm->rank == 0)
        lead(s);
    else if (works(s)) {
        if (s->work)
            s->work(s);
        if (s->next)
            follow(s);
    }
    commands_broadcast(&s->commands, (Command){0}); /* the others sleep until the window closes */
    commands_free(&s->commands, lab->be);
    return s->missing ? EXIT_TODO : 0;
}

/* Of these images, those that there are; NULL: all. */
static void cut(int *images, int most)
{
    if (images && *images > most)
        *images = most;
}

int study_main(Study *s, const RunOptions *run, const Option *options, int *images, int *test)
{
    stop_on_signals();
    Lab *lab = alloc(1, sizeof *lab);
    *lab = lab_open(comm_open(run->comm), run);
    lab_data_first(lab, run, images ? *images : 0, test ? *test : 0);
    cut(images, lab->data->train.count);
    cut(test, lab->data->test.count);
    s->lab = lab;
    s->open(s, lab, (uint64_t)run->seed);
    lab_run(lab, s->program, run, options);
    int status = study_run(s, lab);
    if (s->close)
        s->close(s);
    lab_close(lab);
    free(lab);
    return status;
}
