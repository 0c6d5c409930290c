/* screen.c: looks at a virtual screen (the XWD file that `Xvfb -fbdir` keeps), and provides the
 * close button that a bare Xvfb lacks.
 *
 *     screen png XWD FILE         saves the whole screen as a PNG
 *     screen same XWD X Y PNG     exit status 1 if the screen differs from the PNG at (X, Y)
 *     screen lit XWD X Y          waits until this pixel is not black, at most 20 s; prints when
 *     screen close WINDOW         asks the window to close, as a window manager's button does
 */
#include "check.h"
#if defined HAVE_CAIRO && __has_include(<X11/Xlib.h>) && __has_include(<X11/XWDFile.h>)
#include "timer.h"
#include <cairo.h>
#include <arpa/inet.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <X11/Xlib.h>
#include <X11/XWDFile.h>

/* The screen as a Cairo image (32 bits per pixel, as Xvfb's 24-bit screens are). */
static cairo_surface_t *read_screen(const char *path)
{
    FILE *file = fopen(path, "rb");
    XWDFileHeader head;
    REQUIRE(file && fread(&head, sizeof head, 1, file) == 1, "%s: not an XWD file", path);
    int width = (int)ntohl(head.pixmap_width), height = (int)ntohl(head.pixmap_height),
        line = (int)ntohl(head.bytes_per_line);
    REQUIRE(ntohl(head.bits_per_pixel) == 32, "%s: expected 32 bits per pixel", path);
    fseek(file, (long)(ntohl(head.header_size) + ntohl(head.ncolors) * sizeof(XWDColor)), SEEK_SET);
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    for (int y = 0; y < height; y++) {
        unsigned char *row = cairo_image_surface_get_data(image) +
                             (size_t)y * cairo_image_surface_get_stride(image);
        REQUIRE(fread(row, 4, width, file) == (size_t)width &&
                    fseek(file, line - 4L * width, SEEK_CUR) == 0,
                "%s: too short", path);
    }
    cairo_surface_mark_dirty(image);
    fclose(file);
    return image;
}

static const uint32_t *row_of(cairo_surface_t *image, int y)
{
    return (const uint32_t *)(cairo_image_surface_get_data(image) +
                              (size_t)y * cairo_image_surface_get_stride(image));
}

static int same(const char *screen_path, int x, int y, const char *png_path)
{
    cairo_surface_t *screen = read_screen(screen_path),
                    *figure = cairo_image_surface_create_from_png(png_path);
    REQUIRE(cairo_surface_status(figure) == CAIRO_STATUS_SUCCESS, "%s: not a PNG", png_path);
    int width = cairo_image_surface_get_width(figure),
        height = cairo_image_surface_get_height(figure), differ = 0;
    REQUIRE(x >= 0 && y >= 0 && x + width <= cairo_image_surface_get_width(screen) &&
                y + height <= cairo_image_surface_get_height(screen),
            "the PNG does not fit on the screen");
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++) {
            uint32_t shown = row_of(screen, y + j)[x + i] & 0xffffff,
                     saved = row_of(figure, j)[i] & 0xffffff;
            if (shown != saved && differ++ == 0)
                printf("(%d, %d) is %06x on the screen, %06x in the PNG; ", i, j, shown, saved);
        }
    printf("%d of %d pixels differ\n", differ, width * height);
    cairo_surface_destroy(screen);
    cairo_surface_destroy(figure);
    return differ ? EXIT_WRONG : 0;
}

static int save(const char *screen_path, const char *png)
{
    cairo_surface_t *screen = read_screen(screen_path);
    cairo_status_t status = cairo_surface_write_to_png(screen, png);
    cairo_surface_destroy(screen);
    REQUIRE(status == CAIRO_STATUS_SUCCESS, "%s: %s", png, cairo_status_to_string(status));
    return 0;
}

/* Seconds since 1970, as `date +%s.%N` prints them. */
static int lit(const char *screen_path, int x, int y)
{
    for (double began = timer_now(); timer_now() - began < 20; usleep(5000)) {
        cairo_surface_t *screen = read_screen(screen_path);
        bool is_lit = row_of(screen, y)[x] & 0xffffff;
        cairo_surface_destroy(screen);
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        if (is_lit) {
            printf("%lld.%09ld\n", (long long)now.tv_sec, now.tv_nsec);
            return 0;
        }
    }
    die(EXIT_WRONG, "(%d, %d) stays black", x, y);
}

/* Wherever SDL2 shows windows libX11 is present at run time; loaded here as SDL2 loads it. */
static int close_window(Window window)
{
    void *x11 = dlopen("libX11.so.6", RTLD_NOW);
    REQUIRE(x11, "%s", dlerror());
    Display *(*open_display)(const char *) = (Display * (*)(const char *))
        dlsym(x11, "XOpenDisplay");
    Atom (*intern)(Display *, const char *,
                   Bool) = (Atom(*)(Display *, const char *, Bool))dlsym(x11, "XInternAtom");
    Status (*send)(Display *, Window, Bool, long, XEvent *) =
        (Status(*)(Display *, Window, Bool, long, XEvent *))dlsym(x11, "XSendEvent");
    int (*close_display)(Display *) = (int (*)(Display *))dlsym(x11, "XCloseDisplay");
    Display *display = open_display(NULL);
    REQUIRE(display, "no display");
    XEvent event = {.xclient = {.type = ClientMessage,
                                .window = window,
                                .format = 32,
                                .message_type = intern(display, "WM_PROTOCOLS", False)}};
    event.xclient.data.l[0] = (long)intern(display, "WM_DELETE_WINDOW", False);
    send(display, window, False, NoEventMask, &event);
    close_display(display);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "png"))
        return save(argv[2], argv[3]);
    if (argc == 6 && !strcmp(argv[1], "same"))
        return same(argv[2], atoi(argv[3]), atoi(argv[4]), argv[5]);
    if (argc == 5 && !strcmp(argv[1], "lit"))
        return lit(argv[2], atoi(argv[3]), atoi(argv[4]));
    if (argc == 3 && !strcmp(argv[1], "close"))
        return close_window(strtoul(argv[2], NULL, 0));
    die(EXIT_USAGE, "screen: png XWD FILE, same XWD X Y PNG, lit XWD X Y, or close WINDOW");
}
#else
int main(void) { die(EXIT_TODO, "screen: built without Cairo or the headers of libX11"); }
#endif
