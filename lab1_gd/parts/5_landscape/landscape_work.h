/* landscape_work.h: part 5's work, step by step: get the networks, then measure planes, lines,
 * training paths and eigenvalues. Collective; on rank 0 it runs on a thread next to the window.
 */
#ifndef LANDSCAPE_WORK_H
#define LANDSCAPE_WORK_H
#include "landscape_view.h"
#include "study.h"

/* The options. */
typedef struct Choices {
    RunOptions run;
    Recipe recipe;
    const char *checkpoint, *against, *norm;
    const char *named;    /* --model; NULL: not given */
    const char *recorded; /* a folder of results: draw those; NULL: measure */
    bool skip, compare, full, test, lines, path, eigenvalues;
    int points, images, batch, steps;
    double extent;
    int64_t directions;
} Choices;

/* What the work needs and produces. */
typedef struct Session {
    Study study; /* its lab is set before landscape_open() */
    const Choices *c;
    Recipe recipe[2]; /* of each network */
    EvalSet *train, *test;
    LandscapeView view;
} Session;

/* The networks, read from their files or still untrained. Before a window opens: a bad file, or a
 * model that does not fit, ends the run. */
void landscape_open(Session *s);
void landscape_work(void *study); /* collective */
void landscape_work_free(Session *s);

/* recorded.c: a landscape that was measured before, in a folder of results: landscape.json, which
 * says of what and how, and the points of each slice (NAME-plane.points.csv …). It is drawn within
 * a second, with no data, no network and no exercise. */
/* Write landscape.json beside the points. After the work, on rank 0. */
void landscape_record(const Session *s);
/* In place of landscape_open and landscape_work: fill the view from the folder s->c->recorded. A
 * file that is missing, or not such a file, ends the run (exit 2). */
void landscape_open_recorded(Session *s);
#endif
