/* landscape_work.h: part 5's work, step by step: get the networks, measure their planes, lines,
 * paths, eigenvalues. All ranks do it together; on rank 0 it runs beside the window.
 */
#ifndef LANDSCAPE_WORK_H
#define LANDSCAPE_WORK_H
#include "lab.h"
#include "landscape_view.h"

/* What was asked for. */
typedef struct Choices {
    RunOptions run;
    Recipe recipe;
    const char *checkpoint, *against, *norm;
    bool no_skip, compare, full, test, lines, path, eigenvalues;
    int points, images, batch, steps;
    double extent;
    int64_t directions;
} Choices;

/* All that the work needs and makes. */
typedef struct Session {
    const Choices *c;
    const Lab *lab;
    EvalSet *train, *test;
    LandscapeView view;
    BackgroundThread *work;   /* rank 0: the thread that this runs on */
    BackgroundThread *thread; /* rank 0: the same, for the window */
    bool paused, complete;
    long changes, drawn; /* keys and mouse so far; what landscape_changes() said at the last
                          * draw */
} Session;

/* All of it. False: stopped before the end. */
bool landscape_work(Session *s);
void landscape_work_free(Session *s);
#endif
