/* landscape_work.h: part 5's work, step by step: get the networks, then measure planes, lines,
 * training paths and eigenvalues. Collective; on rank 0 it runs on a thread next to the window.
 */
#ifndef LANDSCAPE_WORK_H
#define LANDSCAPE_WORK_H
#include "lab.h"
#include "landscape_view.h"

/* The options. */
typedef struct Choices {
    RunOptions run;
    Recipe recipe;
    const char *checkpoint, *against, *norm;
    const char *named;    /* --model; NULL: not given */
    const char *recorded; /* a folder of results: draw those; NULL: measure */
    bool no_skip, compare, full, test, lines, path, eigenvalues;
    int points, images, batch, steps;
    double extent;
    int64_t directions;
} Choices;

/* What the work needs and produces. */
typedef struct Session {
    const Choices *c;
    const Lab *lab;
    Recipe recipe[2]; /* of each network */
    EvalSet *train, *test;
    LandscapeView view;
    BackgroundThread *work;   /* rank 0: the thread that this runs on */
    BackgroundThread *thread; /* rank 0: the same, for the window */
    bool paused, complete;
    long changes, drawn; /* keys and mouse events so far; all changes at the last draw */
} Session;

/* The networks, read from their files or still untrained. Before a window opens: a bad file, or a
 * model that does not fit, ends the run. */
void landscape_open(Session *s);
/* Collective. False: stopped before the end. */
bool landscape_work(Session *s);
void landscape_work_free(Session *s);
#endif
