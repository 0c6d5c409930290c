/* plot_gallery.h: figures of every kind that plot.h draws, for its tests and for a person to look
 * at. */
#ifndef PLOT_GALLERY_H
#define PLOT_GALLERY_H
#include "plot.h"

/* Descent with momentum on a loss with two valleys. */
enum { STEPS = 400 };
typedef struct Descent {
    double rate, momentum, vx, vy;
    int steps;
    double x[STEPS], y[STEPS], loss[STEPS];
} Descent;
void descent_start(Descent *d, double x, double y);
void descent_step(Descent *d);                                      /* nothing after STEPS */
void draw_descent(Plot *plot, const Descent *d, PlotCamera camera); /* surface, map and curve */

typedef struct GalleryFigure {
    const char *name;
    void (*draw)(Plot *plot);
} GalleryFigure;
extern const GalleryFigure plot_gallery[]; /* ends with {NULL, NULL} */
#endif
