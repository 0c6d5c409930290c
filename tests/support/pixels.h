/* pixels.h: the pixels of a figure that plot.h drew. */
#ifndef PIXELS_H
#define PIXELS_H
#include "plot/plot_inside.h"

enum { WIDTH = 640, HEIGHT = 400, RED = 0xd40000 };

/* WIDTH × HEIGHT, to the end of the case, which is skipped without Cairo. */
Plot *pixels_new(void);
uint32_t pixel_at(Plot *plot, double x, double y); /* 0xRRGGBB at a point in the figure's units */
bool pixel_near(uint32_t a, uint32_t b, int most); /* no channel differs by more */
void expect_pixel(Plot *plot, double x, double y, uint32_t color, int most);
#endif
