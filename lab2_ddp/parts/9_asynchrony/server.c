/* server.c: see server.h. A message is the weights, or a gradient, and as its last element the
 * version of the weights (-1: stop). Floats count exactly up to 2^24.
 *
 * In which order do gradients arrive? On a cluster a server receives from MPI_ANY_SOURCE. Here that
 * would be the order in which the ranks happen to get a core. But all times are known in advance:
 * so an event queue, as in any discrete-event simulation, says whose gradient arrives next, and the
 * server receives from that worker. It counts picoseconds, so that the order is the same on every
 * machine.
 */
#include "server.h"
#include "check.h"
#include "training.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_WEIGHTS, TAG_GRADIENT };

struct Server {
    const Lab *lab;
    int n, workers;
    TrainingSpec training; /* of a worker; of rank 0 the start and the test */
    PlainPace pace;
    Model *m;
    float *message;                  /* [n + 1] */
    float *velocity, *sum;           /* the server's */
    float *gradient[SERVER_WORKERS]; /* [n + 1], what worker i sent last */
};

int server_parameters(const Server *s) { return s->n; }

/* A worker's images: its part of the epoch's order. */
static int lay_out(void *server, int32_t *order, uint64_t seed, int epoch)
{
    const Server *s = server;
    int n = s->training.images / s->workers;
    epoch_order(order, s->training.images, seed, epoch);
    memmove(order, order + (s->lab->comm->rank - 1) * n, (size_t)n * sizeof *order);
    return n;
}

Server *server_new(const Lab *lab, const char *model, int batch, int images, int test)
{
    const Dataset *d = lab->data;
    Server *s = alloc(1, sizeof *s);
    *s = (Server){.lab = lab, .workers = lab->comm->size - 1, .pace = {.batch = batch}};
    s->training = (TrainingSpec){.be = lab->be,
                                 .data = d,
                                 .images = images < d->train.count ? images : d->train.count,
                                 .test = test < d->test.count ? test : d->test.count,
                                 .batch = batch,
                                 .epochs = INFINITY,
                                 .pace = training_plain,
                                 .context = &s->pace,
                                 .lay_out = lay_out,
                                 .images_of = s};
    s->pace.epochs = INFINITY;
    REQUIRE(s->training.images >= s->workers * batch,
            "--images=%d: %d workers with batches of %d need at least %d", s->training.images,
            s->workers, batch, s->workers * batch);
    ModelSpec spec = model_spec_for(model, d);
    s->training.own = s->m = model_new(lab->be, &spec, batch > 250 ? batch : 250);
    s->n = s->m->params.n;
    unsigned long size = (unsigned long)s->n + 1;
    s->message = alloc(size, sizeof(float));
    s->velocity = alloc(size, sizeof(float));
    s->sum = alloc(size, sizeof(float));
    for (int i = 0; i < s->workers && lab->comm->rank == 0; i++)
        s->gradient[i] = alloc(size, sizeof(float));
    return s;
}

void server_free(Server *s)
{
    if (!s)
        return;
    for (int i = 0; i < SERVER_WORKERS; i++)
        free(s->gradient[i]);
    free(s->sum);
    free(s->velocity);
    free(s->message);
    model_free(s->m);
    free(s);
}

/* ---- a worker ---- */

/* Seconds that worker i is charged for a gradient. */
static double compute_seconds(const Server *s, const ServerSpec *spec, int i)
{
    return spec->compute * (i == s->workers - 1 ? spec->slow : 1);
}

static void work(Server *s, const ServerSpec *spec, Training *t)
{
    const BackendOps *op = s->lab->be->op;
    Batch b;
    for (;;) {
        MPI_Recv(s->message, s->n + 1, MPI_FLOAT, 0, TAG_WEIGHTS, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (s->message[s->n] < 0 || !training_next(t, &b))
            break;
        op->upload(s->m->s, s->m->params, s->message);
        model_gradient(s->m, t->totals, b.x, b.label);
        op->download(s->m->s, s->message, s->m->grads); /* the version stays behind it */
        link_charge(compute_seconds(s, spec, s->lab->comm->rank - 1));
        MPI_Send(s->message, s->n + 1, MPI_FLOAT, 0, TAG_GRADIENT, MPI_COMM_WORLD);
    }
}

/* ---- the server ---- */

typedef struct ServerRun {
    Server *s;
    const ServerSpec *spec;
    ServerResult *r;
    Arrived queue[SERVER_WORKERS];
    int waiting; /* in the queue; the other workers are computing */
    int version;
    /* the event queue: when worker i's gradient leaves its network card; INFINITY: it is here */
    double leaves[SERVER_WORKERS];
    double latency, message; /* of the link; that a message takes through a card; all times in ps */
    double card_free;        /* the server's card has received the last gradient */
    double now;              /* the server's clock, from the training's start */
} ServerRun;

/* Whole ones: sums are exact, and times that are equal compare as equal. */
static double picoseconds(double seconds) { return rint(1e12 * seconds); }

/* Sends worker i the weights to continue with; stop: to end. */
static void send_weights(ServerRun *run, int i, bool stop)
{
    Server *s = run->s;
    s->message[s->n] = stop ? -1 : (float)run->version;
    MPI_Send(s->message, s->n + 1, MPI_FLOAT, 1 + i, TAG_WEIGHTS, MPI_COMM_WORLD);
    run->now += run->message;
    run->leaves[i] = run->now + run->latency + picoseconds(compute_seconds(s, run->spec, i));
}

/* When worker i's gradient arrives: they come in through the server's card one after the other. */
static double arrival(const ServerRun *run, int i)
{
    return fmax(run->leaves[i] + run->latency, run->card_free) + run->message;
}

/* Takes the next gradient that arrives into the queue; of several at once the first worker's. */
static void receive(ServerRun *run)
{
    Server *s = run->s;
    int i = 0;
    for (int other = 1; other < s->workers; other++)
        if (arrival(run, other) < arrival(run, i))
            i = other;
    MPI_Recv(s->gradient[i], s->n + 1, MPI_FLOAT, 1 + i, TAG_GRADIENT, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    run->card_free = arrival(run, i);
    run->now = fmax(run->now, run->card_free);
    run->leaves[i] = INFINITY;
    run->queue[run->waiting++] = (Arrived){i, (int)s->gradient[i][s->n], 1e-12 * run->now};
}

static void leave_queue(ServerRun *run, int at)
{
    memmove(run->queue + at, run->queue + at + 1,
            (size_t)(--run->waiting - at) * sizeof *run->queue);
}

static void count(ServerRun *run, const Arrived *a)
{
    int stale = run->version - a->version, at = stale < SERVER_STALE ? stale : SERVER_STALE - 1;
    bool slow = a->worker == run->s->workers - 1;
    run->r->used++;
    run->r->stale[at]++;
    run->r->staleness += stale;
    run->r->stale_slow[at] += slow;
    run->r->staleness_slow += slow ? stale : 0;
}

/* What a student wrote: what cannot be ends the run with a message. */
static int choose(const ServerRun *run, int *use)
{
    int n = serve_next(use, run->queue, run->waiting, run->version, run->spec->wait_for);
    bool good = n == 0 || n == run->spec->wait_for;
    for (int k = 0; good && k < n; k++)
        good = use[k] >= 0 && use[k] < run->waiting && (k == 0 || use[k] != use[k - 1]);
    if (!good || (n == 0 && run->waiting == run->s->workers))
        die(EXIT_WRONG,
            "serve_next returns %d with %d gradients in the queue, and waits for %d: "
            "make check LAB=lab2 ONLY=9a",
            n, run->waiting, run->spec->wait_for);
    return n;
}

/* An update with the mean of the chosen gradients; their workers get the new weights. */
static void use_gradients(ServerRun *run, const int *use, int k)
{
    Server *s = run->s;
    int stale = run->version - run->queue[use[0]].version;
    Arrived used[SERVER_WORKERS];
    memset(s->sum, 0, (size_t)s->n * sizeof(float));
    for (int j = 0; j < k; j++) {
        used[j] = run->queue[use[j]];
        for (int i = 0; i < s->n; i++)
            s->sum[i] += s->gradient[used[j].worker][i] / (float)k;
        count(run, &used[j]);
    }
    apply_stale(s->message, s->velocity, s->sum, s->n, run->spec->rate, run->spec->momentum, stale,
                run->spec->aware);
    run->version++;
    for (int j = 0; j < k; j++) {
        int at = 0;
        while (run->queue[at].worker != used[j].worker)
            at++;
        leave_queue(run, at);
        send_weights(run, used[j].worker, false);
    }
}

/* Gradients that came too late for their update. */
static void drop_late(ServerRun *run)
{
    for (int at = run->waiting - 1; at >= 0 && run->spec->wait_for > 1; at--)
        if (run->queue[at].version < run->version) {
            int worker = run->queue[at].worker;
            leave_queue(run, at);
            send_weights(run, worker, false);
            run->r->dropped++;
        }
}

static void serve(Server *s, const ServerSpec *spec, ServerResult *r)
{
    Link link = link_now_used();
    ServerRun run = {.s = s,
                     .spec = spec,
                     .r = r,
                     .latency = picoseconds(link.latency),
                     .message = picoseconds(sizeof(float) * (s->n + 1.) / link.bandwidth)};
    double began = link_now();
    int use[SERVER_WORKERS + 1];
    s->lab->be->op->download(s->m->s, s->message, s->m->params);
    memset(s->velocity, 0, (size_t)s->n * sizeof(float));
    for (int i = 0; i < s->workers; i++)
        send_weights(&run, i, false);
    while (r->used < spec->gradients) {
        receive(&run);
        int k = choose(&run, use);
        if (k)
            use_gradients(&run, use, k);
        r->seconds = 1e-12 * run.now;
        drop_late(&run);
    }
    while (run.waiting < s->workers)
        receive(&run);
    for (int i = 0; i < s->workers; i++)
        send_weights(&run, i, true);
    /* the link's clock has charged the same, but for rounding: it does not begin at 0 */
    ASSERT(fabs(link_now() - began - 1e-12 * run.now) <
           1e-6 + 1e-8 * (double)(r->used + r->dropped));
    s->lab->be->op->upload(s->m->s, s->m->params, s->message);
}

static void means(ServerResult *r)
{
    long slow = 0;
    for (int i = 0; i < SERVER_STALE; i++)
        slow += r->stale_slow[i];
    r->staleness /= (double)r->used;
    r->staleness_slow = slow ? r->staleness_slow / (double)slow : NAN;
}

ServerResult server_run(Server *s, const ServerSpec *spec)
{
    ServerResult r = {0};
    Training *t = training_new(&s->training, spec->seed);
    link_charge_only(true);
    link_align();
    if (s->lab->comm->rank) {
        work(s, spec, t);
    } else {
        serve(s, spec, &r);
        means(&r);
    }
    link_charge_only(false);
    if (s->lab->comm->rank == 0)
        r.accuracy = metrics_accuracy(training_test(t));
    training_free(t);
    return r;
}
