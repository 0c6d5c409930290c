/* link_any.c: which message does a receive from MPI_ANY_SOURCE take on the virtual clock? The one
 * that arrives first there, not the one whose sender got a core first. See link_inside.h.
 *
 * Each sender writes a letter, {communicator, tag, stamp, bytes}, into memory that all ranks share,
 * before it sends; the receiver strikes it out when it has the message. So the receiver knows of
 * every message on its way. It takes the earliest one once no earlier one can come any more: every
 * other rank has sent one too, has a clock that is later, or waits, directly or through others, for
 * this very receiver (the rule of conservative parallel simulation: Chandy and Misra, 1979).
 */
#include "call_inside.h"
#include "link_inside.h"
#include <math.h>
#include <sched.h>
#include <string.h>
#include <time.h>

enum { LETTERS = 64, MOST_POSTS = 64, MOST_COMMS = 32 };

typedef struct Letter {
    atomic_bool open; /* sent, and not received */
    int tag;
    uint64_t comm;
    double stamp, bytes;
} Letter;

/* From one rank to another; the first writes `sent`, the other one `first`. */
typedef struct Lane {
    atomic_long sent, first; /* letters so far; all before `first` are received */
    atomic_bool lost;        /* there were more than LETTERS on their way */
    Letter letter[LETTERS];  /* letter i is at i % LETTERS */
} Lane;

/* A rank's waits for the others of one communicator. */
typedef struct Meeting {
    _Atomic uint64_t comm; /* 0: unused */
    long begun;            /* read by this rank alone */
    atomic_long over;
} Meeting;

/* What a rank tells the others of itself. */
typedef struct Post {
    atomic_long turns; /* odd: it waits */
    _Atomic double clock;
    atomic_bool polls; /* its last call was a test that found nothing */
    Waits kind;
    int from, tag; /* ranks in the world */
    uint64_t comm, members[MOST_WORLD / 64];
    long number; /* of a wait together on this communicator, from 1; 0: not counted */
    Meeting meetings[MOST_COMMS];
} Post;

/* The process's own, as MPI is. */
static Post *posts;
static Lane *lanes; /* [from][to] */
static int me, P;

size_t letters_bytes(int size)
{
    bool counts;
    link_chosen(&counts);
    if (!counts || size > MOST_POSTS)
        return 0;
    return (size_t)size * sizeof(Post) + (size_t)size * (size_t)size * sizeof(Lane);
}

void letters_begin(void)
{
    const Board *b = board();
    if (!b || !b->letters || b->locals < b->size)
        return;
    me = b->rank;
    P = b->size;
    posts = b->letters;
    lanes = (Lane *)(posts + P);
}

void letters_end(void)
{
    if (!posts)
        return;
    posts[me].clock = INFINITY;
    posts = NULL;
}

static Lane *lane(int from, int to) { return &lanes[(size_t)from * (size_t)P + (size_t)to]; }

/* ---- letters ---- */

void letter_send(MPI_Comm comm, int to, int tag, double stamp, double bytes)
{
    const CallComm *c = posts ? call_comm(comm) : NULL;
    if (!c || to < 0 || to >= c->size)
        return;
    Lane *l = lane(me, c->world[to]);
    Letter *next = &l->letter[l->sent % LETTERS];
    if (next->open)
        l->lost = true;
    next->comm = c->id;
    next->tag = tag;
    next->stamp = stamp;
    next->bytes = bytes;
    next->open = true;
    l->sent++;
}

/* The first open one that this receive could take; NULL: none. */
static Letter *letter_for(const Lane *l, uint64_t comm, int tag)
{
    for (long i = l->first; i < l->sent; i++) {
        Letter *one = (Letter *)&l->letter[i % LETTERS];
        if (one->open && one->comm == comm && (tag == MPI_ANY_TAG || one->tag == tag))
            return one;
    }
    return NULL;
}

void letter_take(MPI_Comm comm, int source, int tag)
{
    const CallComm *c = posts ? call_comm(comm) : NULL;
    if (!c || source < 0 || source >= c->size)
        return;
    Lane *l = lane(c->world[source], me);
    Letter *found = letter_for(l, c->id, tag);
    if (found)
        found->open = false;
    while (l->first < l->sent && !l->letter[l->first % LETTERS].open)
        l->first++;
}

static bool any_open(const Lane *l)
{
    for (long i = l->first; i < l->sent; i++)
        if (l->letter[i % LETTERS].open)
            return true;
    return false;
}

/* ---- posts ---- */

void post_clock(double now)
{
    if (posts)
        posts[me].clock = now;
}

void post_polls(bool polls)
{
    if (posts)
        posts[me].polls = polls;
}

/* NULL: it is in none, or in more than can be counted. */
static Meeting *meeting(Post *p, uint64_t comm, bool begin)
{
    for (int i = 0; i < MOST_COMMS && comm; i++) {
        Meeting *m = &p->meetings[i];
        if (begin && !m->comm)
            m->comm = comm;
        if (m->comm == comm)
            return m;
    }
    return NULL;
}

void post_waits(Waits kind, MPI_Comm comm, int from, int tag)
{
    if (!posts)
        return;
    const CallComm *c = call_comm(comm);
    Post *p = &posts[me];
    p->kind = kind;
    p->comm = c ? c->id : 0;
    p->from = c && from >= 0 && from < c->size ? c->world[from] : -1;
    p->tag = tag;
    memset(p->members, 0, sizeof p->members);
    if (c)
        memcpy(p->members, c->members, sizeof p->members);
    p->polls = false;
    Meeting *m = kind == WAITS_TOGETHER ? meeting(p, p->comm, true) : NULL;
    p->number = m ? ++m->begun : 0;
    p->turns++;
}

void post_goes_on(void)
{
    if (!posts)
        return;
    Post *p = &posts[me];
    if (p->turns % 2 && p->kind == WAITS_TOGETHER && p->number)
        meeting(p, p->comm, false)->over = p->number;
    p->turns++;
}

/* Has a rank left the collective that rank s is still in? Then all have joined it (link_calls.c's
 * agreement on its end), and s goes on as soon as it gets a core. */
static bool met(int s)
{
    bool over = !posts[s].number;
    for (int u = 0; u < P && !over; u++) {
        const Meeting *m = meeting(&posts[u], posts[s].comm, false);
        over = m && m->over >= posts[s].number;
    }
    return over;
}

/* Might rank s go on by itself: it does not wait, or what it waits for is on its way? */
static bool may_go_on(int s, Post *copy)
{
    long before = posts[s].turns;
    bool comes = before % 2 == 0;
    if (!comes) {
        copy->kind = posts[s].kind;
        copy->from = posts[s].from;
        memcpy(copy->members, posts[s].members, sizeof copy->members);
        comes = copy->kind == WAITS_TO_SEND || (copy->kind == WAITS_TOGETHER && met(s));
        for (int u = 0; u < P && !comes; u++) {
            if (copy->kind == WAITS_FOR_MESSAGE && (copy->from < 0 || copy->from == u))
                comes = letter_for(lane(u, s), posts[s].comm, posts[s].tag);
            else if (copy->kind == WAITS_FOR_REQUEST)
                comes = any_open(lane(u, s));
        }
    }
    copy->clock = posts[s].clock; /* it never goes back */
    return comes || posts[s].turns != before;
}

bool letters_come(void)
{
    bool come = false;
    for (int s = 0; posts && s < P && !come; s++) {
        const Post *p = &posts[s];
        for (int u = 0; u < P && p->turns % 2 && p->kind == WAITS_FOR_MESSAGE; u++)
            come |= (p->from < 0 || p->from == u) && letter_for(lane(u, s), p->comm, p->tag);
    }
    return come;
}

static bool is_member(const Post *p, int r) { return p->members[r / 64] >> r % 64 & 1; }

/* The earliest moment at which what rank s waits for could come, if rank r cannot act before
 * next[r]. */
static double released(const Post *p, int s, const double *next)
{
    double first = INFINITY, last = 0;
    for (int u = 0; u < P; u++) {
        if (u == s)
            continue;
        if (p->kind == WAITS_TOGETHER ? is_member(p, u) : p->from < 0 || p->from == u) {
            first = fmin(first, next[u]);
            last = fmax(last, next[u]);
        }
    }
    bool with_me = p->kind == WAITS_TOGETHER && is_member(p, me);
    return fmax(p->clock, with_me ? last : first);
}

/* Before next[s] rank s sends nothing, as long as this rank does nothing. */
static void next_actions(double next[MOST_POSTS])
{
    static Post copy[MOST_POSTS];
    bool waits[MOST_POSTS];
    for (int s = 0; s < P; s++) {
        waits[s] = s == me || !may_go_on(s, &copy[s]);
        next[s] = waits[s] ? INFINITY : copy[s].clock;
    }
    for (bool changes = true; changes;) {
        changes = false;
        for (int s = 0; s < P; s++) {
            double to = s != me && waits[s] ? released(&copy[s], s, next) : next[s];
            changes |= to < next[s];
            next[s] = fmin(next[s], to);
        }
    }
}

/* ---- the choice ---- */

void nap(int looks)
{
    if (looks < 50)
        sched_yield();
    else
        nanosleep(&(struct timespec){0, 20000}, NULL);
}

/* Changes when anything happens on any rank; *asleep: all other ranks wait or poll. */
static long happened(bool *asleep)
{
    long sum = 0;
    *asleep = true;
    for (int s = 0; s < P; s++) {
        sum += posts[s].turns;
        if (s != me)
            *asleep &= posts[s].turns % 2 || posts[s].polls || isinf(posts[s].clock);
    }
    return sum;
}

/* The source, in comm, of the message that arrives first of those that are known; -1: none is, or
 * an earlier one may still come. `patient`: not if it may. */
static int known_first(const CallComm *c, int tag, bool patient)
{
    double next[MOST_POSTS], due[MOST_POSTS], first = INFINITY;
    int source = -1;
    next_actions(next); /* before the letters: who acts meanwhile has sent them by then, or later */
    for (int r = 0; r < c->size; r++) {
        const Letter *l = letter_for(lane(c->world[r], me), c->id, tag);
        due[r] = l ? card_would_receive(l->stamp, l->bytes) : INFINITY;
        if (due[r] < first) {
            first = due[r];
            source = r;
        }
    }
    for (int r = 0; r < c->size && patient; r++)
        if (isinf(due[r]) && next[c->world[r]] + card_link().latency < first)
            return -1;
    return source;
}

static bool lost_letters(const CallComm *c)
{
    for (int r = 0; r < c->size; r++)
        if (lane(c->world[r], me)->lost)
            return true;
    return false;
}

int earliest_source(MPI_Comm comm, int tag)
{
    static const int64_t PATIENCE = 1000000000; /* ns in which nothing happens */
    const CallComm *c = posts ? call_comm(comm) : NULL;
    bool asleep;
    if (!c)
        return MPI_ANY_SOURCE;
    int64_t since = board_clock();
    long before = happened(&asleep);
    for (int looks = 0;; looks++) {
        bool patient = board_clock() - since < PATIENCE;
        int source = lost_letters(c) ? MPI_ANY_SOURCE : known_first(c, tag, patient);
        if (source >= 0 || lost_letters(c))
            return source;
        long now = happened(&asleep);
        if (now != before || !asleep) {
            before = now;
            since = board_clock();
        }
        nap(looks);
    }
}
