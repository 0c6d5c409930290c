/* plot_layer.c: the map or surface under a moving path is usually the same from frame to frame. Its
 * pixels are kept, with everything they depend on, and copied back while that is unchanged: at 60
 * frames/s a map or a surface that does not change costs next to nothing.
 */
#ifdef HAVE_CAIRO
#include "check.h"
#include "plot_inside.h"
#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(FILE *out, int n, const double *v) { fwrite(v, sizeof *v, n, out); }

/* Everything that the pixels of these marks in `at` depend on, as bytes; free() them. */
static char *key_of(const PlotPanel *panel, Rect at, int count, const Mark *mark, size_t *size)
{
    char *key = NULL;
    const Plot *plot = panel->plot;
    const PlotAxis *axis[3] = {&panel->x, &panel->y, &panel->z};
    FILE *out = open_memstream(&key, size);
    ASSERT(out);
    put(out, 8,
        (double[]){at.x, at.y, at.w, at.h, plot->scale, plot->width, panel->axes.map, count});
    for (int k = 0; k < 3; k++) {
        put(out, 3, (double[]){axis[k]->log, axis[k]->low, axis[k]->high});
        fputs(axis[k]->label ? axis[k]->label : "", out);
    }
    for (const Mark *m = mark; m < mark + count; m++) {
        const PlotStyle s = m->style;
        const PlotGrid g = m->grid;
        put(out, 4, (double[]){m->kind, s.color, s.width, s.opacity});
        put(out, 3, (double[]){m->camera.azimuth, m->camera.elevation, m->camera.zoom});
        put(out, 6, (double[]){g.nx, g.ny, g.x_low, g.x_high, g.y_low, g.y_high});
        put(out, g.nx * g.ny, g.z);
    }
    fclose(out);
    ASSERT(key);
    return key;
}

/* Copy the layer's pixels to or from the page. */
static void copy(Pen *pen, PlotPanel *panel, bool to_page)
{
    Plot *plot = panel->plot;
    Layer *layer = &panel->layer;
    cairo_surface_flush(cairo_get_target(pen));
    for (int row = 0; row < layer->height; row++) {
        uint32_t *page = plot->pixel + (size_t)(layer->y + row) * plot->width + layer->x;
        uint32_t *kept = layer->pixel + (size_t)row * layer->width;
        memcpy(to_page ? page : kept, to_page ? kept : page, layer->width * sizeof *page);
    }
    cairo_surface_mark_dirty(cairo_get_target(pen));
}

bool layer_recall(Pen *pen, PlotPanel *panel, Rect at, int count, const Mark *mark)
{
    size_t size;
    Layer *layer = &panel->layer;
    char *key = key_of(panel, at, count, mark, &size);
    bool same = layer->key && size == layer->size && !memcmp(key, layer->key, size);
    bool kept = same && layer->kept;
    if (kept)
        copy(pen, panel, true);
    layer->again = same;
    free(same ? key : layer->key);
    layer->key = same ? layer->key : key;
    layer->size = size;
    return kept;
}

void layer_keep(Pen *pen, PlotPanel *panel, Rect at)
{
    const Plot *plot = panel->plot;
    Layer *layer = &panel->layer;
    layer->kept = layer->again;
    if (!layer->kept)
        return;
    layer->x = (int)fmax(0, floor(at.x * plot->scale));
    layer->y = (int)fmax(0, floor(at.y * plot->scale));
    layer->width = (int)fmax(0, fmin(plot->width, ceil((at.x + at.w) * plot->scale)) - layer->x);
    layer->height = (int)fmax(0, fmin(plot->height, ceil((at.y + at.h) * plot->scale)) - layer->y);
    free(layer->pixel);
    layer->pixel = alloc((size_t)layer->width * layer->height + 1, sizeof *layer->pixel);
    copy(pen, panel, false);
}
#endif
