/* plot_png.c: the figure as a file, whole or not at all (file.h). */
#include "check.h"
#include "file.h"
#include "plot_inside.h"
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CAIRO
#include <cairo.h>

const bool plot_has_cairo = true;

static cairo_status_t put(void *file, const unsigned char *bytes, unsigned int size)
{
    file_put(file, bytes, size);
    return CAIRO_STATUS_SUCCESS; /* the file remembers a failure for file_commit() */
}

static char *write_png(Plot *plot, const char *path)
{
    int width, height;
    plot_image(plot, &width, &height);
    Image *image = image_of(plot->pixel, width, height);
    NewFile *file = file_begin(path);
    cairo_status_t status = cairo_surface_write_to_png_stream(image, put, file);
    cairo_surface_destroy(image);
    REQUIRE(status == CAIRO_STATUS_SUCCESS, "%s: %s", path, cairo_status_to_string(status));
    return file_commit(file);
}
#else
const bool plot_has_cairo = false;

static char *write_png(Plot *plot, const char *path)
{
    return format_new(
        "%s: built without Cairo (Debian, Ubuntu: apt-get install libcairo2-dev, then build again)",
        path);
}

const uint32_t *plot_image(Plot *plot, int *width, int *height)
{
    *width = plot->width;
    *height = plot->height;
    return NULL;
}
#endif

char *plot_write(Plot *plot, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash && slash > path ? format_new("%.*s", (int)(slash - path), path) : NULL;
    char *wrong = folder ? file_make_folder(folder) : NULL;
    if (!wrong)
        wrong = write_png(plot, path);
    free(folder);
    return wrong;
}

bool plot_save(Plot *plot, const char *path)
{
    char *wrong = plot_write(plot, path);
    bool saved = !wrong;
    if (wrong)
        note("no figure: %s", wrong);
    free(wrong);
    return saved;
}
