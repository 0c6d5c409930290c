/* replay.c: the schedule of the ranks' events, as if each rank had its own processor.
 *
 * When ranks share processors, the wall clock shows when the system let a rank run, not what it
 * had to wait for. So each rank's events follow each other on a clock of that rank, which jumps
 * forward when it must wait for another. That takes only the durations, and who exchanges
 * with whom.
 */
#include "check.h"
#include "lab1.h"
#include "parallel.h"
#include <math.h>

typedef struct Replay {
    Log *log;
    int ranks, next[MOST_RANKS]; /* each rank's next event */
    double clock[MOST_RANKS];
} Replay;

static Event *next_of(Replay *p, int rank)
{
    return p->next[rank] < p->log[rank].count ? &p->log[rank].event[p->next[rank]] : NULL;
}

static void finish_event(Replay *p, int rank, double began, double ended)
{
    Event *event = next_of(p, rank);
    event->began = began;
    event->ended = p->clock[rank] = ended;
    p->next[rank]++;
}

/* If both sides of a message, or all ranks of a sum, have reached it: fills members[] and returns
 * how many they are; else 0. */
static int gather(Replay *p, int rank, int members[MOST_RANKS])
{
    Event *event = next_of(p, rank);
    int n = 0;
    if (event->kind != EVENT_ADD) {
        Event *other = next_of(p, event->partner);
        members[0] = rank;
        members[1] = event->partner;
        bool meet = other && other->partner == rank && other->micro == event->micro &&
                    other->kind == (event->kind == EVENT_SEND ? EVENT_RECEIVE : EVENT_SEND);
        return meet ? 2 : 0;
    }
    for (int r = 0; r < p->ranks; r++) {
        bool belongs = false;
        for (int i = p->next[r]; i < p->log[r].count; i++)
            belongs |= p->log[r].event[i].kind == EVENT_ADD &&
                       p->log[r].event[i].partner == event->partner;
        Event *theirs = next_of(p, r);
        if (belongs && !(theirs->kind == EVENT_ADD && theirs->partner == event->partner))
            return 0;
        if (belongs)
            members[n++] = r;
    }
    return n;
}

/* The shortest time of all messages, or sums, of this size. */
static double fastest(const Replay *p, const Event *event)
{
    double least = event->seconds;
    for (int r = 0; r < p->ranks; r++)
        for (int i = 0; i < p->log[r].count; i++) {
            const Event *other = &p->log[r].event[i];
            bool alike = other->kind >= EVENT_SEND &&
                         (other->kind == EVENT_ADD) == (event->kind == EVENT_ADD) &&
                         other->bytes == event->bytes;
            least = alike ? fmin(least, other->seconds) : least;
        }
    return least;
}

/* This rank's next event, if it can happen now. */
static bool step(Replay *p, int rank)
{
    Event *event = next_of(p, rank);
    int members[MOST_RANKS], n;
    if (!event)
        return false;
    if (event->kind < EVENT_SEND) {
        finish_event(p, rank, p->clock[rank], p->clock[rank] + event->seconds);
        return true;
    }
    if ((n = gather(p, rank, members)) == 0)
        return false;
    double begins = 0, takes = fastest(p, event);
    for (int i = 0; i < n; i++)
        begins = fmax(begins, p->clock[members[i]]);
    for (int i = 0; i < n; i++)
        finish_event(p, members[i], begins, begins + takes);
    return true;
}

double replay(Log *log, int ranks)
{
    Replay p = {.log = log, .ranks = ranks};
    double end = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (int r = 0; r < ranks; r++)
            while (step(&p, r))
                moved = true;
    }
    for (int r = 0; r < ranks; r++) {
        ASSERT(!next_of(&p, r)); /* else the logs do not fit together */
        end = fmax(end, p.clock[r]);
    }
    return end;
}

int replay_kept(const Log *log)
{
    int kept = 0, most = 0;
    for (int i = 0; i < log->count; i++) {
        kept += (log->event[i].kind == EVENT_FORWARD) - (log->event[i].kind == EVENT_BACKWARD);
        most = kept > most ? kept : most;
    }
    return most;
}

double replay_idle(const Log *log, double end)
{
    double start[MOST_EVENTS], stop[MOST_EVENTS];
    int n = 0;
    for (int i = 0; i < log->count; i++)
        if (log->event[i].kind < EVENT_SEND) {
            start[n] = log->event[i].began;
            stop[n++] = log->event[i].ended;
        }
    return end > 0 ? 1 - busy(start, stop, n, 0, end) / end : 0;
}
