/* child.c: see child.h. */
#include "child.h"
#include "check.h"
#include "child_alone.h"
#include "child_family.h"
#include "timer.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK = 5, MOST_TEXT = 65535 }; /* milliseconds between two polls; bytes */

/* Seconds for mpirun to end its ranks. */
static const double GOODBYE = 3;

/* Seconds between two looks at all processes. */
static const double LOOK = 0.03;

/* Bytes of a file, where no limit is given: an endless log must not fill the disk. */
static const rlim_t MOST_BYTES = (rlim_t)1 << 30;

/* End this process when its parent ends. */
static void end_with_parent(int by_signal) { prctl(PR_SET_PDEATHSIG, by_signal); }

/* ---- the child ---- */

static _Noreturn void be_child(const Child *c, int text, int delivery)
{
    setsid();
    end_with_parent(c->alone ? SIGKILL : SIGTERM); /* a launcher must end its ranks */
    rlim_t bytes = c->most_file > 0 ? (rlim_t)c->most_file : MOST_BYTES;
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, bytes});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(SIGXFSZ, SIG_DFL); /* it ends what prints without end */
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int to = c->log ? open(c->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : text;
    if (in < 0 || to < 0) {
        fprintf(stderr, "error: %s: %s\n", in < 0 ? "/dev/null" : c->log, strerror(errno));
        _exit(EXIT_USAGE);
    }
    dup2(in, STDIN_FILENO);
    if (c->streams & CHILD_OUT)
        dup2(to, STDOUT_FILENO);
    if (c->streams & CHILD_ERR)
        dup2(to, STDERR_FILENO);
    if (c->alone)
        child_stay_alone(c->work ? NULL : c->command[0]);
    if (c->spare)
        child_spare(getppid());
    if (c->confined)
        child_confine();
    if (!c->work) {
        execvp(c->command[0], (char *const *)c->command);
        fprintf(stderr, "error: %s: %s\n", c->command[0], strerror(errno));
        _exit(127);
    }
    c->work(c->context);
    fflush(NULL);
    _exit(write(delivery, "", 1) == 1 ? 0 : EXIT_USAGE);
}

/* ---- its descendants ---- */

/* Kill them until this process has no child. patience: seconds to end by themselves. */
static void end_descendants(double patience)
{
    double began = timer_real();
    pid_t ended;
    while ((ended = waitpid(-1, NULL, WNOHANG)) >= 0 || errno == EINTR) {
        if (ended > 0)
            continue;
        if (timer_real() - began > patience)
            family_kill();
        poll(NULL, 0, TICK);
    }
}

/* ---- its output ---- */

enum { TEXT, DELIVERY, PIPES };

static int pipe_new(struct pollfd *from) /* returns the end to write to */
{
    int fd[2];
    REQUIRE(pipe(fd) == 0, "cannot make a pipe: %s: too many open files?", strerror(errno));
    fcntl(fd[0], F_SETFD, FD_CLOEXEC);
    fcntl(fd[1], F_SETFD, FD_CLOEXEC);
    fcntl(fd[0], F_SETFL, O_NONBLOCK);
    *from = (struct pollfd){.fd = fd[0], .events = POLLIN};
    return fd[1];
}

/* Read up to `room` bytes that have arrived; 0: none. Closes a pipe without a writer. */
static size_t take(struct pollfd *from, char *to, size_t room)
{
    ssize_t got = from->fd < 0 ? -1 : read(from->fd, to, room);
    if (got == 0) {
        close(from->fd);
        from->fd = -1;
    }
    return got > 0 ? (size_t)got : 0;
}

/* Keep the text that has arrived and drop text beyond the room: the child must never block. Returns
 * the bytes of text read; *length: of all so far. */
static size_t listen_to(struct pollfd pipes[PIPES], ChildEnd *end, long *length)
{
    char chunk[16384];
    size_t got = take(&pipes[TEXT], chunk, sizeof chunk);
    for (size_t i = 0; end->text && i < got && *length + (long)i < MOST_TEXT; i++)
        end->text[*length + (long)i] = chunk[i] ? chunk[i] : '?'; /* a zero would end the text */
    *length += (long)got;
    end->came_back |= take(&pipes[DELIVERY], (char[1]){0}, 1) == 1;
    return got;
}

/* ---- its limits ---- */

__attribute__((format(printf, 2, 3))) static void end_by(ChildEnd *end, const char *why, ...)
{
    va_list limits;
    va_start(limits, why);
    vsnprintf(end->killed, sizeof end->killed, why, limits);
    va_end(limits);
}

/* What the watching of a child remembers. */
typedef struct Watch {
    double looked; /* when last at all processes */
    double shared; /* bytes of the machine's shared memory at the start */
    double grown;  /* by these, when the child was killed for it */
} Watch;

/* Its memory each time, that of all its processes and their count now and then: to look through the
 * machine's processes takes a millisecond or two. */
static void judge_family(const Child *c, pid_t child, Watch *w, ChildEnd *end)
{
    if (c->most_gib <= 0 && c->most_started <= 0)
        return;
    bool all = timer_real() - w->looked > LOOK;
    Family f = all ? family_now() : (Family){1, family_bytes_of(child), false};
    if (all)
        w->looked = timer_real();
    double most = c->most_gib > 0 ? c->most_gib * (1 << 30) : INFINITY;
    bool greedy = f.bytes > most;
    if (!greedy && all && c->confined && family_shared() - w->shared > most) {
        w->grown = family_shared() - w->shared;
        greedy = true;
    }
    bool many = c->most_started > 0 && f.processes > c->most_started;
    if (greedy || many)
        family_kill(); /* at once, before the machine suffers */
    else if (f.stopped)
        family_kill_youngest(); /* a launcher would wake it up */
    if (many)
        end_by(end, "it started more than %d processes", c->most_started);
    else if (greedy)
        end_by(end, "it used more than %g GiB of memory", c->most_gib);
    else if (f.stopped)
        end_by(end, "it stopped itself");
}

/* Is it still running after its seconds? */
static bool is_late(const Child *c, pid_t child, const ChildEnd *end)
{
    double counted = end->seconds;
    if (c->alone && counted > c->seconds && counted < 10 * c->seconds)
        counted -= fmax(0, timer_waited_of(child)); /* not known: 0 */
    return c->seconds > 0 && counted > c->seconds;
}

/* Sets end->killed if the child is beyond a limit. */
static void judge_limits(const Child *c, pid_t child, Watch *w, long length, ChildEnd *end)
{
    if (is_late(c, child, end)) {
        end->timed_out = true;
        end_by(end, "it does not end: still running after %g s", c->seconds);
    } else if (c->most_text > 0 && length > c->most_text)
        end_by(end, "it printed more than %ld KiB", c->most_text >> 10);
    else if (c->stop && *c->stop)
        end_by(end, "it was stopped");
    else
        judge_family(c, child, w, end);
}

/* Was it the child's shared memory? Then most of it is gone now; the kernel may take a moment. */
static bool was_another(const Watch *w)
{
    double freed = 0;
    for (int i = 0; w->grown > 0 && i < 100 && freed < w->grown / 2; i++) {
        freed = w->shared + w->grown - family_shared();
        poll(NULL, 0, 10 * TICK);
    }
    return freed < w->grown / 2;
}

/* Until the child ends, by itself or at a limit. */
static void watch(const Child *c, pid_t child, struct pollfd pipes[PIPES], ChildEnd *end)
{
    double began = timer_real();
    Watch w = {.looked = began, .shared = family_shared()};
    long length = 0;
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(child, &status, WNOHANG | WUNTRACED)) == 0 || WIFSTOPPED(status)) {
        end->seconds = timer_real() - began;
        if (ended > 0)
            end_by(end, "it stopped itself");
        if (!*end->killed)
            judge_limits(c, child, &w, length, end);
        if (*end->killed)
            kill(-child, SIGKILL); /* repeatedly: at first it may not have its session yet */
        poll(pipes, PIPES, TICK);
        listen_to(pipes, end, &length);
    }
    end->seconds = timer_real() - began;
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end->status = end->signal ? 128 + end->signal : WEXITSTATUS(status);
    kill(-child, SIGKILL);
    end_descendants(*end->killed ? GOODBYE : 0);
    end->not_its = was_another(&w);
    while (listen_to(pipes, end, &length) > 0)
        ;
}

ChildEnd child_run(const Child *c)
{
    ChildEnd end = {.text = c->streams && !c->log ? alloc(MOST_TEXT + 1, 1) : NULL};
    struct pollfd pipes[PIPES];
    int text = pipe_new(&pipes[TEXT]), delivery = pipe_new(&pipes[DELIVERY]);
    family_adopt(true);
    fflush(NULL);
    pid_t child = fork();
    REQUIRE(child >= 0, "cannot start a process: %s: too many?", strerror(errno));
    if (child == 0)
        be_child(c, text, delivery);
    close(text);
    close(delivery);
    watch(c, child, pipes, &end);
    for (int i = 0; i < PIPES; i++)
        if (pipes[i].fd >= 0)
            close(pipes[i].fd);
    family_adopt(false);
    return end;
}
