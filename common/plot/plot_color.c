/* plot_color.c: colours for series (easy to tell apart, for everyone) and for values (ordered,
 * lightness growing evenly). */
#include "plot.h"
#include <math.h>
#include <string.h>

uint32_t plot_series(int i)
{
    /* Okabe & Ito's set without black (text) and yellow (too light on white), best told apart
     * first. */
    static const uint32_t color[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                     0xe69f00, 0x56b4e9, 0x6e7781};
    enum { COUNT = sizeof color / sizeof *color };
    return color[(i % COUNT + COUNT) % COUNT];
}

uint32_t plot_shade(int i) { return plot_map_color(PLOT_VIRIDIS, 0.05 + 0.19 * i); }

uint32_t plot_phase(const char *name)
{
    const struct {
        const char *name;
        uint32_t color; /* different in grey, too, where they lie beside each other */
    } phases[] = {{"forward", plot_series(0)},    {"backward", plot_series(1)},
                  {"update", PLOT_INK},           {"exchange", plot_series(3)},
                  {"all-reduce", plot_series(3)}, {"load", plot_series(5)}};
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
        if (!strcmp(name, phases[i].name))
            return phases[i].color;
    return plot_series(6);
}

uint32_t plot_map_color(PlotMap map, double position)
{
    enum {
        STOPS = 10
        /* ten of the map's 256 colours; straight lines between them stay within 4/255 of the
         * rest */
    };
    static const uint32_t table[][STOPS] = {
        [PLOT_VIRIDIS] = {0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779,
                          0x6ece58, 0xb5de2b, 0xfde725},
        [PLOT_CIVIDIS] = {0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173, 0x8a8678, 0xa59c74,
                          0xc3b369, 0xe1cc55, 0xfee838},
    };
    if (isnan(position))
        return PLOT_GREY;
    double at = fmin(fmax(position, 0), 1) * (STOPS - 1);
    int stop = at < STOPS - 1 ? (int)at : STOPS - 2;
    uint32_t a = table[map][stop], b = table[map][stop + 1], mixed = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        double from = a >> shift & 255, to = b >> shift & 255;
        mixed |= (uint32_t)lround(from + (at - stop) * (to - from)) << shift;
    }
    return mixed;
}
