/* pixels.c: see pixels.h. */
#include "pixels.h"
#include "harness.h"

static void free_plot(void *plot) { plot_free(plot); }

Plot *pixels_new(void)
{
    int width, height;
    Plot *plot = plot_new(WIDTH, HEIGHT);
    at_end(plot, free_plot, plot);
    if (!plot_image(plot, &width, &height))
        SKIP("built without Cairo");
    return plot;
}

uint32_t pixel_at(Plot *plot, double x, double y)
{
    int width, height;
    const uint32_t *pixel = plot_image(plot, &width, &height);
    return pixel[(int)(y * plot->scale) * width + (int)(x * plot->scale)] & 0xffffff;
}

void expect_pixel(Plot *plot, double x, double y, uint32_t color, int most)
{
    uint32_t found = pixel_at(plot, x, y);
    if (!pixel_near(found, color, most))
        fail_msg("at (%.0f, %.0f): colour %06x, expected %06x", x, y, found, color);
}

bool pixel_near(uint32_t a, uint32_t b, int most)
{
    for (int shift = 0; shift <= 16; shift += 8)
        if (abs((int)(a >> shift & 255) - (int)(b >> shift & 255)) > most)
            return false;
    return true;
}
