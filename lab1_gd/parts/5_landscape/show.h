/* show.h: live training on its surface, for an audience: full screen, one idea at a time, each with
 * one sentence. It advances by itself until a key takes over. A click moves the network to that
 * point; two networks race on one surface.
 */
#ifndef SHOW_H
#define SHOW_H
#include "live.h"

typedef struct Show Show;

Show *show_new(Live *live);
void show_free(Show *s);
void show_begin(Show *s, BackgroundThread *thread); /* the first idea; thread: live_work's */

/* for LiveFigure: context is the Show */
void show_draw(void *show, Plot *plot);
void show_event(void *show, const PlotEvent *e);
void show_advance(void *show, double seconds);
bool show_filmed(void *show);
void show_finish(void *show); /* no window: the last idea, trained for a while */
extern const PlotKey show_keys[];
#endif
