/* player.c: see player.h. */
#include "player.h"
#include "check.h"
#include "live_figure.h"
#include <math.h>

bool player_key(Player *p, char key)
{
    switch (key) {
    case ' ': p->paused = !p->paused; return true;
    case '.':
        p->paused = true;
        p->step(p->path);
        return true;
    case ',':
        p->paused = true;
        p->back(p->path);
        return true;
    case 'f': p->speed = fmin(2 * p->speed, 10000); return true;
    case 'F': p->speed = fmax(p->speed / 2, 0.1); return true;
    }
    return false;
}

static void advance(void *player, double seconds)
{
    Player *p = player;
    p->live = true;
    p->due += p->paused ? 0 : seconds * p->speed;
    for (; p->due >= 1; p->due--)
        p->step(p->path);
    if (p->survey && !*p->missing)
        sgd_survey_work(p->survey, 0.003);
}

static void finish(void *player)
{
    Player *p = player;
    for (int i = 0; i < p->updates; i++)
        p->step(p->path);
    while (p->survey && !*p->missing && !stop_requested() && sgd_survey_work(p->survey, 0.1))
        continue;
}

void player_show(Player *p, Run *run, const char *title, const char *png, const PlotKey *keys,
                 void (*draw)(void *session, Plot *plot),
                 void (*event)(void *session, const PlotEvent *e))
{
    live_figure_show(run, &(LiveFigure){.title = title,
                                        .png = png,
                                        .keys = keys,
                                        .context = p,
                                        .draw = draw,
                                        .event = event,
                                        .advance = advance,
                                        .finish = finish});
}

const char *player_phase(const Player *p)
{
    return *p->missing ? "to do" : !p->live ? "end" : p->paused ? "paused" : "running";
}
