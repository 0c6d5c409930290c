/* plot_draw.c: from the description to the image: title, footer, and a grid of panels between them,
 * each with its axes and marks. */
#ifdef HAVE_CAIRO
#include "plot_inside.h"
#include <cairo.h>
#include <math.h>
#include <string.h>

static void choose_letters(Pen *pen)
{
    cairo_font_options_t *options = cairo_font_options_create();
    /* no coloured fringes on a projector */
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(pen, options);
    cairo_font_options_destroy(options);
}

static void clip_to(Pen *pen, Rect r)
{
    cairo_rectangle(pen, r.x, r.y, r.w, r.h);
    cairo_clip(pen);
}

/* Draw the maps that the panel begins with; returns their number. */
static int fields_draw(Pen *pen, PlotPanel *panel)
{
    int count = 0;
    while (count < panel->count &&
           (panel->mark[count].kind == MARK_HEAT || panel->mark[count].kind == MARK_CONTOURS))
        count++;
    if (count > 0 && !layer_recall(pen, panel, panel->frame, count, panel->mark)) {
        for (int i = 0; i < count; i++)
            mark_draw(pen, panel, &panel->mark[i]);
        layer_keep(pen, panel, panel->frame);
    }
    return count;
}

static void flat_panel(Pen *pen, PlotPanel *panel, Rect room)
{
    bool field = panel_field(panel);
    double bar = field ? colorbar_width(pen, panel, room.h) : 0;
    frame_draw(pen, panel, (Rect){room.x, room.y, room.w - bar, room.h});
    if (field)
        colorbar_draw(pen, panel,
                      (Rect){room.x + room.w - bar + 12, panel->frame.y, bar - 12, panel->frame.h});
    cairo_save(pen);
    clip_to(pen, panel->frame);
    for (int i = fields_draw(pen, panel); i < panel->count; i++)
        mark_draw(pen, panel, &panel->mark[i]);
    cairo_restore(pen);
    frame_close(pen, panel);
}

/* A note alone, in a panel without labels: it has no axes. */
static bool note_alone(const PlotPanel *panel)
{
    const char *const labels[] = {panel->axes.x.label, panel->axes.y.label};
    for (int k = 0; k < 2; k++)
        if (labels[k] && *labels[k])
            return false;
    return panel->count == 1 && panel->mark[0].kind == MARK_NOTE;
}

/* legend: the height above the panel for it */
static void panel_draw(Pen *pen, PlotPanel *panel, Rect room, double legend)
{
    panel_fit(panel);
    cairo_save(pen);
    clip_to(pen, room);
    text_fit(pen, (Font){.size = 16, .bold = true, .color = PLOT_INK},
             (Rect){room.x, room.y, room.w, 22}, 0, panel->axes.title);
    double head = panel->axes.title && *panel->axes.title ? 30 : 4;
    legend_draw(pen, panel, (Rect){room.x, room.y + head, room.w, legend});
    head += legend;
    Rect rest = {room.x, room.y + head, room.w, fmax(room.h - head, 1)};
    if (panel_surface(panel))
        surface_draw(pen, panel, rest);
    else if (note_alone(panel))
        panel->frame = rest;
    else
        flat_panel(pen, panel, rest);
    for (int i = 0; i < panel->count; i++)
        if (panel->mark[i].kind == MARK_NOTE && panel->mark[i].text)
            note_draw(pen, panel->frame, panel->mark[i].text, panel->count > 1);
    cairo_restore(pen);
}

static Rect cell(const Plot *plot, const PlotAxes *axes, Rect table)
{
    enum { GAP = 26 };
    double w = (table.w + GAP) / plot->columns, h = (table.h + GAP) / plot->rows;
    int columns = axes->columns > 0 ? axes->columns : 1, rows = axes->rows > 0 ? axes->rows : 1;
    int column = axes->column < 0             ? 0
               : axes->column < plot->columns ? axes->column
                                              : plot->columns - 1;
    int row = axes->row < 0 ? 0 : axes->row < plot->rows ? axes->row : plot->rows - 1;
    columns = columns < plot->columns - column ? columns : plot->columns - column;
    rows = rows < plot->rows - row ? rows : plot->rows - row;
    return (Rect){table.x + column * w, table.y + row * h, columns * w - GAP, rows * h - GAP};
}

/* The height for a panel's legend. Frames that begin in one row are level, unless one's legend is
 * more than two lines longer. */
static double legend_room(Pen *pen, const Plot *plot, const PlotPanel *panel, Rect page)
{
    enum { TWO_LINES = 50 };
    double own = legend_height(pen, panel, cell(plot, &panel->axes, page).w), highest = own;
    for (int i = 0; i < plot->panels; i++) {
        const PlotAxes *other = &plot->panel[i]->axes;
        double height = legend_height(pen, plot->panel[i], cell(plot, other, page).w);
        if (other->row == panel->axes.row && height - own <= TWO_LINES)
            highest = fmax(highest, height);
    }
    return highest;
}

void figure_draw(Plot *plot)
{
    memset(plot->pixel, 255, sizeof *plot->pixel * plot->width * plot->height);
    Pen *pen = pen_new(plot);
    choose_letters(pen);
    Rect page = {20, 12, plot->width / plot->scale - 40, plot->height / plot->scale - 24};
    if (plot->title && *plot->title) {
        text_fit(pen, (Font){.size = 20, .bold = true, .color = PLOT_INK},
                 (Rect){page.x, page.y, page.w, 28}, 0, plot->title);
        page.y += 44;
        page.h -= 44;
    }
    if (plot->footer || plot->hint) {
        Rect line = {page.x, page.y + page.h - 18, page.w, 18};
        Font font = {.size = 13, .color = 0x57606a};
        double hint = plot->hint ? text_width(pen, font, plot->hint) + 24 : 0;
        text_fit(pen, font, (Rect){line.x, line.y, line.w - hint, line.h}, 0, plot->footer);
        text_fit(pen, font, line, 1, plot->hint);
        page.h -= 28;
    }
    bool alone = plot->alone >= 1 && plot->alone <= plot->panels;
    for (int i = 0; i < plot->panels; i++) {
        PlotPanel *panel = plot->panel[i];
        if (alone && plot->alone != i + 1)
            panel->frame = (Rect){0, 0, -1, -1}; /* nothing is under the pointer there */
        else if (alone)
            panel_draw(pen, panel, page, legend_height(pen, panel, page.w));
        else
            panel_draw(pen, panel, cell(plot, &panel->axes, page),
                       legend_room(pen, plot, panel, page));
    }
    cairo_destroy(pen);
    plot->drawn = true;
}

const uint32_t *plot_image(Plot *plot, int *width, int *height)
{
    if (!plot->drawn)
        figure_draw(plot);
    *width = plot->width;
    *height = plot->height;
    return plot->pixel;
}
#endif
