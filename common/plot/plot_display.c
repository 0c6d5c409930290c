/* plot_display.c: the display that a window is on: opened within a time limit, and watched: when it
 * goes away (the X server ends, ssh -X is cut), the program goes on without its window.
 */
#include "plot_inside.h"
#include <stdlib.h>
#include <string.h>

const char *display_unwanted(void)
{
    const char *headless = getenv("HEADLESS");
    if (headless && *headless && strcmp(headless, "0"))
        return "HEADLESS is set";
#ifndef __APPLE__
    if (!getenv("SDL_VIDEODRIVER") && !getenv("WAYLAND_DISPLAY") && !getenv("DISPLAY"))
        return "no display (DISPLAY and WAYLAND_DISPLAY are not set)";
#endif
    return NULL;
}

#if defined HAVE_SDL2 && defined HAVE_CAIRO
#include <SDL.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char closed[] = "the display closed the connection",
                  silent[] = "the display does not answer";

/* ---- A display that goes away ---- */
/* Xlib then calls a function that must not return, or it ends the program. */
static jmp_buf before_use;

static int display_gone(void *display) { longjmp(before_use, 1); }

bool display_use(void (*use)(void *context), void *context)
{
    if (setjmp(before_use))
        return false;
    use(context);
    return true;
}

static void notice_its_end(void)
{
#ifndef __APPLE__
    void *x11 = SDL_LoadObject("libX11.so.6"); /* as SDL does it; it stays loaded */
    void (*handle)(int (*)(void *)) = NULL;
    if (x11)
        *(void **)&handle = SDL_LoadFunction(x11, "XSetIOErrorHandler");
    if (handle)
        handle(display_gone);
#endif
}

/* ---- A display that does not answer ---- */
enum { FILES = 1024, PATIENCE = 10 /* seconds */, LOOKS = 4 /* a second */ };
typedef struct Opening {
    const char *only; /* the SDL driver to try; NULL: all */
    int failed;
    bool cut, was_open[FILES];
    pthread_t thread; /* that opens it */
    SDL_sem *over;
} Opening;

static double used_by(pthread_t thread)
{
    clockid_t clock;
    struct timespec used = {0};
    if (pthread_getcpuclockid(thread, &clock) == 0)
        clock_gettime(clock, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/* When the opening thread has had nothing to do for PATIENCE seconds, the connections that it made
 * are cut: then they fail. A slow display (ssh) gives it something to do at each of its answers. */
static int limit(void *opening)
{
    Opening *o = opening;
    double before = -1;
    for (int idle = 0; SDL_SemWaitTimeout(o->over, 1000 / LOOKS) == SDL_MUTEX_TIMEDOUT;) {
        double now = used_by(o->thread);
        idle = now > before ? 0 : idle + 1;
        before = now;
        if (idle < PATIENCE * LOOKS)
            continue;
        for (int file = 0; file < FILES; file++)
            if (!o->was_open[file] && shutdown(file, SHUT_RDWR) == 0)
                o->cut = true;
        idle = 0;
    }
    return 0;
}

static void open_it(void *opening)
{
    Opening *o = opening;
    o->failed = SDL_VideoInit(o->only);
}

/* NULL, or why SDL does not open it. */
static const char *start(const char *only)
{
    Opening o = {.only = only, .thread = pthread_self(), .over = SDL_CreateSemaphore(0)};
    for (int file = 0; file < FILES; file++)
        o.was_open[file] = fcntl(file, F_GETFD) >= 0;
    SDL_Thread *limiter = SDL_CreateThread(limit, "display", &o);
    bool there = display_use(open_it, &o);
    SDL_SemPost(o.over);
    SDL_WaitThread(limiter, NULL);
    SDL_DestroySemaphore(o.over);
    if (!there)
        return closed;
    if (o.failed)
        return o.cut || only ? silent : SDL_GetError();
    return NULL;
}

/* SDL crashes on a Wayland display that falls silent while it is opened, or has no seat (keyboard
 * and mouse; `weston --backend=headless`). So ask first what it has. NULL, or what is wrong. */
static const char *ask_wayland(void)
{
    const char *name = getenv("WAYLAND_DISPLAY"), *folder = getenv("XDG_RUNTIME_DIR");
    if (getenv("WAYLAND_SOCKET"))
        return NULL;
    name = name ? name : "wayland-0";
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof at.sun_path, "%s/%s", *name != '/' && folder ? folder : "", name);
    /* The registry shall be object 2; when it has listed all, 3 answers. A message: object, its
     * size in the upper half of a word and which call in the lower one, arguments. */
    static const uint32_t ask[] = {1, 12 << 16 | 1, 2, 1, 12 << 16, 3};
    uint32_t answer[8192], length = 0, message = 0; /* words */
    int display = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool listed = false;
    if (connect(display, (struct sockaddr *)&at, sizeof at) == 0 &&
        send(display, ask, sizeof ask, MSG_NOSIGNAL) == sizeof ask)
        for (struct pollfd in = {display, POLLIN, 0}; !listed;) {
            ssize_t bytes = poll(&in, 1, 1000 * PATIENCE) > 0
                              ? recv(display, answer + length, sizeof answer - 4 * length, 0)
                              : 0;
            if (bytes <= 0 || bytes % 4)
                break;
            length += (uint32_t)bytes / 4;
            while (message + 2 <= length && answer[message] != 3 && answer[message + 1] >> 18)
                message += answer[message + 1] >> 18;
            listed = message < length && answer[message] == 3;
        }
    close(display);
    if (!listed)
        return silent;
    return memmem(answer, 4 * length, "wl_seat", 8) ? NULL
                                                    : "the display has no keyboard and no mouse";
}

/* X first, as SDL 2 does. Its last resorts (a bare console, no screen) do not count. */
static const char *start_any(void)
{
#ifdef __APPLE__
    return start(NULL);
#endif
    const char *driver = getenv("SDL_VIDEODRIVER"), *why = NULL;
    if (driver) {
        why = strcmp(driver, "wayland") ? NULL : ask_wayland();
        return why ? why : start(NULL);
    }
    if (!getenv("DISPLAY") || (why = start("x11")))
        if (getenv("WAYLAND_DISPLAY") && why != closed && !(why = ask_wayland()))
            why = start("wayland");
    return why;
}

const char *display_open(void)
{
    const char *why = display_unwanted();
    if (why)
        return why;
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");    /* the program handles Ctrl-C */
    SDL_LogSetAllPriority(SDL_LOG_PRIORITY_CRITICAL); /* a lost Wayland display: we say it */
    notice_its_end();
    if ((why = start_any()))
        return why;
    /* Straight to the screen: through OpenGL a frame is copied three times more, and where the
     * processor itself stands in for a GPU, that takes a third of it. Wayland has no other way. */
    const char *found = SDL_GetCurrentVideoDriver();
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, found && !strcmp(found, "wayland") ? "1" : "0");
    return NULL;
}

/* ---- The size of a window ---- */
/* Two thirds of a large screen, so that text looks the same everywhere; more where its pixels are
 * small; never more than there is, less a title bar. Wayland scales by itself. */
void display_fit(int *width, int *height)
{
    const char *driver = SDL_GetCurrentVideoDriver();
    SDL_Rect screen = {0, 0, 1280, 720};
    SDL_GetDisplayUsableBounds(0, &screen);
    float dpi = 96;
    if (!driver || strcmp(driver, "x11") || SDL_GetDisplayDPI(0, NULL, &dpi, NULL) != 0)
        dpi = 96;
    double dense = fmax(1, floor(dpi / 96 + 0.05)),
           times = fmax(dense, fmin(screen.w / 1920.0, screen.h / 1080.0));
    times = fmin(times, fmin((screen.w - 16 * dense) / *width, (screen.h - 48 * dense) / *height));
    *width = (int)fmax(1, *width * times);
    *height = (int)fmax(1, *height * times);
}
#endif
