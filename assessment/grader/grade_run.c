/* grade_run.c: train the submission on P ranks, against a clock that starts with the first process,
 * in a sandbox (sandbox.sh) around launch.sh and all ranks.
 */
#include "check.h"
#include "child.h"
#include "file.h"
#include "grade.h"
#include "timer.h"
#include <errno.h>
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
    const Report *r;
    const Paths *at;
} Training;

/* Each rank draws different initial weights: a missing broadcast must show. */
static const char each_rank[] =
    ": >\"$1/" SANDBOX_STARTED "\"; shift; "
    "exec \"$0\" \"$@\" --init-seed $((LABS_SEED + ${OMPI_COMM_WORLD_RANK:-0}))";

/* Where the submission finds its files. */
typedef struct Places {
    const char *setup, *program, *data, *socket, *hand;
} Places;

static void enter(void *context)
{
    const Training *t = context;
    const Paths *at = t->at;
    const GradeOptions *o = t->r->o;
    bool kept = !at->no_sandbox;
    Places place = {"common/setup", at->program, at->data, at->socket, at->hand};
    Words w = {0};
    if (kept) {
        place = (Places){"/submission/setup", "/submission/train", "/submission/data",
                         "/submission/evidence", "/submission/hand"};
        sandbox_begin(&w, at);
        sandbox_show(&w, "common/setup/launch.sh", "/submission/setup/launch.sh");
        sandbox_show(&w, "common/setup/guard.sh", "/submission/setup/guard.sh");
        sandbox_show(&w, at->program, place.program);
        sandbox_show(&w, at->data, place.data);
        sandbox_show(&w, at->socket, place.socket);
        sandbox_show_there(&w, grade_built(o->compile, "labs_gpu.so")); /* which it loads */
        sandbox_end(&w);
    }
    unsetenv("DATA_DIR");
    words_add(&w, "env");
    words_add(&w, "LABS_EVIDENCE=%s", place.socket);
    words_add(&w, "LABS_SEED=%lld", (long long)o->seed);
    words_add(&w, "%s/launch.sh", place.setup);
    words_add(&w, "--np=%d", o->np);
    words_put(&w, "bash", "-c", each_rank, place.program, place.hand, "--data=cifar10", NULL);
    words_add(&w, "--data-dir=%s", place.data);
    words_add(&w, "--budget=%g", t->r->budget);
    words_add(&w, "--epochs=%d", o->epochs);
    words_add(&w, "--batch=%d", (t->r->batch + o->np - 1) / o->np);
    words_add(&w, "--weights=%s/weights.safetensors", place.hand);
    words_add(&w, "--out=%s/out", place.hand);
    words_add(&w, "--seed=%lld", (long long)o->seed);
    words_add(&w, "--device=%s", o->device);
    execvp(w.word[0], w.word);
    perror(w.word[0]);
    _exit(EXIT_USAGE);
}

/* checkpoint_save puts a file in place as a whole. */
static void hand_in(const char *weights, const Paths *at)
{
    free(sandbox_take(weights, at->handed_in));
}

/* After the run: no link leads elsewhere, and none can be made any more. */
static void keep_metrics(const Paths *at)
{
    char *own = format_new("%s/out/assessment/metrics.csv", at->hand), *real = realpath(own, NULL);
    if (real && !strcmp(real, own))
        free(sandbox_take(own, at->metrics));
    free(own), free(real);
}

typedef struct Outcome {
    ChildEnd end;
    bool started; /* a rank was */
    bool handed_in, full;
} Outcome;

/* child_run() in a separate process: it ends all children of its caller, including the collector of
 * the evidence, and its own view of the files has the limit on what is written. */
static void supervise(const Child *child, const Paths *at, Outcome *o)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sandbox_limit_files(at);
    o->end = child_run(child);
    o->full |= sandbox_is_full(at->hand);
    o->started = sandbox_started(at);
    if (!o->handed_in)
        hand_in(at->weights, at);
    keep_metrics(at);
}

static Outcome run_apart(const Child *child, double budget, const Paths *at)
{
    double deadline = timer_now() + budget;
    Outcome *o = mmap(NULL, sizeof *o, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(o != MAP_FAILED, "out of memory: cannot allocate the run record");
    Child stopped = *child; /* where it wrote too much */
    stopped.stop = &o->full;
    fflush(NULL);
    pid_t process = fork();
    REQUIRE(process >= 0, "cannot start a process: %s", strerror(errno));
    if (!process) {
        supervise(&stopped, at, o);
        _exit(0);
    }
    char *hand = format_new("/proc/%d/root%s", process, at->hand),
         *weights = format_new("/proc/%d/root%s", process, at->weights);
    int status;
    for (int look = 0; waitpid(process, &status, WNOHANG) == 0; look++) {
        bool full = o->full || (look % 16 == 0 && sandbox_is_full(hand));
        if (!o->handed_in && (full || timer_now() >= deadline)) {
            hand_in(weights, at);
            o->handed_in = true;
        }
        o->full = full;
        usleep(5000);
    }
    free(hand), free(weights);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0,
            "the supervisor process ended unexpectedly");
    if (o->full) {
        o->started = true;
        o->end = (ChildEnd){.status = 128 + SIGXFSZ, .seconds = budget + timer_now() - deadline};
        snprintf(o->end.killed, sizeof o->end.killed, "it wrote too much");
    }
    Outcome copy = *o;
    munmap(o, sizeof *o);
    return copy;
}

static bool log_is_full(const char *log)
{
    struct stat info;
    return stat(log, &info) == 0 && info.st_size >= MOST_FILE;
}

/* Which of several ranks that end at the same time mpirun names differs from run to run: none. */
static void unname_rank(char *line)
{
    static const char one[] = "a rank";
    char *rank = strstr(line, "rank "), *who = strstr(line, ": it was rank ");
    size_t digits = rank ? strspn(rank + 5, "0123456789") : 0;
    if (digits && !strncmp(rank + 5 + digits, " ended ", 7)) {
        memmove(rank + sizeof one - 1, rank + 5 + digits, strlen(rank + 5 + digits) + 1);
        memcpy(rank, one, sizeof one - 1);
    }
    char *rest = who ? strchr(who, ';') : NULL;
    if (rest) {
        *rest = ':';
        memmove(who, rest, strlen(rest) + 1);
    }
    char *resume = strstr(line, "; a run with checkpoints resumes");
    if (resume)
        *resume = 0;
}

/* What a run that ended with a status other than 0 said last. */
static Finding ended_wrong(const Report *r, const ChildEnd *ended, const char *log)
{
    Finding f = {0};
    char *line = log_line(log, "error: ");
    unname_rank(line);
    const char *signal = ended->status > 128 ? strsignal(ended->status - 128) : NULL;
    if (log_is_full(log)) {
        f.found = format_new("ended after %.1f s: it printed more than %d MiB", ended->seconds,
                             MOST_FILE >> 20);
        f.advice = format_new("print once per epoch, not per image; its output: %s",
                              log_name(r->o, log));
    } else {
        f.found = format_new("ended after %.1f s with status %d: %s", ended->seconds, ended->status,
                             *line || !signal ? line : signal);
        f.advice = format_new("see it with 'make assessment NP=%d'; its output: %s", r->o->np,
                              log_name(r->o, log));
    }
    free(line);
    return f;
}

Finding grade_run(const Report *r, const Paths *at, double *seconds)
{
    Finding f = {0};
    Training training = {r, at};
    double budget = r->budget;
    Outcome outcome = run_apart(&(Child){.work = enter,
                                         .context = &training,
                                         .streams = CHILD_OUT | CHILD_ERR,
                                         .log = at->run_log,
                                         .seconds = budget + GRACE,
                                         .most_file = MOST_FILE,
                                         .most_gib = MOST_GIB,
                                         .most_started = MOST_STARTED,
                                         .confined = true},
                                budget, at);
    ChildEnd ended = outcome.end;
    *seconds = ended.seconds;
    if ((!outcome.started && ended.status != 0) || ended.not_its) {
        char *line = log_line(at->run_log, "error: ");
        f.machine = ended.not_its;
        f.claimed = !f.machine;
        f.found = ended.not_its ? format_new("other programs used up the memory")
                                : format_new("no rank was started: %s", line);
        free(line);
    } else if (ended.timed_out) {
        f.found = format_new("still running %.0f s after the budget of %.0f s, so killed", GRACE,
                             budget);
        f.advice =
            format_new("stop within --budget, even on a slow machine; or does a rank hang in "
                       "a collective that another rank does not call? 'make assessment NP=%d', "
                       "then 'pkill -QUIT train' prints where each is. Its output: %s",
                       r->o->np, log_name(r->o, at->run_log));
    } else if (*ended.killed) {
        f.found = format_new("ended by the grader after %.1f s: %s", ended.seconds, ended.killed);
        f.advice = format_new("a training program does nothing like that; its output: %s",
                              log_name(r->o, at->run_log));
    } else if (ended.status != 0) {
        f = ended_wrong(r, &ended, at->run_log);
    } else if (ended.seconds > budget) {
        f.found = format_new("ended after %.1f s, %.1f s late: the weights written in time "
                             "count",
                             ended.seconds, ended.seconds - budget);
        f.advice = format_new(
            "the clock runs from the start of the first process to the end of the last: leave more "
            "time after the training");
    } else {
        f.passed = true;
        f.found = format_new("%d ranks ended after %.1f s of %.0f s", r->o->np, ended.seconds,
                             budget);
    }
    return f;
}
