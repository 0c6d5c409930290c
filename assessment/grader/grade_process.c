/* grade_process.c: a piece of work in a process of its own, from its first moment against the clock.
 *
 * A submission may loop for ever, or leave processes behind that go on computing or writing. So this process makes
 * itself the parent of all orphans among its descendants (PR_SET_CHILD_SUBREAPER) and ends them one generation after
 * the other, until it has no child.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "check.h"
#include "grade.h"
#include "timer.h"

static const double GOODBYE = 3; /* seconds that mpirun has for ending its ranks when it is told to */
static const rlim_t MOST_BYTES = 1ll << 30; /* of any file that is written: a log without end must not fill the disk */

static void pause_briefly(void) { nanosleep(&(struct timespec){0, 10000000}, NULL); }

/* The parent of a process, from /proc/PID/stat: "PID (any name) state parent …"; -1: it is gone. */
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

static void signal_children(int number)
{
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (isdigit((unsigned char)entry->d_name[0]) && parent_of(entry->d_name) == getpid())
            kill(atoi(entry->d_name), number);
    if (folder)
        closedir(folder);
}

/* End what is left of our descendants. patience: seconds in which they may end by themselves. */
static void end_children(double patience)
{
    double began = timer_now();
    pid_t ended;
    while ((ended = waitpid(-1, NULL, WNOHANG)) >= 0 || errno == EINTR) {
        if (ended > 0)
            continue;
        if (timer_now() - began > patience)
            signal_children(SIGKILL);
        pause_briefly();
    }
}

static _Noreturn void be_child(void (*work)(const void *), const void *context, const char *log)
{
    setsid();                          /* the terminal's Ctrl-C is for the grader … */
    prctl(PR_SET_PDEATHSIG, SIGTERM);  /* … and its end is ours */
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){MOST_BYTES, MOST_BYTES});
    int in = open("/dev/null", O_RDONLY), out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (in < 0 || out < 0)
        _exit(EXIT_USAGE);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    close(in);
    close(out);
    work(context);
    fflush(NULL);
    _exit(0);
}

Ended process_run(void (*work)(const void *), const void *context, const char *log, double seconds)
{
    Ended ended = {0};
    int status = 0;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fflush(NULL);
    double began = timer_now();
    pid_t child = fork();
    REQUIRE(child >= 0, "no process can be started: %s: too many?", strerror(errno));
    if (child == 0)
        be_child(work, context, log);
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (!ended.killed && timer_now() - began > seconds) {
            ended.killed = true;
            kill(-child, SIGKILL);
        }
        pause_briefly();
    }
    ended.seconds = timer_now() - began;
    ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    end_children(ended.killed ? GOODBYE : 0);
    return ended;
}

static void remove_it(const void *path) { execlp("rm", "rm", "-rf", "--", (const char *)path, (char *)NULL); }

void process_remove(const char *path) { process_run(remove_it, path, "/dev/null", 60); }

char *log_line(const char *log, const char *word)
{
    FILE *file = fopen(log, "r");
    char line[4096], *last = format_new("%s", "");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = 0;
        char *at = strstr(line, word);
        found = at != NULL;
        if (!*line)
            continue;
        free(last);
        last = format_new("%.300s", found ? at : line);
    }
    if (file)
        fclose(file);
    return last;
}
