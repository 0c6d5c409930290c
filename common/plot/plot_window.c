/* plot_window.c: the figure on the screen, 60 times a second. The image that Cairo drew is copied
 * to the window pixel by pixel. Without a display (or SDL2, or Cairo) there is no window: one line
 * says why, and the program continues without.
 */
#include "check.h"
#include "plot_inside.h"
#include "printable.h"
#include "quantiles.h"
#include "timer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined HAVE_SDL2 && defined HAVE_CAIRO
#include <SDL.h>

static const double FRAME = 1 / 60.0; /* seconds */

static PlotWindow *no_window(const char *why)
{
    note("no window: %s; figures are saved as PNG files", why);
    return NULL;
}

typedef struct Opening {
    Plot *plot;
    const char *title;
    SDL_Window *sdl;
    bool surface;
} Opening;

static void open_window(void *opening)
{
    Opening *o = opening;
    char safe[256];
    int width = o->plot->width, height = o->plot->height;
    display_fit(&width, &height);
    o->sdl = SDL_CreateWindow(printable(safe, sizeof safe, o->title), SDL_WINDOWPOS_CENTERED,
                              SDL_WINDOWPOS_CENTERED, width, height,
                              SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    o->surface = o->sdl && SDL_GetWindowSurface(o->sdl);
    if (o->surface)
        SDL_StartTextInput();
}

PlotWindow *plot_window_new(Plot *plot, const char *title, const char *save_prefix,
                            const PlotKey *keys)
{
    double born = timer_real();
    Opening o = {.plot = plot, .title = title};
    const char *why = display_open();
    if (why)
        return no_window(why);
    if (!display_use(open_window, &o))
        return no_window(display_why());
    if (!o.surface) {
        no_window(*SDL_GetError() ? SDL_GetError() : "SDL cannot draw on this display");
        SDL_VideoQuit();
        return NULL;
    }
    PlotWindow *window = alloc(1, sizeof *window);
    window->plot = plot;
    window->sdl = o.sdl;
    window->keys = keys;
    window->save_prefix = format_new("%s", save_prefix);
    window->born = window->due = born;
    plot->hint = "? keys";
    return window;
}

static void close_window(void *window)
{
    SDL_DestroyWindow(((PlotWindow *)window)->sdl);
    SDL_VideoQuit();
}

void plot_window_free(PlotWindow *window)
{
    if (!window)
        return;
    window->plot->hint = NULL;
    window->plot->alone = 0;
    window->plot->drawn = false;
    if (!window->lost)
        display_use(close_window, window);
    free(window->save_prefix);
    free(window->message);
    free(window->page);
    free(window);
}

/* The figure with what is laid over it: the figure itself stays as it is. */
static const uint32_t *overlaid(PlotWindow *window, bool message, const Hover *hover)
{
    Plot over = *window->plot;
    size_t size = (size_t)over.width * over.height;
    if (size > window->page_room) {
        free(window->page);
        window->page = alloc(size, sizeof *window->page);
        window->page_room = size;
    }
    over.pixel = memcpy(window->page, over.pixel, size * sizeof *over.pixel);
    if (hover)
        overlay_hover(&over, hover);
    if (window->help)
        overlay_keys(&over, window->keys);
    if (message)
        overlay_line(&over, window->message);
    return over.pixel;
}

static const uint32_t *draw(PlotWindow *window)
{
    Plot *plot = window->plot;
    Hover hover;
    int width, height;
    double now = timer_real();
    SDL_Surface *screen = SDL_GetWindowSurface(window->sdl); /* a new one after each resize */
    if (screen)
        plot_resize(plot, screen->w, screen->h);
    plot_image(plot, &width, &height);
    bool message = window->message && now < window->message_until,
         hovers = now < window->hover_until &&
                  hover_at(plot, window->hover_x, window->hover_y, &hover);
    return window->help || message || hovers ? overlaid(window, message, hovers ? &hover : NULL)
                                             : plot->pixel;
}

static void present(PlotWindow *window, const uint32_t *pixel)
{
    Plot *plot = window->plot;
    SDL_Surface *screen = SDL_GetWindowSurface(window->sdl);
    SDL_Surface *image = SDL_CreateRGBSurfaceWithFormatFrom((void *)pixel, plot->width,
                                                            plot->height, 32, 4 * plot->width,
                                                            SDL_PIXELFORMAT_RGB888);
    if (screen && image && SDL_BlitSurface(image, NULL, screen, NULL) == 0)
        SDL_UpdateWindowSurface(window->sdl);
    SDL_FreeSurface(image);
}

static void show_frame(void *context)
{
    PlotWindow *window = context;
    double began = timer_real();
    plot_save_asked(window); /* it now shows the effect of earlier keys */
    const uint32_t *pixel = draw(window);
    double drawn = timer_real();
    if (window->frames > 0 && window->due > drawn)
        SDL_Delay((Uint32)(1e3 * (window->due - drawn)));
    double woken = timer_real();
    present(window, pixel);
    double now = timer_real();
    if (window->frames == 0)
        window->first = now - window->born;
    window->draw[window->frames % WINDOW_FRAMES] = drawn - began + now - woken;
    window->frame[window->frames % WINDOW_FRAMES] = window->frames ? now - window->shown : FRAME;
    window->frames++;
    window->shown = now;
    /* after a late frame the next ones do not catch up */
    window->due = fmax(window->due, woken - FRAME / 2) + FRAME;
}

void plot_window_show(PlotWindow *window)
{
    if (window && !window->lost && !display_use(show_frame, window))
        window_lost(window);
}

static void quantiles(const double *times, int n, double *p50, double *p99)
{
    double sorted[WINDOW_FRAMES];
    memcpy(sorted, times, n * sizeof *times);
    sort_ascending(sorted, n);
    *p50 = sorted[n / 2];
    *p99 = sorted[(int)(0.99 * (n - 1))];
}

PlotTimes plot_window_times(const PlotWindow *window)
{
    PlotTimes times = {0};
    if (!window || window->frames == 0)
        return times;
    int n = window->frames < WINDOW_FRAMES ? window->frames : WINDOW_FRAMES;
    times.frames = window->frames;
    times.first = window->first;
    quantiles(window->draw, n, &times.draw_p50, &times.draw_p99);
    quantiles(window->frame, n, &times.frame_p50, &times.frame_p99);
    return times;
}

#else
PlotWindow *plot_window_new(Plot *plot, const char *title, const char *save_prefix,
                            const PlotKey *keys)
{
#ifdef HAVE_CAIRO
    const char *why = display_unwanted();
    if (!why)
        why = "built without SDL2 (Debian, Ubuntu: apt-get install libsdl2-dev, then build again)";
    note("no window: %s; figures are saved as PNG files", why);
#else
    note("no window and no figures: built without Cairo (Debian, Ubuntu: apt-get "
         "install libcairo2-dev, then build again)");
#endif
    return NULL;
}

void plot_window_free(PlotWindow *window) {}
void plot_window_show(PlotWindow *window) {}
PlotTimes plot_window_times(const PlotWindow *window) { return (PlotTimes){0}; }
#endif
