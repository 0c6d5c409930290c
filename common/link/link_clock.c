/* link_clock.c: see link_inside.h. The virtual clock is
 *
 *     base + (processor time of the owner's thread - mark)
 *
 * and `base` alone while the owner is in a call of MPI, or is charged for its work (link_charge).
 * Any thread may ask for the time; only the owner changes it. It does so between two steps of
 * `version`: a reader in between tries again.
 */
#include "link.h"
#include "link_inside.h"
#include "timer.h"
#include "watch/call_board.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <time.h>

static atomic_bool is_virtual, in_call, charge_only;
static bool held; /* from link_hold to link_release; the owner's */
static atomic_uint version;
static _Atomic double base, mark;
static _Atomic clockid_t owner;
static double look; /* processor time between mark and a look at the clock right after it */

static clockid_t own_clock(void)
{
    clockid_t id = CLOCK_THREAD_CPUTIME_ID;
    pthread_getcpuclockid(pthread_self(), &id);
    return id;
}

/* Seconds of processor time of a thread; -1: it has ended. */
static double processor_time(clockid_t id)
{
    struct timespec t;
    return clock_gettime(id, &t) ? -1 : (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The clock, if no thread changes it meanwhile. */
static double shown(void)
{
    double ran = in_call || charge_only ? 0 : processor_time(owner) - mark - look;
    return base + (ran > 0 ? ran : 0);
}

static double virtual_now(void)
{
    for (;;) {
        unsigned before = version;
        double now = shown();
        if (before % 2 == 0 && version == before)
            return now;
    }
}

/* Sets the clock to `now` unless it is later already: it never goes back, for any thread. This
 * thread then owns it. */
static void set_clock(double now, bool stands)
{
    version++;
    double here = shown();
    owner = own_clock();
    base = now > here ? now : here;
    in_call = stands;
    mark = processor_time(owner);
    version++;
}

static void after_fork(void) { set_clock(0, false); }

/* Reading the clock costs half a microsecond; before each MPI call, that would add up. */
static double shortest_look(void)
{
    double shortest = 1;
    for (int i = 0; i < 1000; i++) {
        set_clock(0, false);
        double ran = virtual_now() - base;
        if (ran < shortest)
            shortest = ran;
    }
    return shortest;
}

void clock_begin(bool virtual)
{
    if (!virtual || is_virtual)
        return;
    in_call = true; /* no owner yet */
    look = shortest_look();
    set_clock(timer_real(), false);
    is_virtual = true;
    timer_follow(virtual_now);
    pthread_atfork(NULL, NULL, after_fork);
}

bool link_virtual(void) { return is_virtual; }

double link_now(void) { return is_virtual ? virtual_now() : timer_real(); }

void link_own(void)
{
    if (is_virtual)
        set_clock(0, held);
}

void link_charge_only(bool on)
{
    if (!is_virtual)
        return;
    set_clock(0, false);
    charge_only = on;
    set_clock(0, false);
}

void link_charge(double seconds)
{
    if (is_virtual)
        set_clock(base + seconds, false);
}

double clock_enter(void)
{
    if (!is_virtual)
        return timer_real();
    if (!held)
        set_clock(0, true);
    return base;
}

void link_hold(void)
{
    if (!is_virtual)
        return;
    clock_enter();
    held = true;
}

void link_release(void)
{
    if (!is_virtual)
        return;
    held = false;
    set_clock(0, false);
}

void poll_wait(int polls)
{
    if (polls < 50)
        sched_yield();
    else
        nanosleep(&(struct timespec){0, 20000}, NULL);
}

void clock_resume(void) { in_call = false; }

/* Sleeps, so that other ranks and threads get the core; polls the clock for the last microseconds,
 * in which a sleep would end too late. */
static void wait_until(double due)
{
    static const double LONGEST = 0.5, LAST = 30e-6;
    static _Thread_local bool sharp;
    if (!sharp) /* else the kernel adds 50 µs to each sleep */
        prctl(PR_SET_TIMERSLACK, 1);
    sharp = true;
    for (double left; (left = due - timer_real()) > 0;) {
        double sleep = left - LAST < LONGEST ? left - LAST : LONGEST;
        if (sleep > 0)
            nanosleep(&(struct timespec){0, (long)(sleep * 1e9)}, NULL);
        else
            sched_yield();
        board_alive();
    }
}

void clock_leave(double due)
{
    if (is_virtual)
        set_clock(due, held);
    else
        wait_until(due);
}
