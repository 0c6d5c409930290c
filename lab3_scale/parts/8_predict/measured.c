/* measured.c: see measured.h. */
#include "measured.h"
#include "check.h"
#include "timer.h"
#include <mpi.h>
#include <math.h>
#include <stdlib.h>

enum {
    ROUNDS = 5,
    UPDATES = 4,
    SMALLEST = 256
}; /* SMALLEST: elements; each next size is 4 times */

typedef struct Team {
    MPI_Comm comm;
    int size;
    bool exchanges;
    float *mine, *theirs; /* a gradient; what the neighbour sent */
} Team;

/* As many messages and additions as a ring's all-reduce of n elements has: its sum is nobody's. */
static void pass_around(const Team *t, int n)
{
    int rank, part = (n + t->size - 1) / t->size;
    MPI_Comm_rank(t->comm, &rank);
    for (int i = 0; i < 2 * (t->size - 1); i++) {
        MPI_Sendrecv(t->mine, part, MPI_FLOAT, (rank + 1) % t->size, 0, t->theirs, part, MPI_FLOAT,
                     (rank + t->size - 1) % t->size, 0, t->comm, MPI_STATUS_IGNORE);
        for (int j = 0; i < t->size - 1 && j < part; j++)
            t->mine[j] += t->theirs[j];
    }
}

static double slowest(const Team *t, double seconds)
{
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, t->comm);
    return seconds;
}

/* ---- the messages ---- */

static double ring_seconds(const Team *t, int n)
{
    double best = INFINITY;
    int times = n < 65536 ? 50 : 5;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(t->comm);
        double start = timer_now();
        for (int i = 0; i < times; i++)
            pass_around(t, n);
        best = fmin(best, slowest(t, (timer_now() - start) / times));
    }
    return best;
}

/* seconds = 2 alpha + bytes beta, by least squares of the relative errors. */
static void fit(Measured *m)
{
    double a = 0, b = 0, d = 0, e = 0, f = 0; /* the normal equations, each row over its seconds */
    for (int i = 0; i < RING_SIZES; i++) {
        double x = 2 / m->ring[i], y = m->bytes[i] / m->ring[i];
        a += x * x;
        b += x * y;
        d += y * y;
        e += x;
        f += y;
    }
    m->alpha = (e * d - b * f) / (a * d - b * b);
    m->beta = (a * f - b * e) / (a * d - b * b);
}

static void measure_messages(Measured *m, Team *t)
{
    int most = SMALLEST << 2 * (RING_SIZES - 1);
    t->mine = alloc(most, sizeof *t->mine);
    t->theirs = alloc(most, sizeof *t->theirs);
    for (int i = 0; i < RING_SIZES; i++) {
        int n = SMALLEST << 2 * i;
        m->bytes[i] = 4.0 * n;
        m->ring[i] = ring_seconds(t, n);
    }
    fit(m);
    free(t->mine);
    free(t->theirs);
}

/* ---- the updates ---- */

static void exchange(void *context, Model *m)
{
    const Team *t = context;
    m->be->op->download(m->s, t->mine, m->grads);
    if (t->exchanges)
        pass_around(t, m->params.n);
}

static Method make(void *context, Model *m)
{
    static SgdSpec sgd = {0.9, 0, false, 0};
    Method method = sgd_maker(&sgd).make(&sgd, m);
    method.exchange = (Exchange){.run = exchange, .context = context};
    return method;
}

static void end(void *context, Model *m, const Method *method)
{
    sgd_maker(NULL).end(context, m, method);
}

static double update_seconds(Training *t, Team *team, bool exchanges)
{
    MPI_Barrier(team->comm);
    team->exchanges = exchanges;
    double start = timer_now();
    for (int i = 0; i < UPDATES; i++)
        if (!training_step(t))
            break;
    training_loss(t); /* waits for the device */
    return slowest(team, (timer_now() - start) / UPDATES);
}

static void measure_updates(Measured *m, Team *team, const TrainingSpec *spec)
{
    TrainingSpec own = *spec;
    own.method = (MethodMaker){make, end, team};
    Training *t = training_new(&own, 1);
    team->mine = alloc(t->m->params.n, sizeof *team->mine);
    team->theirs = alloc(t->m->params.n, sizeof *team->theirs);
    double *alone = &m->alone[team->size - 1], *together = &m->together[team->size - 1];
    *alone = *together = INFINITY;
    update_seconds(t, team, true); /* the first are slower */
    for (int round = 0; round < ROUNDS; round++) {
        *alone = fmin(*alone, update_seconds(t, team, false));
        *together = fmin(*together, update_seconds(t, team, true));
    }
    free(team->mine);
    free(team->theirs);
    training_free(t);
}

bool measured_ranks(Measured *m, Study *s, const TrainingSpec *spec)
{
    int rank = s->lab->comm->rank, size = s->lab->comm->size;
    bool on = true;
    Team team[MEASURED_RANKS];
    m->ranks = size == 1 ? 0 : size < MEASURED_RANKS ? size : MEASURED_RANKS;
    m->alpha = m->beta = NAN; /* one rank is started without MPI */
    for (int p = 1; p <= m->ranks; p++) {
        team[p - 1] = (Team){.size = p};
        MPI_Comm_split(MPI_COMM_WORLD, rank < p ? 0 : MPI_UNDEFINED, rank, &team[p - 1].comm);
    }
    for (int p = 1; p <= m->ranks && (on = study_all_go_on(s)); p++) {
        if (rank >= p)
            continue; /* to the next turn */
        measure_updates(m, &team[p - 1], spec);
        if (p == 2)
            measure_messages(m, &team[p - 1]);
        run_progress(s->lab->run, "measured", p, m->ranks, "ranks", "");
    }
    on = on && study_all_go_on(s);
    for (int p = 1; p <= m->ranks; p++)
        if (rank < p)
            MPI_Comm_free(&team[p - 1].comm);
    return on;
}
