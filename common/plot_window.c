/* plot_window.c: the figure on the screen. The image that Cairo drew is copied to the window pixel by pixel; SDL2 brings back keys and mouse.
 * Where there is no display (or no SDL2, or no Cairo) there is no window, one line says why, and the program goes on without.
 */
#include "plot_inside.h"
#include "check.h"
#include "timer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const PlotKey plot_keys[] = {{"space", "pause, go on"}, {".", "one step"}, {",", "one step back"}, {"[  ]", "learning rate"},
                             {"−  +", "batch size"}, {"r", "restart"}, {"s", "save the picture"}, {"?", "these keys"},
                             {"q", "quit"}, {NULL, NULL}};

bool plot_camera_move(PlotCamera *camera, const PlotEvent *event)
{
    if (event->kind != PLOT_DRAG && event->kind != PLOT_WHEEL)
        return false;
    if (camera->azimuth == 0 && camera->elevation == 0)
        *camera = (PlotCamera){35, 30, camera->zoom};
    double zoom = camera->zoom > 0 ? camera->zoom : 1;
    if (event->kind == PLOT_WHEEL)
        camera->zoom = fmin(fmax(zoom * pow(1.1, event->dy), 0.5), 8);
    camera->azimuth = remainder(camera->azimuth - 0.4 * event->dx, 360);
    if (event->kind == PLOT_DRAG)
        camera->elevation = fmin(fmax(camera->elevation + 0.4 * event->dy, 1), 90);
    return true;
}

#if defined HAVE_SDL2 && defined HAVE_CAIRO
#include <SDL.h>

enum { FRAMES = 1024 }; /* whose times are remembered */
static const double FRAME = 1 / 60.0, MESSAGE = 2.5; /* seconds */

struct PlotWindow {
    Plot *plot;
    SDL_Window *sdl;
    const PlotKey *keys;
    char *save_prefix, *message;
    int saved; /* pictures so far */
    bool help; /* the list of keys is on */
    bool pressed, dragged;
    int pressed_panel;
    double pressed_x, pressed_y;        /* units */
    double born, first, message_until;  /* seconds */
    double shown, due, last_draw;       /* when the last frame was, when the next one is to be, what drawing took */
    int frames;
    double draw[FRAMES], frame[FRAMES]; /* seconds */
};

static PlotWindow *no_window(const char *why)
{
    fprintf(stderr, "no window: %s; pictures go to PNG files\n", why);
    return NULL;
}

/* NULL, or why there is no display. SDL's last resorts, a bare console or no screen at all, are not windows. */
static const char *open_display(void)
{
    const char *driver = getenv("SDL_VIDEODRIVER"), *headless = getenv("HEADLESS");
    if (headless && *headless && strcmp(headless, "0"))
        return "HEADLESS is set";
#ifndef __APPLE__
    if (!driver && !getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
        return "no display (DISPLAY and WAYLAND_DISPLAY are not set)";
#endif
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1"); /* Ctrl-C is the program's */
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0)
        return SDL_GetError();
    const char *found = SDL_GetCurrentVideoDriver();
    if (driver || !found || (strcmp(found, "KMSDRM") && strcmp(found, "offscreen") && strcmp(found, "dummy")))
        return NULL;
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
    return "the display does not answer";
}

PlotWindow *plot_window_new(Plot *plot, const char *title, const char *save_prefix, const PlotKey *keys)
{
    double born = timer_now();
    const char *why = open_display();
    if (why)
        return no_window(why);
    SDL_Rect screen = {0, 0, 1280, 720};
    SDL_GetDisplayUsableBounds(0, &screen);
    int times = (int)fmax(1, floor(fmin(screen.w / 1600.0, screen.h / 900.0))); /* a dense screen: the same size to the eye */
    SDL_Window *sdl = SDL_CreateWindow(title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, plot->width * times,
                                       plot->height * times, SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (!sdl || !SDL_GetWindowSurface(sdl)) {
        no_window(SDL_GetError());
        SDL_QuitSubSystem(SDL_INIT_VIDEO);
        return NULL;
    }
    SDL_StartTextInput();
    PlotWindow *window = alloc(1, sizeof *window);
    window->plot = plot;
    window->sdl = sdl;
    window->keys = keys;
    window->save_prefix = format_new("%s", save_prefix);
    window->born = window->due = born;
    plot->hint = "? keys";
    return window;
}

void plot_window_free(PlotWindow *window)
{
    if (!window)
        return;
    window->plot->hint = NULL;
    SDL_DestroyWindow(window->sdl);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
    free(window->save_prefix);
    free(window->message);
    free(window);
}

/* ---- Events ---- */

static void save(PlotWindow *window)
{
    char *path = format_new("%s-%d.png", window->save_prefix, window->saved + 1);
    bool saved = plot_save(window->plot, path);
    window->saved += saved;
    free(window->message);
    window->message = format_new(saved ? "saved %s" : "could not write %s", path);
    window->message_until = timer_now() + MESSAGE;
    free(path);
}

/* A key that was typed: the window's own, or the program's (then true). */
static bool typed(PlotWindow *window, char key, PlotEvent *event)
{
    if (key == '?')
        window->help = !window->help;
    else if (key == 's')
        save(window);
    else
        *event = (PlotEvent){.kind = key == 'q' ? PLOT_QUIT : PLOT_KEY, .key = key, .panel = -1, .x = NAN, .y = NAN};
    window->plot->drawn = false;
    return key != '?' && key != 's';
}

/* Window coordinates to the figure's units. */
static void to_units(const PlotWindow *window, int x, int y, double *ux, double *uy)
{
    int w = 1, h = 1;
    SDL_GetWindowSize(window->sdl, &w, &h);
    *ux = (double)x / w * window->plot->width / window->plot->scale;
    *uy = (double)y / h * window->plot->height / window->plot->scale;
}

static int panel_under(const Plot *plot, double x, double y)
{
    for (int i = plot->panels - 1; i >= 0; i--) {
        Rect f = plot->panel[i]->frame;
        if (x >= f.x && x <= f.x + f.w && y >= f.y && y <= f.y + f.h)
            return i;
    }
    return -1;
}

static PlotEvent mouse_event(const PlotWindow *window, PlotEventKind kind, int index, double x, double y)
{
    PlotEvent event = {.kind = kind, .panel = index, .x = NAN, .y = NAN};
    if (index < 0 || index >= window->plot->panels)
        return event;
    const PlotPanel *panel = window->plot->panel[index];
    if (panel_surface(panel)) {
        if (kind == PLOT_CLICK && !surface_pick(panel, x, y, &event.x, &event.y))
            event.x = event.y = NAN;
        return event;
    }
    event.x = axis_value(&panel->x, (x - panel->frame.x) / panel->frame.w);
    event.y = axis_value(&panel->y, 1 - (y - panel->frame.y) / panel->frame.h);
    return event;
}

static bool mouse(PlotWindow *window, const SDL_Event *sdl, PlotEvent *event)
{
    double x, y, step_x, step_y;
    if (sdl->type == SDL_MOUSEWHEEL) {
        int at_x, at_y;
        SDL_GetMouseState(&at_x, &at_y);
        to_units(window, at_x, at_y, &x, &y);
        *event = mouse_event(window, PLOT_WHEEL, panel_under(window->plot, x, y), x, y);
        event->dy = sdl->wheel.y;
        return true;
    }
    if (sdl->type == SDL_MOUSEMOTION) {
        to_units(window, sdl->motion.x, sdl->motion.y, &x, &y);
        to_units(window, sdl->motion.xrel, sdl->motion.yrel, &step_x, &step_y);
        if (!window->pressed || !(sdl->motion.state & SDL_BUTTON_LMASK))
            return false;
        bool began = !window->dragged && hypot(x - window->pressed_x, y - window->pressed_y) > 4;
        if (!window->dragged && !began)
            return false;
        window->dragged = true;
        *event = mouse_event(window, PLOT_DRAG, window->pressed_panel, x, y);
        event->dx = began ? x - window->pressed_x : step_x;
        event->dy = began ? y - window->pressed_y : step_y;
        return true;
    }
    if (sdl->button.button != SDL_BUTTON_LEFT)
        return false;
    to_units(window, sdl->button.x, sdl->button.y, &x, &y);
    bool click = sdl->type == SDL_MOUSEBUTTONUP && window->pressed && !window->dragged;
    window->pressed = sdl->type == SDL_MOUSEBUTTONDOWN;
    if (window->pressed) {
        window->dragged = false;
        window->pressed_x = x;
        window->pressed_y = y;
        window->pressed_panel = panel_under(window->plot, x, y);
    }
    if (click)
        *event = mouse_event(window, PLOT_CLICK, window->pressed_panel, x, y);
    return click;
}

static void key_down(PlotWindow *window, SDL_Keycode key)
{
    if (key == SDLK_F11)
        SDL_SetWindowFullscreen(window->sdl, SDL_GetWindowFlags(window->sdl) & SDL_WINDOW_FULLSCREEN_DESKTOP
                                                 ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
}

bool plot_window_event(PlotWindow *window, PlotEvent *event)
{
    SDL_Event sdl;
    while (window && SDL_PollEvent(&sdl)) {
        bool given = false;
        switch (sdl.type) {
        case SDL_QUIT:
            given = typed(window, 'q', event);
            break;
        case SDL_TEXTINPUT: /* characters, not keys: '[' is elsewhere on each country's keyboard */
            given = sdl.text.text[0] > 0 && typed(window, sdl.text.text[0], event);
            break;
        case SDL_KEYDOWN:
            key_down(window, sdl.key.keysym.sym);
            given = sdl.key.keysym.sym == SDLK_ESCAPE && typed(window, 'q', event);
            break;
        case SDL_MOUSEMOTION: case SDL_MOUSEBUTTONDOWN: case SDL_MOUSEBUTTONUP: case SDL_MOUSEWHEEL:
            given = mouse(window, &sdl, event);
            break;
        }
        if (given)
            return true;
    }
    return false;
}

/* ---- Frames ---- */

static void draw(PlotWindow *window)
{
    Plot *plot = window->plot;
    int width, height;
    SDL_Surface *screen = SDL_GetWindowSurface(window->sdl); /* a new one after each resize */
    if (screen)
        plot_resize(plot, screen->w, screen->h);
    plot_image(plot, &width, &height);
    bool message = window->message && timer_now() < window->message_until;
    if (window->help)
        overlay_keys(plot, window->keys);
    if (message)
        overlay_line(plot, window->message);
    if (window->help || message)
        plot->drawn = false; /* the picture is to be drawn again without these */
}

static void present(PlotWindow *window)
{
    Plot *plot = window->plot;
    SDL_Surface *screen = SDL_GetWindowSurface(window->sdl);
    SDL_Surface *image = SDL_CreateRGBSurfaceWithFormatFrom(plot->pixel, plot->width, plot->height, 32, 4 * plot->width,
                                                            SDL_PIXELFORMAT_RGB888);
    if (screen && image && SDL_BlitSurface(image, NULL, screen, NULL) == 0)
        SDL_UpdateWindowSurface(window->sdl);
    SDL_FreeSurface(image);
}

void plot_window_show(PlotWindow *window)
{
    if (!window)
        return;
    double began = timer_now();
    draw(window);
    double drawn = timer_now();
    if (window->frames > 0 && window->due > drawn)
        SDL_Delay((Uint32)(1e3 * (window->due - drawn)));
    double woken = timer_now();
    present(window);
    double now = timer_now();
    if (window->frames == 0)
        window->first = now - window->born;
    window->last_draw = drawn - began + now - woken;
    window->draw[window->frames % FRAMES] = window->last_draw;
    window->frame[window->frames % FRAMES] = window->frames ? now - window->shown : FRAME;
    window->frames++;
    window->shown = now;
    window->due = fmax(window->due, woken - FRAME / 2) + FRAME; /* a late frame does not make the next ones hurry */
}

double plot_window_spare(const PlotWindow *window)
{
    return window ? window->due - timer_now() - window->last_draw : 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void quantiles(const double *times, int n, double *p50, double *p99)
{
    double sorted[FRAMES];
    memcpy(sorted, times, n * sizeof *times);
    qsort(sorted, n, sizeof *sorted, ascending);
    *p50 = sorted[n / 2];
    *p99 = sorted[(int)(0.99 * (n - 1))];
}

PlotTimes plot_window_times(const PlotWindow *window)
{
    PlotTimes times = {0};
    if (!window || window->frames == 0)
        return times;
    int n = window->frames < FRAMES ? window->frames : FRAMES;
    times.frames = window->frames;
    times.first = window->first;
    quantiles(window->draw, n, &times.draw_p50, &times.draw_p99);
    quantiles(window->frame, n, &times.frame_p50, &times.frame_p99);
    return times;
}

#else
PlotWindow *plot_window_new(Plot *plot, const char *title, const char *save_prefix, const PlotKey *keys)
{
    (void)plot, (void)title, (void)save_prefix, (void)keys;
#ifdef HAVE_CAIRO
    fprintf(stderr, "no window: built without SDL2 (Debian, Ubuntu: apt-get install libsdl2-dev, then build again); pictures go to PNG files\n");
#else
    fprintf(stderr, "no window and no pictures: built without Cairo (Debian, Ubuntu: apt-get install libcairo2-dev, then build again)\n");
#endif
    return NULL;
}

void plot_window_free(PlotWindow *window) { (void)window; }
bool plot_window_event(PlotWindow *window, PlotEvent *event) { return (void)window, (void)event, false; }
void plot_window_show(PlotWindow *window) { (void)window; }
double plot_window_spare(const PlotWindow *window) { return (void)window, 0; }
PlotTimes plot_window_times(const PlotWindow *window) { return (void)window, (PlotTimes){0}; }
#endif
