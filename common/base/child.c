/* child.c: see child.h. */
#include "child.h"
#include "check.h"
#include "timer.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { TICK = 5, MOST_TEXT = 65535 }; /* milliseconds between two polls; bytes */

/* Seconds for mpirun to end its ranks. */
static const double GOODBYE = 3;

/* Bytes of a file: an endless log must not fill the disk. */
static const rlim_t MOST_BYTES = (rlim_t)1 << 30;

/* ---- Linux only ---- */

/* This process adopts its descendants' orphans. */
static void adopt_orphans(bool adopt)
{
#ifdef __linux__
    prctl(PR_SET_CHILD_SUBREAPER, adopt);
#endif
}

/* Terminate this process when its parent ends. */
static void end_with_parent(void)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
}

/* ---- the child ---- */

static _Noreturn void be_child(const Child *c, int text, int delivery)
{
    setsid();
    end_with_parent();
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){MOST_BYTES, MOST_BYTES});
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

/* The parent of a process, from /proc/PID/stat: "PID (any name) state parent …"; -1: gone. */
static pid_t parent_of(const char *pid)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *file = fopen(path, "r");
    char *end = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    int parent = -1;
    if (end)
        sscanf(end + 1, " %*c %d", &parent);
    if (file)
        fclose(file);
    return parent;
}

static void kill_children(void)
{
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (isdigit((unsigned char)entry->d_name[0]) && parent_of(entry->d_name) == getpid())
            kill(atoi(entry->d_name), SIGKILL);
    if (folder)
        closedir(folder);
}

/* Kill one generation after the other, until this process has no child. patience: seconds to end by
 * themselves. */
static void end_descendants(double patience)
{
    double began = timer_now();
    pid_t ended;
    while ((ended = waitpid(-1, NULL, WNOHANG)) >= 0 || errno == EINTR) {
        if (ended > 0)
            continue;
        if (timer_now() - began > patience)
            kill_children();
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
 * the bytes of text read. */
static size_t listen_to(struct pollfd pipes[PIPES], ChildEnd *end, size_t *length)
{
    char chunk[4096];
    size_t got = take(&pipes[TEXT], chunk, sizeof chunk), left = MOST_TEXT - *length;
    if (end->text) {
        memcpy(end->text + *length, chunk, got < left ? got : left);
        *length += got < left ? got : left;
    }
    end->came_back |= take(&pipes[DELIVERY], (char[1]){0}, 1) == 1;
    return got;
}

/* Until the child ends, by itself or at the limit. */
static void watch(pid_t child, double limit, struct pollfd pipes[PIPES], ChildEnd *end)
{
    double began = timer_now();
    size_t length = 0;
    int status;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (limit > 0 && timer_now() - began > limit) {
            end->timed_out = true;
            kill(-child, SIGKILL); /* repeatedly: at first it may not have its session yet */
        }
        poll(pipes, PIPES, TICK);
        listen_to(pipes, end, &length);
    }
    end->seconds = timer_now() - began;
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end->status = end->signal ? 128 + end->signal : WEXITSTATUS(status);
    kill(-child, SIGKILL);
    end_descendants(end->timed_out ? GOODBYE : 0);
    while (listen_to(pipes, end, &length) > 0)
        ;
}

ChildEnd child_run(const Child *c)
{
    ChildEnd end = {.text = c->streams && !c->log ? alloc(MOST_TEXT + 1, 1) : NULL};
    struct pollfd pipes[PIPES];
    int text = pipe_new(&pipes[TEXT]), delivery = pipe_new(&pipes[DELIVERY]);
    adopt_orphans(true);
    fflush(NULL);
    pid_t child = fork();
    REQUIRE(child >= 0, "cannot start a process: %s: too many?", strerror(errno));
    if (child == 0)
        be_child(c, text, delivery);
    close(text);
    close(delivery);
    watch(child, c->seconds, pipes, &end);
    for (int i = 0; i < PIPES; i++)
        if (pipes[i].fd >= 0)
            close(pipes[i].fd);
    adopt_orphans(false);
    return end;
}
