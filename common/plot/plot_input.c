/* plot_input.c: keys and mouse in the window: some belong to the window itself, the others become
 * events for the program. */
#include "check.h"
#include "plot_inside.h"
#include "timer.h"
#include <math.h>
#include <stdlib.h>

const PlotKey plot_keys[] = {{"space", "pause, continue"},
                             {".", "one step"},
                             {",", "one step back"},
                             {"[  ]", "learning rate"},
                             {"−  +", "batch size"},
                             {"r", "restart"},
                             {"mouse", "drag turns, wheel zooms, click picks a point"},
                             {NULL, NULL}};

bool plot_camera_move(PlotCamera *camera, const PlotEvent *event)
{
    if (event->kind != PLOT_DRAG && event->kind != PLOT_WHEEL)
        return false;
    if (camera->azimuth == 0 && camera->elevation == 0)
        camera->azimuth = 35, camera->elevation = 30;
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

static const double MESSAGE = 2.5, HOVER = 5; /* seconds */

void plot_window_say(PlotWindow *window, const char *text)
{
    free(window->message);
    window->message = format_new("%s", text);
    window->message_until = timer_real() + MESSAGE;
}

static void save(PlotWindow *window)
{
    char *path = format_new("%s-%d.png", window->save_prefix, window->saved + 1);
    bool saved = plot_save(window->plot, path);
    char *text = format_new(saved ? "saved %s" : "could not write %s", path);
    window->saved += saved;
    plot_window_say(window, text);
    free(text);
    free(path);
}

void window_lost(PlotWindow *window)
{
    if (!window->lost)
        note("no window any more: %s; the figure is saved as a PNG file", display_why());
    window->lost = true;
}

bool plot_window_saves(const PlotWindow *window) { return window->to_save > 0; }

void plot_save_asked(PlotWindow *window)
{
    for (; window->to_save > 0; window->to_save--)
        save(window);
}

/* A key was typed: handled by the window, or an event for the program (then true). */
static bool typed(PlotWindow *window, char key, PlotEvent *event)
{
    if (key == '?')
        window->help = !window->help;
    else if (key == 's')
        window->to_save++;
    else
        *event = (PlotEvent){
            .kind = key == 'q' ? PLOT_QUIT : PLOT_KEY, .key = key, .panel = -1, .x = NAN, .y = NAN};
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

static PlotEvent mouse_event(const PlotWindow *window, PlotEventKind kind, int index, double x,
                             double y)
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
        bool turns = window->pressed && (sdl->motion.state & SDL_BUTTON_LMASK);
        window->hover_x = x, window->hover_y = y;
        window->hover_until = turns ? 0 : timer_real() + HOVER;
        if (!turns)
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

static void full_screen(void *context)
{
    PlotWindow *window = context;
    bool on = !(SDL_GetWindowFlags(window->sdl) & SDL_WINDOW_FULLSCREEN_DESKTOP);
    SDL_Rect screen;
    int title_bar = 0;
    SDL_GetWindowBordersSize(window->sdl, &title_bar, NULL, NULL, NULL);
    /* Without a window manager nobody else resizes it. */
    bool alone = title_bar == 0 &&
                 SDL_GetDisplayBounds(SDL_GetWindowDisplayIndex(window->sdl), &screen) == 0;
    if (on)
        SDL_GetWindowSize(window->sdl, &window->width, &window->height);
    if (on && alone) {
        SDL_SetWindowPosition(window->sdl, screen.x, screen.y);
        SDL_SetWindowSize(window->sdl, screen.w, screen.h);
    }
    SDL_SetWindowFullscreen(window->sdl, on ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
    if (!on && alone) {
        SDL_SetWindowSize(window->sdl, window->width, window->height);
        SDL_SetWindowPosition(window->sdl, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED);
    }
}

void plot_window_full_screen(PlotWindow *window)
{
    if (!window->lost && !display_use(full_screen, window))
        window_lost(window);
}

/* The panel under the pointer fills the window; or all come back. */
static void fill_with_panel(PlotWindow *window)
{
    Plot *plot = window->plot;
    int at_x, at_y;
    double x, y;
    SDL_GetMouseState(&at_x, &at_y);
    to_units(window, at_x, at_y, &x, &y);
    plot->alone = plot->alone ? 0 : panel_under(plot, x, y) + 1;
    plot->drawn = false;
}

typedef struct Poll {
    PlotWindow *window;
    PlotEvent *event;
    bool given;
} Poll;

static void poll_event(void *context)
{
    Poll *poll = context;
    PlotWindow *window = poll->window;
    PlotEvent *event = poll->event;
    SDL_Event sdl;
    while (!poll->given && SDL_PollEvent(&sdl)) {
        bool given = false;
        switch (sdl.type) {
        case SDL_QUIT: /* without the button: a Wayland display went away */
            given = typed(window, 'q', event);
            if (!window->closing)
                window_lost(window);
            break;
        case SDL_TEXTINPUT: /* characters, not keys: '[' is elsewhere on each country's keyboard */
            given = sdl.text.text[0] > 0 && typed(window, sdl.text.text[0], event);
            break;
        case SDL_KEYDOWN:
            if (sdl.key.keysym.sym == SDLK_F11)
                full_screen(window);
            else if (sdl.key.keysym.sym == SDLK_TAB)
                fill_with_panel(window);
            given = sdl.key.keysym.sym == SDLK_ESCAPE && typed(window, 'q', event);
            break;
        case SDL_WINDOWEVENT:
            if (sdl.window.event == SDL_WINDOWEVENT_LEAVE)
                window->hover_until = 0;
            window->closing |= sdl.window.event == SDL_WINDOWEVENT_CLOSE;
            break;
        case SDL_MOUSEMOTION:
        case SDL_MOUSEBUTTONDOWN:
        case SDL_MOUSEBUTTONUP:
        case SDL_MOUSEWHEEL: given = mouse(window, &sdl, event); break;
        }
        poll->given = given;
    }
}

bool plot_window_event(PlotWindow *window, PlotEvent *event)
{
    if (!window)
        return false;
    Poll poll = {window, event, false};
    if (!window->lost && !display_use(poll_event, &poll))
        window_lost(window);
    if (window->lost && !window->quit)
        poll.given = window->quit = typed(window, 'q', event);
    return poll.given;
}

#else
bool plot_window_saves(const PlotWindow *window) { return false; }
void plot_window_full_screen(PlotWindow *window) {}
void plot_window_say(PlotWindow *window, const char *text) {}

bool plot_window_event(PlotWindow *window, PlotEvent *event)
{
    return (void)window, (void)event, false;
}
#endif
