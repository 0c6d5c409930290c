/* replay.c: the schedule that the ranks' acts make, as though each rank had a processor of its own.
 *
 * Where ranks share processors, the clock on the wall says when the system let a rank run, not what
 * it had to wait for. So each rank's acts are laid one behind the other on a clock of its own,
 * which jumps forward where it must wait for another rank's: what is needed for that is known, the
 * durations and who exchanges with whom.
 */
#include "check.h"
#include "lab1.h"
#include "parallel.h"
#include <math.h>

typedef struct Replay {
    Log *log;
    int ranks, next[MOST_RANKS]; /* each rank's next act */
    double clock[MOST_RANKS];
} Replay;

static Act *next_of(Replay *p, int rank)
{
    return p->next[rank] < p->log[rank].count ? &p->log[rank].act[p->next[rank]] : NULL;
}

static void finish_act(Replay *p, int rank, double began, double ended)
{
    Act *act = next_of(p, rank);
    act->began = began;
    act->ended = p->clock[rank] = ended;
    p->next[rank]++;
}

/* Both sides of a message, or all ranks of a sum: do they come to it next? members[] are they. */
static int gather(Replay *p, int rank, int members[MOST_RANKS])
{
    Act *act = next_of(p, rank);
    int n = 0;
    if (act->kind != ACT_ADD) {
        Act *other = next_of(p, act->partner);
        members[0] = rank;
        members[1] = act->partner;
        bool meet = other && other->partner == rank && other->micro == act->micro &&
                    other->kind == (act->kind == ACT_SEND ? ACT_RECEIVE : ACT_SEND);
        return meet ? 2 : 0;
    }
    for (int r = 0; r < p->ranks; r++) {
        bool belongs = false;
        for (int i = p->next[r]; i < p->log[r].count; i++)
            belongs |= p->log[r].act[i].kind == ACT_ADD && p->log[r].act[i].partner == act->partner;
        Act *theirs = next_of(p, r);
        if (belongs && !(theirs->kind == ACT_ADD && theirs->partner == act->partner))
            return 0;
        if (belongs)
            members[n++] = r;
    }
    return n;
}

/* Of all messages, or sums, of this size: the shortest time. */
static double fastest(const Replay *p, const Act *act)
{
    double least = act->seconds;
    for (int r = 0; r < p->ranks; r++)
        for (int i = 0; i < p->log[r].count; i++) {
            const Act *other = &p->log[r].act[i];
            bool alike = other->kind >= ACT_SEND &&
                         (other->kind == ACT_ADD) == (act->kind == ACT_ADD) &&
                         other->bytes == act->bytes;
            least = alike ? fmin(least, other->seconds) : least;
        }
    return least;
}

/* One act of this rank, if it can be done. */
static bool step(Replay *p, int rank)
{
    Act *act = next_of(p, rank);
    int members[MOST_RANKS], n;
    if (!act)
        return false;
    if (act->kind < ACT_SEND) {
        finish_act(p, rank, p->clock[rank], p->clock[rank] + act->seconds);
        return true;
    }
    if ((n = gather(p, rank, members)) == 0)
        return false;
    double begins = 0, takes = fastest(p, act);
    for (int i = 0; i < n; i++)
        begins = fmax(begins, p->clock[members[i]]);
    for (int i = 0; i < n; i++)
        finish_act(p, members[i], begins, begins + takes);
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
        ASSERT(!next_of(&p, r)); /* else acts were logged that do not fit together */
        end = fmax(end, p.clock[r]);
    }
    return end;
}

double replay_idle(const Log *log, double end)
{
    double start[MOST_ACTS], stop[MOST_ACTS];
    int n = 0;
    for (int i = 0; i < log->count; i++)
        if (log->act[i].kind < ACT_SEND) {
            start[n] = log->act[i].began;
            stop[n++] = log->act[i].ended;
        }
    return end > 0 ? 1 - busy(start, stop, n, 0, end) / end : 0;
}
