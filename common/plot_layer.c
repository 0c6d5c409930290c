/* plot_layer.c: the heat map and contours under a moving path are mostly the same from frame to frame. Their pixels are kept, with all that they
 * were drawn from, and copied back when that is still the same: a still map costs nothing at 60 frames/s.
 */
#ifdef HAVE_CAIRO
#include "plot_inside.h"
#include "check.h"
#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything that the pixels of the panel's first `count` marks depend on, as bytes; free() them. */
static char *key_of(const PlotPanel *panel, int count, size_t *size)
{
    char *key = NULL;
    FILE *out = open_memstream(&key, size);
    ASSERT(out);
    const Rect f = panel->frame;
    const PlotAxis *axis[3] = {&panel->x, &panel->y, &panel->z};
    fwrite((double[]){f.x, f.y, f.w, f.h, panel->plot->scale, panel->plot->width, panel->axes.map, count}, sizeof(double), 8, out);
    for (int k = 0; k < 3; k++)
        fwrite((double[]){axis[k]->log, axis[k]->low, axis[k]->high}, sizeof(double), 3, out);
    for (int m = 0; m < count; m++) {
        const Mark *mark = &panel->mark[m];
        const PlotGrid g = mark->grid;
        fwrite((double[]){mark->kind, mark->style.color, mark->style.width, mark->style.opacity, g.nx, g.ny, g.x_low, g.x_high, g.y_low,
                          g.y_high}, sizeof(double), 10, out);
        fwrite(g.z, sizeof *g.z, (size_t)g.nx * g.ny, out);
    }
    fclose(out);
    ASSERT(key);
    return key;
}

/* The frame's pixels between the page and the layer. */
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

static void make_room(PlotPanel *panel)
{
    const Plot *plot = panel->plot;
    const Rect f = panel->frame;
    Layer *layer = &panel->layer;
    layer->x = (int)fmax(0, floor(f.x * plot->scale));
    layer->y = (int)fmax(0, floor(f.y * plot->scale));
    layer->width = (int)fmax(0, fmin(plot->width, ceil((f.x + f.w) * plot->scale)) - layer->x);
    layer->height = (int)fmax(0, fmin(plot->height, ceil((f.y + f.h) * plot->scale)) - layer->y);
    free(layer->pixel);
    layer->pixel = alloc((size_t)layer->width * layer->height + 1, sizeof *layer->pixel);
}

int fields_draw(Pen *pen, PlotPanel *panel)
{
    int count = 0;
    while (count < panel->count && (panel->mark[count].kind == MARK_HEAT || panel->mark[count].kind == MARK_CONTOURS))
        count++;
    if (count == 0)
        return 0;
    size_t size;
    Layer *layer = &panel->layer;
    char *key = key_of(panel, count, &size);
    if (layer->key && size == layer->size && !memcmp(key, layer->key, size)) {
        copy(pen, panel, true);
        free(key);
        return count;
    }
    for (int i = 0; i < count; i++)
        mark_draw(pen, panel, &panel->mark[i]);
    make_room(panel);
    copy(pen, panel, false);
    free(layer->key);
    layer->key = key;
    layer->size = size;
    return count;
}
#endif
