/* call_watch.c: a thread per rank that reads the board ten times a second: does this rank wait for
 * something that cannot happen? It makes no MPI call, since MPI may be busy in another thread.
 */
#include "call_inside.h"
#include "check.h"
#include "number.h"
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int64_t SECOND = 1000000000;
enum { LEFT_AFTER = 1, ALL_WAIT = 5, USUAL = 600 }; /* seconds */
static const double A_TURN = 0.01; /* s of processor time, enough to leave a call that ended */

static struct {
    pthread_t thread;
    bool runs;
    atomic_bool over;
    double patience; /* seconds */
    /* of this rank's own wait: when the board's beats last changed, and their sum then */
    int64_t still_since;
    long beats;
    struct Served {                   /* of each rank of this machine, since its last beat */
        int64_t beat, looked, polled; /* `polled`: when it was first seen to have made the last
                                       * of its tests */
        double processor, before;     /* its processor time at the last look and the first, s */
        double seconds;               /* that it slept, or had a processor */
        double still;                 /* those before the board's beats last changed */
        bool slept;                   /* at the last look */
        long polls, tests;            /* its tests at the last look, and from the first to there */
    } * served;                       /* [size] */
} watch;
static volatile sig_atomic_t asked; /* by SIGQUIT */

double board_patience(void)
{
    const char *text = getenv("LABS_COMM_SECONDS");
    int64_t seconds = USUAL;
    REQUIRE(!text || number_whole(&seconds, text, 0, 1000000),
            "LABS_COMM_SECONDS=%s: expected whole seconds, 0 to 1000000 (0: never)", text);
    return seconds ? (double)seconds : INFINITY;
}

static double seconds_since(int64_t then) { return 1e-9 * (double)(board_clock() - then); }

/* Is rank r of the world one that the call needs? A collective needs those that have not come to
 * it. */
static bool needs(const CallRecord *l, int r)
{
    CallRecord theirs;
    if (r == board()->rank || !(l->members[r / 64] >> r % 64 & 1))
        return false;
    if (l->number)
        return !find_record(&board()->ranks[r], l, &theirs);
    return r == l->to_world || r == l->from_world;
}

/* ---- was it scheduled? ---- */

/* On a busy machine a rank that does not hang may still wait 10 s and more for a processor: Linux
 * runs a process that often calls sched_yield, as MPI does while it waits, after all others. */
static void update_served(int r)
{
    static const double LOOK = 0.2; /* s, at most: this process may have been stopped, too */
    const RankCalls *entry = &board()->ranks[r];
    struct Served *s = &watch.served[r];
    int64_t beat = atomic_load(&entry->since), now = board_clock();
    long polls = atomic_load(&entry->polls);
    double processor = rank_cpu_time(entry);
    bool sleeps = !rank_runs(entry) || processor == 0;
    if (beat != s->beat)
        *s = (struct Served){.beat = beat, .before = processor, .polls = polls};
    else if (!sleeps)
        s->seconds += processor - s->processor;
    else if (s->slept) /* twice: not just before it was woken, to wait for a processor */
        s->seconds += fmin(1e-9 * (double)(now - s->looked), LOOK);
    s->slept = sleeps;
    if (polls > s->polls) {
        s->tests += polls - s->polls;
        s->polled = now;
    }
    s->polls = polls;
    s->looked = now;
    s->processor = processor;
}

/* ---- the three reasons; each returns the message, NULL: none ---- */

static char *waits_for_left(const CallRecord *l)
{
    const Board *b = board();
    for (int r = 0; r < b->size; r++) {
        if (atomic_load(&b->ranks[r].state) != STATE_LEFT || !needs(l, r))
            continue;
        char why[200];
        snprintf(why, sizeof why,
                 "rank %d waits for rank %d, which has left: does it make fewer calls, or is one "
                 "inside 'if (rank == …)'? Now",
                 b->rank, r);
        return describe_hang(why);
    }
    return NULL;
}

/* Have the rank's tests completed nothing for long enough to count as waiting? */
static bool tests_in_vain(const RankCalls *entry)
{
    return atomic_load(&entry->state) == STATE_OUTSIDE && atomic_load(&entry->polls) > 0 &&
           seconds_since(atomic_load(&entry->since)) >= watch.patience;
}

/* Does rank r only poll? One that computes between its tests has more processor time per test. */
static bool only_polls(int r)
{
    static const double A_TEST = 1e-4, AWAKE = 0.05; /* processor time, s; its share of the time */
    const struct Served *s = &watch.served[r];
    double ran = s->processor - s->before;
    return tests_in_vain(&board()->ranks[r]) && s->tests > 0 &&
           seconds_since(s->polled) < ALL_WAIT &&
           (ran < A_TEST * (double)s->tests || ran < AWAKE * s->seconds);
}

/* All ranks of the run wait, not in one and the same collective, and none is stopped; each has had
 * a turn since the last of them came, whose message may have ended its wait. */
static char *all_wait(void)
{
    const Board *b = board();
    CallRecord first = {0}, l;
    uint64_t key;
    bool differ = false;
    long beats = 0;
    for (int r = 0; r < b->size; r++)
        beats += atomic_load(&b->ranks[r].beats);
    if (beats != watch.beats) {
        watch.beats = beats;
        watch.still_since = board_clock();
        for (int r = 0; r < b->size; r++)
            watch.served[r].still = watch.served[r].seconds;
    }
    for (int r = 0; r < b->size; r++) {
        const RankCalls *entry = &b->ranks[r];
        int state = atomic_load(&entry->state);
        bool loops = only_polls(r);
        if (state != STATE_IN_CALL && state != STATE_LEFT && !loops)
            return NULL;
        if (!slot_read(&entry->now, &l, &key) || rank_stopped(entry) ||
            watch.served[r].seconds - watch.served[r].still < A_TURN)
            return NULL;
        if (r == 0)
            first = l;
        differ |= loops || l.number == 0 || l.number != first.number || l.comm != first.comm;
    }
    if (!differ || isinf(watch.patience) || seconds_since(watch.still_since) < ALL_WAIT)
        return NULL;
    return describe_hang("all ranks wait for each other (a deadlock)");
}

/* Has rank r, stopped or outside MPI, completed no call within the limit? */
static bool silent(int r)
{
    const RankCalls *entry = &board()->ranks[r];
    int state = atomic_load(&entry->state);
    return (state == STATE_OUTSIDE || (state == STATE_IN_CALL && rank_stopped(entry))) &&
           seconds_since(atomic_load(&entry->since)) >= watch.patience &&
           watch.served[r].seconds >= watch.patience / 10;
}

/* In a collective, for a silent rank or for one that waits for a silent rank. */
static char *waits_for_silent(const CallRecord *l, double waited)
{
    const Board *b = board();
    int culprit = -1;
    if (!l->number || waited < watch.patience)
        return NULL;
    for (int r = 0; r < b->size; r++)
        if (silent(r) && (culprit < 0 || needs(l, r)))
            culprit = r;
    if (culprit < 0)
        return NULL;
    const RankCalls *entry = &b->ranks[culprit];
    char why[200];
    snprintf(why, sizeof why,
             "rank %d waits in a collective, and rank %d has %s for %.0f s (LABS_COMM_SECONDS)",
             b->rank, culprit, atomic_load(&entry->polls) ? "only polled" : "made no call",
             seconds_since(atomic_load(&entry->since)));
    return describe_hang(why);
}

static void check_for_hang(void)
{
    const Board *b = board();
    const RankCalls *me = &b->ranks[b->rank];
    CallRecord l;
    uint64_t key;
    double waited = seconds_since(atomic_load(&me->since));
    bool in_call = atomic_load(&me->state) == STATE_IN_CALL;
    if ((!in_call && !tests_in_vain(me)) || waited < LEFT_AFTER || !slot_read(&me->now, &l, &key))
        return;
    for (int i = 0; i < b->locals; i++)
        update_served(b->here[i]);
    char *why = in_call ? waits_for_left(&l) : NULL;
    why = why ? why : all_wait();
    why = why || !in_call ? why : waits_for_silent(&l, waited);
    /* It may have completed the call meanwhile. */
    if (why && seconds_since(atomic_load(&me->since)) >= waited)
        die(EXIT_WRONG, "%s", why);
    free(why);
}

/* ---- SIGQUIT ---- */

static void on_sigquit(int signal_number) { asked = 1; }

/* One rank prints for all of them, once a second at most. */
static void report_all(void)
{
    const Board *b = board();
    int64_t now = board_clock(), before = atomic_load(b->reported);
    asked = 0;
    if (now - before < SECOND || !atomic_compare_exchange_strong(b->reported, &before, now))
        return;
    for (int i = 0; i < b->locals; i++) {
        char *words = describe_rank(b->here[i]);
        note("%s", words);
        free(words);
    }
}

/* ---- the thread ---- */

static void *watch_thread(void *unused)
{
    while (!watch.over) {
        nanosleep(&(struct timespec){0, SECOND / 10}, NULL);
        if (asked)
            report_all();
        if (!watch.over)
            check_for_hang();
    }
    return NULL;
}

void call_watch_begin(void)
{
    struct sigaction present;
    sigset_t every, before;
    if (!board())
        return;
    watch.patience = board_patience();
    watch.served = alloc((unsigned long)board()->size, sizeof *watch.served);
    watch.over = false;
    if (sigaction(SIGQUIT, NULL, &present) == 0 &&
        (present.sa_handler == SIG_DFL || present.sa_handler == SIG_IGN)) {
        struct sigaction action = {.sa_handler = on_sigquit, .sa_flags = SA_RESTART};
        sigaction(SIGQUIT, &action, NULL);
    }
    sigfillset(&every); /* signals go to the program's own threads */
    pthread_sigmask(SIG_SETMASK, &every, &before);
    watch.runs = pthread_create(&watch.thread, NULL, watch_thread, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void call_watch_end(void)
{
    watch.over = true;
    if (watch.runs)
        pthread_join(watch.thread, NULL);
    watch.runs = false;
    free(watch.served);
    watch.served = NULL;
}
