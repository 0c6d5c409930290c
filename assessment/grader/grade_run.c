/* grade_run.c: train the submission on P ranks, against a clock that starts with the first process.
 *
 * Nothing isolates the submission yet: it runs as this user and can read and write what this user
 * can. Grade only code that you would run yourself. A sandbox belongs into enter(), the only place
 * where a submission's code is started: one bubblewrap around launch.sh and all ranks, without a
 * network, with read access to the library, the program and the run's `data` alone, and write
 * access to the run's folder alone. (The compiler in grade_build.c needs one, too: #include reads
 * files.)
 */
#include "check.h"
#include "child.h"
#include "file.h"
#include "grade.h"
#include "timer.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const double GRACE = 5; /* seconds after the budget until a run is killed */

typedef struct Training {
    const GradeOptions *o;
    double budget;
    const Paths *at;
} Training;

/* Each rank draws different initial weights: a missing broadcast must show. */
static const char each_rank[] =
    "exec \"$0\" \"$@\" --init-seed $((LABS_SEED + ${OMPI_COMM_WORLD_RANK:-0}))";

static void enter(void *context)
{
    const Training *t = context;
    char *np = format_new("%d", t->o->np), *seed = format_new("%lld", (long long)t->o->seed);
    char *budget = format_new("%g", t->budget), *out = format_new("%s/out", t->at->dir);
    setenv("LABS_EVIDENCE", t->at->socket, 1);
    setenv("LABS_SEED", seed, 1);
    unsetenv("DATA_DIR");
    execl("common/setup/launch.sh", "launch.sh", "--np", np, "bash", "-c", each_rank,
          t->at->program, "--data", "cifar10", "--data-dir", t->at->data, "--budget", budget,
          "--weights", t->at->weights, "--out", out, "--seed", seed, "--device", t->o->device,
          (char *)NULL);
    perror("common/setup/launch.sh");
    _exit(EXIT_USAGE);
}

char *log_line(const char *log, const char *word)
{
    char line[4096], *last = format_new("%s", ""), *error; /* it may have replaced its log */
    FILE *file = file_open(log, &error);
    free(error);
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

enum { MOST_WEIGHTS = 1 << 28 }; /* bytes of a file */

/* A file of its own alone: a link could lead to anybody's weights, and a pipe would be waited for.
 * checkpoint_save puts a file in place as a whole. */
static void hand_in(const Paths *at)
{
    struct stat info;
    int fd = open(at->weights, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool good = fd >= 0 && !fstat(fd, &info) && S_ISREG(info.st_mode) &&
                info.st_size <= MOST_WEIGHTS;
    if (good) {
        NewFile *copy = file_begin(at->handed_in);
        char bytes[1 << 16];
        ssize_t got, all = 0;
        while (all <= MOST_WEIGHTS && (got = read(fd, bytes, sizeof bytes)) > 0) {
            file_put(copy, bytes, (size_t)got);
            all += got;
        }
        char *error = file_commit(copy);
        REQUIRE(!error, "%s", error);
    }
    if (fd >= 0)
        close(fd);
}

/* child_run() in a process of its own: it ends all children of its caller, of which the collector
 * of the evidence is one. */
static ChildEnd run_apart(const Child *child, double budget, const Paths *at)
{
    double deadline = timer_now() + budget;
    bool handed_in = false;
    ChildEnd *end = mmap(NULL, sizeof *end, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                         0);
    REQUIRE(end != MAP_FAILED, "out of memory: no room for a run's end");
    fflush(NULL);
    pid_t process = fork();
    REQUIRE(process >= 0, "cannot start a process: %s", strerror(errno));
    if (!process) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        *end = child_run(child);
        _exit(0);
    }
    int status;
    while (waitpid(process, &status, WNOHANG) == 0) {
        if (!handed_in && timer_now() >= deadline) {
            hand_in(at);
            handed_in = true;
        }
        usleep(5000);
    }
    if (!handed_in)
        hand_in(at);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the run's guard ended by itself");
    ChildEnd copy = *end;
    munmap(end, sizeof *end);
    return copy;
}

Finding grade_run(const GradeOptions *o, double budget, const Paths *at, double *seconds)
{
    Finding f = {0};
    Training training = {o, budget, at};
    ChildEnd ended = run_apart(&(Child){.work = enter,
                                        .context = &training,
                                        .streams = CHILD_OUT | CHILD_ERR,
                                        .log = at->run_log,
                                        .seconds = budget + GRACE},
                               budget, at);
    *seconds = ended.seconds;
    if (ended.timed_out) {
        f.found = format_new("still running %.0f s after the budget of %.0f s, so killed", GRACE,
                             budget);
        f.advice = format_new(
            "end by --budget, however slow the machine; or does a rank hang in a collective that "
            "another one does not call? Its output: %s",
            at->run_log);
    } else if (ended.status != 0) {
        char *line = log_line(at->run_log, "error: ");
        f.found = format_new("ended after %.1f s with status %d: %s", ended.seconds, ended.status,
                             line);
        f.advice =
            format_new("run it as the grader does, with 'make assessment NP=%d'; its output: %s",
                       o->np, at->run_log);
        free(line);
    } else if (ended.seconds > budget) {
        f.found = format_new("ended after %.1f s, %.1f s late: the weights count that were there "
                             "in time",
                             ended.seconds, ended.seconds - budget);
        f.advice = format_new(
            "the clock runs from the start of the first process to the end of the last: leave more "
            "time after the training");
    } else {
        f.passed = true;
        f.found = format_new("%d ranks ended after %.1f s of %.0f s", o->np, ended.seconds, budget);
    }
    return f;
}
