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
 * study_lock(s, true) and study_lock(s, false). With neither `work` nor `next` only keys change the
 * figure.
 */
#ifndef STUDY_H
#define STUDY_H
#include "background_thread.h"
#include "command.h"
#include "exercise.h"
#include "lab.h"
#include "plot.h"
#include "task_farm.h"

/* What happens with an exercise missing. */
typedef enum {
    STUDY_IDLE,       /* nothing is computed or reported */
    STUDY_WHILE_SEEN, /* it works and reports, but only while there is a window */
    STUDY_ANYWAY      /* as if it were not missing */
} StudyUnfinished;

typedef enum {
    SPACE_PAUSES, /* space holds the work, */
    SPACE_STEPS,  /* and `.` lets one piece of it through */
    SPACE_FREE    /* both go to event() alone */
} StudySpace;

typedef struct Study {
    /* For study_main(): the name of the run's folder; open checks the choices and makes what work()
     * needs, close frees it; NULL: nothing to free. */
    const char *program;
    void (*open)(void *study, const Lab *lab, uint64_t seed);
    void (*close)(void *study);
    const char *title, *png; /* of the window; the figure's file */
    const char *missing;     /* an exercise that is still to do (exercise_missing()); NULL: none */
    StudyUnfinished unfinished;
    void (*work)(void *study);
    /* After work(), where keys change what is measured: rank 0, locked: what to do next, in
     * todo->number from 1 on; false: nothing, until a key is pressed. Then every rank obeys. */
    bool (*next)(const void *study, Command *todo);
    void (*obey)(void *study, Command todo);
    void (*draw)(const void *study, Plot *plot); /* rank 0, locked; also with an exercise missing */
    void (*report)(const void *study);           /* rank 0: tables and metrics.csv, at the end */
    const PlotKey *keys;                         /* of a study's own; NULL: pause, save, quit */
    StudySpace space;
    /* Rank 0, locked; each may be NULL: */
    void (*event)(void *study, const PlotEvent *e);
    void (*advance)(void *study, double seconds); /* since the last frame; each frame is drawn */
    /* The figure is drawn when this changes, or a key is pressed; NULL: twice a second. */
    int64_t (*version)(const void *study);
    void (*finish)(void *study); /* no window: hurry */
    const Lab *lab;              /* from open() or study_run() on */
    bool paused, leave;    /* leave: there is no window; end when there is nothing to do next */
    BackgroundThread *own; /* the work's thread, for what takes one; NULL on the other ranks */
    Commands commands;     /* for a work() that directs the other ranks by itself */
    /* inside */
    BackgroundThread *thread; /* the same as `own`, for the window */
    int64_t drawn;
    bool cut; /* a signal ended work() */
} Study;

/* Collective. Works, shows and reports. Returns the program's status: 0, or EXIT_TODO. */
int study_run(Study *s, const Lab *lab);
/* A program that is one study, from its options on: ranks, device, at most *images training and
 * *test test images (NULL: all), which become as many as there are; open(), study_run(),
 * close(). */
int study_main(Study *s, const RunOptions *run, const Option *options, int *images, int *test);

void study_lock(Study *s, bool on);
void study_pause(Study *s, bool on); /* rank 0, as the key does */
/* Rank 0, between pieces of work: waits while paused. False: stop. On the others: true. */
bool study_goes_on(Study *s);
/* Collective, for work that all ranks do together: as study_goes_on() on rank 0. The others sleep
 * while it is paused. */
bool study_all_go_on(Study *s);
/* task_farm_run(), paused and stopped with the window; the tasks' context is the study. */
bool study_farm(Study *s, TaskFarm tasks);
/* plot_begin(). False: an exercise is missing; a note that says so is all that the figure shows. */
bool study_begin(const Study *s, Plot *plot, int rows, int columns, const char *title, ...)
    __attribute__((format(printf, 5, 6)));
#endif
