/* plot_display.c: the display that a window is on: opened within a time limit, and watched: when it
 * goes away or stops responding (the X server ends, ssh -X is cut), the program continues without
 * its window.
 */
#include "check.h"
#include "plot_inside.h"
#include "timer.h"
#include <stdlib.h>
#include <string.h>

const char *display_unwanted(void)
{
    const char *headless = getenv("HEADLESS");
    if (headless && *headless && strcmp(headless, "0"))
        return "HEADLESS is set";
    if (!getenv("SDL_VIDEODRIVER") && !getenv("WAYLAND_DISPLAY") && !getenv("DISPLAY"))
        return "no display (DISPLAY and WAYLAND_DISPLAY are not set)";
    return NULL;
}

#if defined HAVE_SDL2 && defined HAVE_CAIRO
#include <SDL.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char closed[] = "the display closed the connection",
                  silent[] = "the display does not answer";

enum { FILES = 1024, LOOKS = 4 /* a second */, OPENING = 10, LATER = 60 /* seconds */ };

static struct {
    jmp_buf before_use;
    pthread_t user;     /* the thread that uses it */
    atomic_long uses;   /* odd: it is in use now */
    atomic_bool opened; /* false: it is being opened */
    atomic_bool cut;
    bool before[FILES], ours[FILES]; /* open before; connections to it */
} display;

/* ---- A display that goes away ---- */
/* Xlib then calls a function that must not return, or it ends the program. */
static int display_gone(void *x11) { longjmp(display.before_use, 1); }

bool display_use(void (*use)(void *context), void *context)
{
    display.user = pthread_self();
    atomic_fetch_add(&display.uses, 1);
    bool there = !setjmp(display.before_use);
    if (there)
        use(context);
    atomic_fetch_add(&display.uses, 1);
    return there;
}

static void notice_its_end(void)
{
    void *x11 = SDL_LoadObject("libX11.so.6"); /* as SDL does it; it stays loaded */
    void (*handle)(int (*)(void *)) = NULL;
    if (x11)
        *(void **)&handle = SDL_LoadFunction(x11, "XSetIOErrorHandler");
    if (handle)
        handle(display_gone);
}

/* ---- A display that does not answer ---- */
static double used_by(pthread_t thread)
{
    clockid_t clock;
    struct timespec used = {0};
    if (pthread_getcpuclockid(thread, &clock) == 0)
        clock_gettime(clock, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/* When one use of the display has had nothing to do for so long, the connections to it are cut:
 * then it fails. A slow display (ssh) gives it something to do at each of its answers. An
 * open display has longer, unless the user wants to stop: a network may come back. */
static int limit(void *unused)
{
    long before = 0;
    double did = -1, idle = 0, now = timer_real();
    for (;;) {
        SDL_Delay(1000 / LOOKS);
        long use = atomic_load(&display.uses);
        double does = use % 2 ? used_by(display.user) : 0, last = now;
        now = timer_real();
        /* At most a second per look: the whole program may have been stopped (Ctrl-Z). */
        idle = use % 2 && use == before && does <= did ? idle + fmin(now - last, 1) : 0;
        before = use;
        did = does;
        if (idle < (display.opened && !stop_requested() ? LATER : OPENING))
            continue;
        for (int file = 0; file < FILES; file++)
            if ((display.opened ? display.ours[file] : !display.before[file]) &&
                shutdown(file, SHUT_RDWR) == 0)
                display.cut = true;
        idle = 0;
    }
    return 0;
}

const char *display_why(void) { return display.cut ? silent : closed; }

typedef struct Opening {
    const char *only; /* the SDL driver to try; NULL: all */
    int failed;
} Opening;

static void open_it(void *opening)
{
    Opening *o = opening;
    o->failed = SDL_VideoInit(o->only);
}

/* NULL, or why SDL does not open it. */
static const char *start(const char *only)
{
    static SDL_Thread *limiter;
    Opening o = {.only = only};
    display.opened = display.cut = false;
    for (int file = 0; file < FILES; file++)
        display.before[file] = fcntl(file, F_GETFD) >= 0;
    if (!limiter && (limiter = SDL_CreateThread(limit, "display", NULL)))
        SDL_DetachThread(limiter); /* it ends with the program */
    if (!display_use(open_it, &o))
        return display_why();
    if (o.failed)
        return display.cut || only ? silent : SDL_GetError();
    for (int file = 0; file < FILES; file++)
        display.ours[file] = !display.before[file] && fcntl(file, F_GETFD) >= 0;
    display.opened = true;
    return NULL;
}

/* SDL crashes on a Wayland display that stops responding while it is opened, or has no seat
 * (keyboard and mouse; `weston --backend=headless`). So ask first what it has. NULL, or what is
 * wrong. */
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
            ssize_t bytes = poll(&in, 1, 1000 * OPENING) > 0
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
