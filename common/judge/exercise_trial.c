/* exercise_trial.c: see exercise_trial.h. The exercise may have closed every file, changed the
 * folder or filled the stack: the verdict needs none of them. */
#include "exercise_trial.h"
#include "check.h"
#include "exercise.h"
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* What belongs to the process and not to the exercise, which must leave it as it was. */
typedef struct Surroundings {
    int rounding;
    mode_t mask;
    dev_t device;
    ino_t folder;
} Surroundings;

/* This process's; file is NULL where no exercise is tried. */
static struct {
    char *file; /* of the verdict, from the root */
    pid_t self;
    uintptr_t stack; /* where it begins; it grows downwards */
} trial;

static _Noreturn void deliver(int status, const char *verdict)
{
    close(STDIN_FILENO); /* frees one descriptor in any case */
    int file = trial.self == getpid() ? open(trial.file, O_WRONLY | O_TRUNC) : -1;
    ssize_t written = file < 0 ? -1 : write(file, verdict, strlen(verdict));
    _exit(written > 0 ? status : EXIT_USAGE);
}

void exercise_wrong(const char *format, ...)
{
    char text[2000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!trial.file)
        die(EXIT_WRONG, "%s", text);
    fflush(stdout);
    deliver(EXIT_WRONG, text);
}

/* ---- a crash explained ---- */

/* Nothing but the stack lies within its limit below its start, nor within 128 MiB: the kernel
 * leaves room. */
static void on_crash(int signal_number, siginfo_t *info, void *unused)
{
    enum { ROOM = 128 << 20, PAGE = 4096 };
    struct rlimit limit;
    uintptr_t at = (uintptr_t)info->si_addr, room = ROOM;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur > room)
        room = limit.rlim_cur;
    if (at < PAGE)
        deliver(EXIT_WRONG, "it crashed (Segmentation fault): it used a NULL pointer");
    if (at < trial.stack && trial.stack - at < room)
        deliver(EXIT_WRONG, "it crashed: the stack is full: does it call itself without end, or "
                            "have very large arrays?");
    deliver(EXIT_WRONG, "it crashed (Segmentation fault): it used memory that it does not have");
}

/* Unless a sanitizer does so, which says more. */
static void catch_crashes(void)
{
    static char stack[1 << 16]; /* the usual one may be full */
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK},
                     present;
    if (sigaction(SIGSEGV, NULL, &present) != 0 || present.sa_handler != SIG_DFL)
        return;
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

/* ---- what it leaves behind ---- */

static Surroundings surroundings(void)
{
    struct stat folder = {0};
    mode_t mask = umask(0);
    umask(mask);
    if (stat(".", &folder) != 0)
        folder = (struct stat){0};
    return (Surroundings){fegetround(), mask, folder.st_dev, folder.st_ino};
}

/* NULL: it left all as it was. */
static const char *left_changed(Surroundings before)
{
    Surroundings now = surroundings();
    return now.rounding != before.rounding           ? "the rounding mode"
         : now.mask != before.mask                   ? "the mask for new files (umask)"
         : now.device != before.device               ? "the current folder"
         : now.folder != before.folder               ? "the current folder"
         : strcmp(setlocale(LC_ALL, NULL), "C") != 0 ? "the language of numbers (setlocale)"
         : fcntl(STDOUT_FILENO, F_GETFD) < 0         ? "the standard output, closed"
         : fcntl(STDERR_FILENO, F_GETFD) < 0         ? "the standard error, closed"
                                                     : NULL;
}

void trial_run(const char *file, void (*judge)(void *unused))
{
    char here;
    struct stat about;
    trial.file = realpath(file, NULL);
    REQUIRE(trial.file && stat(trial.file, &about) == 0 && about.st_size == 0,
            "%s: not an empty file for the verdict: let the check start this program", file);
    trial.self = getpid();
    trial.stack = (uintptr_t)&here;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* a crash loses no line */
    signal(SIGXFSZ, SIG_DFL);              /* a file without end ends it: start_streams.c */
    catch_crashes();
    Surroundings before = surroundings();
    judge(NULL);
    const char *changed = left_changed(before);
    if (changed)
        exercise_wrong("it changed something and left it so: %s", changed);
    fflush(stdout);
    deliver(0, TRIAL_RIGHT);
}
