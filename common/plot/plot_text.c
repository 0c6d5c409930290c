/* plot_text.c: Cairo's pen, its colours, images and text. Sizes are in units of the figure, so text
 * grows with the window. */
#ifdef HAVE_CAIRO
#include "plot_inside.h"
#include "printable.h"
#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 512 }; /* bytes */

void pen_color(Pen *pen, uint32_t color, double opacity)
{
    cairo_set_source_rgba(pen, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0,
                          (color & 255) / 255.0, opacity);
}

Image *image_of(uint32_t *pixel, int width, int height)
{
    return cairo_image_surface_create_for_data((unsigned char *)pixel, CAIRO_FORMAT_ARGB32, width,
                                               height, 4 * width);
}

void image_paint(Pen *pen, Image *image, double x, double y, double wide, double high)
{
    cairo_save(pen);
    cairo_translate(pen, x, y);
    cairo_scale(pen, wide, high);
    cairo_set_source_surface(pen, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(pen), CAIRO_FILTER_NEAREST);
    cairo_paint(pen);
    cairo_restore(pen);
    cairo_surface_destroy(image);
}

Pen *pen_new(Plot *plot)
{
    Image *image = image_of(plot->pixel, plot->width, plot->height);
    Pen *pen = cairo_create(image);
    cairo_surface_destroy(image); /* the pen keeps it */
    cairo_scale(pen, plot->scale, plot->scale);
    return pen;
}

static void use(Pen *pen, Font font)
{
    cairo_select_font_face(pen, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(pen, font.size);
}

double text_width(Pen *pen, Font font, const char *text)
{
    cairo_text_extents_t extents;
    char safe[MOST_TEXT];
    use(pen, font);
    cairo_text_extents(pen, printable(safe, sizeof safe, text), &extents);
    return extents.x_advance;
}

void text_draw(Pen *pen, Font font, double x, double y, double anchor_x, double anchor_y,
               const char *text)
{
    if (!text || !*text || !isfinite(x + y))
        return;
    /* of a capital letter in this font */
    double width = text_width(pen, font, text), height = 0.73 * font.size;
    char safe[MOST_TEXT];
    printable(safe, sizeof safe, text);
    cairo_save(pen);
    cairo_translate(pen, x, y);
    cairo_rotate(pen, font.angle);
    cairo_move_to(pen, -anchor_x * width, (1 - anchor_y) * height);
    if (font.halo) { /* a white rim keeps it readable on any colour */
        cairo_text_path(pen, safe);
        cairo_set_line_join(pen, CAIRO_LINE_JOIN_ROUND);
        cairo_set_line_width(pen, 3);
        cairo_set_tolerance(pen, 0.4); /* pixels; a rim need not be as smooth as the text */
        cairo_set_antialias(pen, CAIRO_ANTIALIAS_FAST);
        pen_color(pen, PLOT_WHITE, 0.85);
        cairo_stroke_preserve(pen);
        cairo_set_tolerance(pen, 0.1);
        cairo_set_antialias(pen, CAIRO_ANTIALIAS_DEFAULT);
        pen_color(pen, font.color, 1);
        cairo_fill(pen);
    } else {
        pen_color(pen, font.color, 1);
        cairo_show_text(pen, safe);
    }
    cairo_restore(pen);
    cairo_new_path(pen); /* no leftover point for the next line to start from */
}

void text_fit(Pen *pen, Font font, Rect in, double anchor_x, const char *text)
{
    if (!text || !*text)
        return;
    double width = text_width(pen, font, text), least = 0.7 * font.size;
    if (width > in.w)
        font.size = fmax(least, font.size * in.w / width);
    while (font.size > least && text_width(pen, font, text) > in.w) /* letters of whole pixels */
        font.size = fmax(least, 0.99 * font.size);
    char cut[512];
    snprintf(cut, sizeof cut - 3, "%s", text);
    size_t length = strlen(cut);
    while (length > 0 && text_width(pen, font, cut) > in.w) {
        do
            length--;
        /* back to the start of a UTF-8 character */
        while (length > 0 && (cut[length] & 0xc0) == 0x80);
        strcpy(cut + length, "…");
    }
    text_draw(pen, font, in.x + anchor_x * in.w, in.y + in.h / 2, anchor_x, 0.5, cut);
}
#endif
