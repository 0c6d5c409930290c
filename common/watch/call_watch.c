/* call_watch.c: a thread per rank that looks at the board ten times a second: does this rank wait
 * for something that cannot come? It makes no call of MPI, which may be busy with another thread.
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
static const double A_TURN = 0.01; /* s with a processor: a rank leaves a call that has ended */

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
static bool needs(const Line *l, int r)
{
    Line theirs;
    if (r == board()->rank || !(l->members[r / 64] >> r % 64 & 1))
        return false;
    if (l->number)
        return !seat_line(&board()->seats[r], l, &theirs);
    return r == l->to_world || r == l->from_world;
}

/* ---- has it had a processor? ---- */

/* On a busy machine a rank may wait for a processor for 10 s and more: Linux lets one that has
 * called sched_yield often, as MPI does while it waits, wait behind all others. It does not hang.
 */
static void look_at(int r)
{
    static const double LOOK = 0.2; /* s, at most: this process may have been stopped, too */
    const Seat *seat = &board()->seats[r];
    struct Served *s = &watch.served[r];
    int64_t beat = atomic_load(&seat->since), now = board_clock();
    long polls = atomic_load(&seat->polls);
    double processor = seat_processor(seat);
    if (beat != s->beat)
        *s = (struct Served){.beat = beat, .before = processor, .polls = polls};
    else
        s->seconds += seat_runs(seat) && processor > 0
                        ? processor - s->processor
                        : fmin(1e-9 * (double)(now - s->looked), LOOK);
    if (polls > s->polls) {
        s->tests += polls - s->polls;
        s->polled = now;
    }
    s->polls = polls;
    s->looked = now;
    s->processor = processor;
}

/* ---- the three reasons; each returns the message, NULL: none ---- */

static char *one_has_left(const Line *l)
{
    const Board *b = board();
    for (int r = 0; r < b->size; r++) {
        if (atomic_load(&b->seats[r].state) != SEAT_LEFT || !needs(l, r))
            continue;
        char why[200];
        snprintf(why, sizeof why,
                 "rank %d waits for rank %d, which has left: does it make fewer calls, or is one "
                 "inside 'if (rank == …)'? Now",
                 b->rank, r);
        return words_of_hang(why);
    }
    return NULL;
}

/* Has the rank tested, and nothing come of it, for so long that it may count as waiting? */
static bool tests_in_vain(const Seat *seat)
{
    return atomic_load(&seat->state) == SEAT_OUTSIDE && atomic_load(&seat->polls) > 0 &&
           seconds_since(atomic_load(&seat->since)) >= watch.patience;
}

/* Does rank r nothing else? One that computes, and tests now and then, takes longer for a test. */
static bool only_polls(int r)
{
    static const double A_TEST = 1e-4, AWAKE = 0.05; /* processor time, s; its share of the time */
    const struct Served *s = &watch.served[r];
    double ran = s->processor - s->before;
    return tests_in_vain(&board()->seats[r]) && s->tests > 0 &&
           seconds_since(s->polled) < ALL_WAIT &&
           (ran < A_TEST * (double)s->tests || ran < AWAKE * s->seconds);
}

/* All ranks of the run wait, not in one and the same collective, and none is stopped. */
static char *all_wait(void)
{
    const Board *b = board();
    Line first = {0}, l;
    uint64_t key;
    bool differ = false;
    long beats = 0;
    for (int r = 0; r < b->size; r++) {
        const Seat *seat = &b->seats[r];
        int state = atomic_load(&seat->state);
        beats += atomic_load(&seat->beats);
        bool loops = only_polls(r);
        if (state != SEAT_IN_CALL && state != SEAT_LEFT && !loops)
            return NULL;
        if (!slot_read(&seat->now, &l, &key) || seat_stopped(seat) ||
            watch.served[r].seconds < A_TURN)
            return NULL;
        if (r == 0)
            first = l;
        differ |= loops || l.number == 0 || l.number != first.number || l.comm != first.comm;
    }
    if (beats != watch.beats) {
        watch.beats = beats;
        watch.still_since = board_clock();
    }
    if (!differ || isinf(watch.patience) || seconds_since(watch.still_since) < ALL_WAIT)
        return NULL;
    return words_of_hang("all ranks wait, and none for another that could go on (a deadlock)");
}

/* Is rank r stopped, or outside MPI, and has completed no call for so long? */
static bool silent(int r)
{
    const Seat *seat = &board()->seats[r];
    int state = atomic_load(&seat->state);
    return (state == SEAT_OUTSIDE || (state == SEAT_IN_CALL && seat_stopped(seat))) &&
           seconds_since(atomic_load(&seat->since)) >= watch.patience &&
           watch.served[r].seconds >= watch.patience / 10;
}

/* In a collective, for a silent rank; or for one that waits for such a rank itself. */
static char *one_does_not_come(const Line *l, double waited)
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
    const Seat *seat = &b->seats[culprit];
    char why[200];
    snprintf(why, sizeof why,
             "rank %d waits in a collective, and rank %d has %s for %.0f s (LABS_COMM_SECONDS)",
             b->rank, culprit, atomic_load(&seat->polls) ? "only polled" : "made no call",
             seconds_since(atomic_load(&seat->since)));
    return words_of_hang(why);
}

static void look(void)
{
    const Board *b = board();
    const Seat *me = &b->seats[b->rank];
    Line l;
    uint64_t key;
    double waited = seconds_since(atomic_load(&me->since));
    bool in_call = atomic_load(&me->state) == SEAT_IN_CALL;
    if ((!in_call && !tests_in_vain(me)) || waited < LEFT_AFTER || !slot_read(&me->now, &l, &key))
        return;
    for (int i = 0; i < b->locals; i++)
        look_at(b->here[i]);
    char *why = in_call ? one_has_left(&l) : NULL;
    why = why ? why : all_wait();
    why = why || !in_call ? why : one_does_not_come(&l, waited);
    /* Meanwhile it may have gone on. */
    if (why && seconds_since(atomic_load(&me->since)) >= waited)
        die(EXIT_WRONG, "%s", why);
    free(why);
}

/* ---- SIGQUIT ---- */

static void on_quit(int signal_number) { asked = 1; }

/* One rank prints for all of them, once a second at most. */
static void tell(void)
{
    const Board *b = board();
    int64_t now = board_clock(), before = atomic_load(b->told);
    asked = 0;
    if (now - before < SECOND || !atomic_compare_exchange_strong(b->told, &before, now))
        return;
    for (int i = 0; i < b->locals; i++) {
        char *words = words_of_seat(b->here[i]);
        note("%s", words);
        free(words);
    }
}

/* ---- the thread ---- */

static void *looks(void *unused)
{
    while (!watch.over) {
        nanosleep(&(struct timespec){0, SECOND / 10}, NULL);
        if (asked)
            tell();
        if (!watch.over)
            look();
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
        struct sigaction action = {.sa_handler = on_quit, .sa_flags = SA_RESTART};
        sigaction(SIGQUIT, &action, NULL);
    }
    sigfillset(&every); /* signals go to the program's own threads */
    pthread_sigmask(SIG_SETMASK, &every, &before);
    watch.runs = pthread_create(&watch.thread, NULL, looks, NULL) == 0;
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
