/* study.h: the frame of a part that is an experiment: all ranks work on it, and rank 0 shows what
 * it has found so far in a window.
 *
 *     typedef struct GapStudy { Study study; … } GapStudy;     the Study comes first
 *
 *     s.study = (Study){.title = …, .png = …, .work = gap_work, .draw = gap_draw, …};
 *     … lab_open(), lab_data(), lab_run() …
 *     int status = study_run(&s.study, &lab);
 *
 * Every rank calls work(); on rank 0 that is on a thread, and what `draw` shows is changed between
 * study_lock(s, true) and study_lock(s, false).
 */
#ifndef STUDY_H
#define STUDY_H
#include "background_thread.h"
#include "command.h"
#include "exercise.h"
#include "lab.h"
#include "plot.h"
#include "task_farm.h"

typedef struct Study {
    const char *title, *png; /* of the window; the figure's file */
    const char *missing;     /* an exercise that is still to do (exercise_missing()); NULL: none */
    void (*work)(void *study);
    /* In place of work(), where keys change what is measured: rank 0, locked: what to do next, in
     * todo->number from 1 on; false: nothing, until a key is pressed. Then every rank obeys. */
    bool (*next)(const void *study, Command *todo);
    void (*obey)(void *study, Command todo);
    void (*draw)(const void *study, Plot *plot); /* rank 0, locked; also with an exercise missing */
    void (*report)(const void *study);           /* rank 0: tables and metrics.csv, at the end */
    const PlotKey *keys;                         /* of a study's own; NULL: pause, save, quit */
    void (*event)(void *study, const PlotEvent *e); /* rank 0, locked; NULL: none of its own */
    const Lab *lab;                                 /* from study_run() on */
    /* inside */
    BackgroundThread *thread, *own; /* the same, for the window and for the work */
    Commands commands;
    bool paused, leave; /* leave: when there is nothing to do next */
    double redraw;
} Study;

/* Collective. Works, shows and reports. Returns the program's status: 0, or EXIT_TODO. */
int study_run(Study *s, const Lab *lab);

void study_lock(Study *s, bool on);
/* Rank 0, between pieces of work: waits while paused. False: stop. On the others: true. */
bool study_goes_on(Study *s);
/* Collective, for work that all ranks do together: as study_goes_on() on rank 0. The others sleep
 * while it is paused. */
bool study_all_go_on(Study *s);
/* task_farm_run(), paused and stopped with the window; the tasks' context is the study. */
bool study_farm(Study *s, TaskFarm tasks);
/* In the middle of the figure: what is still to do. */
void study_note_missing(const Study *s, Plot *plot, int columns);
#endif
