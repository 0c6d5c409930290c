/* record.c: see record.h. */
#include "record.h"
#include "check.h"
#include "link.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double LATENCY = 0.01; /* seconds */

/* ---- on each rank ---- */

typedef struct Watch {
    const float *v;
    int P;
    double began;
    RankRecord *record;
} Watch;

static void note_moment(void *context, int to, const void *data, double bytes)
{
    Watch *w = context;
    RankRecord *r = w->record;
    if (r->moments == MOST_MOMENTS)
        return;
    Moment *m = &r->moment[r->moments++];
    *m = (Moment){.time = link_now() - w->began, .to = to, .first = -1};
    memcpy(m->v, w->v, (size_t)w->P * sizeof *m->v);
    m->count = (int)(bytes / sizeof *w->v);
    ptrdiff_t first = (const float *)data - w->v;
    if (to >= 0 && first >= 0 && first + m->count <= w->P)
        m->first = (int)first;
}

static RankRecord watch(AllReduce *call, int P, MPI_Comm comm)
{
    RankRecord record = {0};
    float v[MOST_SEEN];
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < P; i++)
        v[i] = (float)(1 << 3 * rank);
    Watch w = {v, P, link_now(), &record};
    link_observe(note_moment, &w);
    call(v, P, comm);
    link_observe(NULL, NULL);
    note_moment(&w, -1, NULL, 0);
    return record;
}

/* ---- on rank 0: when each message arrives, by the link's rules ---- */

static int by_leaving(const void *a, const void *b)
{
    double x = ((const MessageSeen *)a)->leaves, y = ((const MessageSeen *)b)->leaves;
    return (x > y) - (x < y);
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void collect_messages(Record *r)
{
    for (int p = 0; p < r->P; p++) {
        double card = 0; /* free from then on */
        for (int i = 0; i < r->rank[p].moments; i++) {
            const Moment *m = &r->rank[p].moment[i];
            if (m->to < 0 || r->messages == MOST_MESSAGES)
                continue;
            double leaves = fmax(card, m->time);
            card = leaves + r->vector * m->count / r->P;
            r->message[r->messages++] = (MessageSeen){p, m->to, m->first, m->count, leaves, leaves};
        }
    }
    qsort(r->message, (size_t)r->messages, sizeof *r->message, by_leaving);
}

static void let_arrive(Record *r)
{
    double card[MOST_SEEN] = {0}, at[MOST_MESSAGES];
    for (int i = 0; i < r->messages; i++) {
        MessageSeen *m = &r->message[i];
        m->arrived = fmax(card[m->to], m->leaves + r->latency) + r->vector * m->count / r->P;
        card[m->to] = at[i] = m->arrived;
    }
    qsort(at, (size_t)r->messages, sizeof *at, by_time);
    r->steps = 1;
    for (int i = 0; i < r->messages && r->steps < MOST_STEPS; i++)
        if (at[i] > r->step[r->steps - 1] + 0.02 * r->latency)
            r->step[r->steps++] = at[i];
        else if (r->steps > 1)
            r->step[r->steps - 1] = at[i]; /* at once, but for the time of computing */
}

void record_all_reduce(Record *r, Algorithm a, int P, double ratio, Comm *all)
{
    ASSERT(P >= 2 && P <= all->size && P <= MOST_SEEN);
    MPI_Comm comm;
    RankRecord mine = {0},
               *each = all->rank == 0 ? alloc((unsigned long)all->size, sizeof mine) : NULL;
    *r = (Record){.algorithm = a, .P = P, .latency = LATENCY, .vector = LATENCY * ratio};
    MPI_Comm_split(MPI_COMM_WORLD, all->rank < P ? 1 : MPI_UNDEFINED, all->rank, &comm);
    link_set((Link){P * sizeof(float) / r->vector, LATENCY});
    if (comm != MPI_COMM_NULL)
        mine = watch(all_reduces[a].call, P, comm);
    link_set((Link){.bandwidth = INFINITY});
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
    comm_gather_host(all, each, &mine, sizeof mine, 0);
    for (int p = 0; each && p < P; p++) {
        r->rank[p] = each[p];
        r->end = fmax(r->end, each[p].moment[each[p].moments - 1].time);
    }
    free(each);
    if (all->rank != 0)
        return;
    collect_messages(r);
    let_arrive(r);
    r->done = true;
}

const float *record_vector(const Record *r, int rank, double time)
{
    const RankRecord *k = &r->rank[rank];
    int i = 0; /* computing takes a moment */
    while (i + 1 < k->moments && k->moment[i + 1].time <= time + 0.02 * r->latency)
        i++;
    return k->moment[i].v;
}

int record_parts(float sum, int part) { return (int)((int64_t)sum >> 3 * part & 7); }
