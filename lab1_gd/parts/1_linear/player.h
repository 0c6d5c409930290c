/* player.h: what the windows of parts 1 to 3 have in common: update after update at a chosen speed,
 * paused, or one at a time, forwards and back.
 */
#ifndef PLAYER_H
#define PLAYER_H
#include "sgd_survey.h"

/* The first member of a program's session, so that the session is the context of these. */
typedef struct Player {
    void *path; /* Descent, SgdWalk or SgdRace */
    void (*step)(void *path), (*back)(void *path);
    SgdSurvey *survey;          /* measured meanwhile; NULL: none */
    const char *const *missing; /* points at the path's: nothing moves while it is set */
    int updates;                /* without a window */
    double speed, due;          /* updates per second; how many to make now */
    bool paused, live;          /* live: in a window */
} Player;

bool player_key(Player *p, char key); /* space . , f F: was it one of them? */
/* Shows the session until the window is closed, or plays it to the end and saves it; draw and event
 * as in LiveFigure. */
void player_show(Player *p, Run *run, const char *title, const char *png, const PlotKey *keys,
                 void (*draw)(void *session, Plot *plot),
                 void (*event)(void *session, const PlotEvent *e));
const char *player_phase(const Player *p); /* "running", "paused", "end", "to do" */
#endif
