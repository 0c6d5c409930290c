/* server.c: see server.h. A message is the weights, or a gradient, and as its last element the
 * version of the weights (-1: stop). Floats count exactly up to 2^24.
 */
#include "server.h"
#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_WEIGHTS, TAG_GRADIENT };

struct Server {
    const Lab *lab;
    int images, test, n, workers;
    Model *m;
    Loader *train, *tests;
    Tensor totals;
    int32_t *order;
    float *message;                  /* [n + 1] */
    float *velocity, *sum;           /* the server's */
    float *gradient[SERVER_WORKERS]; /* [n + 1], what worker i sent last */
};

int server_parameters(const Server *s) { return s->n; }

Server *server_new(const Lab *lab, const char *model, int batch, int images, int test)
{
    const Dataset *d = lab->data;
    Server *s = alloc(1, sizeof *s);
    *s = (Server){.lab = lab, .workers = lab->comm->size - 1};
    Images train = d->train, tests = d->test;
    AugmentSpec none = {0};
    int most = batch > 250 ? batch : 250;
    s->images = train.count = images < train.count ? images : train.count;
    s->test = tests.count = test < tests.count ? test : tests.count;
    REQUIRE(s->images >= s->workers * batch,
            "--images=%d: %d workers with batches of %d need at least %d", s->images, s->workers,
            batch, s->workers * batch);
    ModelSpec spec = {
        .name = model, .h = train.h, .w = train.w, .c = train.c, .classes = d->classes};
    s->m = model_new(lab->be, &spec, most);
    s->n = s->m->params.n;
    s->train = loader_new(lab->be, &train, d->mean, d->istd, batch, model_halo(s->m), none, 1);
    s->tests = loader_new(lab->be, &tests, d->mean, d->istd, most, model_halo(s->m), none, 1);
    s->totals = tensor_new(lab->be, F64, 2, 1, 1, 1, 0);
    s->order = alloc(s->images, sizeof *s->order);
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
    free(s->order);
    tensor_free(s->lab->be, s->totals);
    loader_free(s->tests);
    loader_free(s->train);
    model_free(s->m);
    free(s);
}

/* ---- a worker ---- */

/* Every worker's images: its part of the epoch's order. Returns how many: whole batches. */
static int begin_epoch(Server *s, const ServerSpec *spec, int epoch)
{
    int n = s->images / s->workers, whole = n / spec->batch * spec->batch;
    epoch_order(s->order, s->images, spec->seed, epoch);
    loader_start(s->train, s->order + (s->lab->comm->rank - 1) * n, whole, epoch);
    return whole;
}

static void work(Server *s, const ServerSpec *spec)
{
    const BackendOps *op = s->lab->be->op;
    bool slowest = s->lab->comm->rank == s->workers;
    Batch b;
    for (int epoch = 0, started = 0;; started = 1) {
        MPI_Recv(s->message, s->n + 1, MPI_FLOAT, 0, TAG_WEIGHTS, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (s->message[s->n] < 0)
            break;
        op->upload(s->m->s, s->m->params, s->message);
        if (!started || !loader_next(s->train, s->m->s, &b)) {
            begin_epoch(s, spec, epoch++);
            loader_next(s->train, s->m->s, &b);
        }
        model_gradient(s->m, s->totals, b.x, b.label);
        op->download(s->m->s, s->message, s->m->grads); /* the version stays behind it */
        link_charge(spec->compute * (slowest ? spec->slow : 1));
        MPI_Send(s->message, s->n + 1, MPI_FLOAT, 0, TAG_GRADIENT, MPI_COMM_WORLD);
    }
}

/* ---- the server ---- */

typedef struct Desk {
    Server *s;
    const ServerSpec *spec;
    ServerResult *r;
    Arrived queue[SERVER_WORKERS];
    int waiting;            /* in the queue */
    int version, computing; /* workers that have weights */
} Desk;

/* Sends worker i the weights, to go on with; stop: to end. */
static void send_weights(Desk *d, int i, bool stop)
{
    Server *s = d->s;
    s->message[s->n] = stop ? -1 : (float)d->version;
    MPI_Send(s->message, s->n + 1, MPI_FLOAT, 1 + i, TAG_WEIGHTS, MPI_COMM_WORLD);
    d->computing += !stop;
}

/* Takes the next gradient that arrives, from any rank, into the queue. */
static void receive(Desk *d)
{
    Server *s = d->s;
    MPI_Status status;
    MPI_Recv(s->sum, s->n + 1, MPI_FLOAT, MPI_ANY_SOURCE, TAG_GRADIENT, MPI_COMM_WORLD, &status);
    int i = status.MPI_SOURCE - 1;
    memcpy(s->gradient[i], s->sum, ((size_t)s->n + 1) * sizeof(float));
    d->queue[d->waiting++] = (Arrived){i, (int)s->sum[s->n], link_now()};
    d->computing--;
}

static void leave_queue(Desk *d, int at)
{
    memmove(d->queue + at, d->queue + at + 1, (size_t)(--d->waiting - at) * sizeof *d->queue);
}

static void count(Desk *d, const Arrived *a)
{
    int stale = d->version - a->version, at = stale < SERVER_STALE ? stale : SERVER_STALE - 1;
    bool slow = a->worker == d->s->workers - 1;
    d->r->used++;
    d->r->stale[at]++;
    d->r->staleness += stale;
    d->r->stale_slow[at] += slow;
    d->r->staleness_slow += slow ? stale : 0;
}

/* What a student wrote: what cannot be ends the run in words. */
static int choose(const Desk *d, int *use)
{
    int n = serve_next(use, d->queue, d->waiting, d->version, d->spec->wait_for);
    bool good = n == 0 || n == d->spec->wait_for;
    for (int k = 0; good && k < n; k++)
        good = use[k] >= 0 && use[k] < d->waiting && (k == 0 || use[k] != use[k - 1]);
    if (!good || (n == 0 && d->computing == 0 && d->waiting == d->s->workers))
        die(EXIT_WRONG,
            "serve_next returns %d with %d gradients in the queue, and waits for %d: "
            "make check LAB=lab2 ONLY=9a",
            n, d->waiting, d->spec->wait_for);
    return n;
}

/* An update with the mean of the chosen gradients; their workers get the new weights. */
static void use_gradients(Desk *d, const int *use, int k)
{
    Server *s = d->s;
    int stale = d->version - d->queue[use[0]].version;
    Arrived used[SERVER_WORKERS];
    memset(s->sum, 0, (size_t)s->n * sizeof(float));
    for (int j = 0; j < k; j++) {
        used[j] = d->queue[use[j]];
        for (int i = 0; i < s->n; i++)
            s->sum[i] += s->gradient[used[j].worker][i] / (float)k;
        count(d, &used[j]);
    }
    apply_stale(s->message, s->velocity, s->sum, s->n, d->spec->rate, d->spec->momentum, stale,
                d->spec->aware);
    d->version++;
    for (int j = 0; j < k; j++) {
        int at = 0;
        while (d->queue[at].worker != used[j].worker)
            at++;
        leave_queue(d, at);
        send_weights(d, used[j].worker, false);
    }
}

/* Gradients that came too late for their update. */
static void drop_late(Desk *d)
{
    for (int at = d->waiting - 1; at >= 0 && d->spec->wait_for > 1; at--)
        if (d->queue[at].version < d->version) {
            int worker = d->queue[at].worker;
            leave_queue(d, at);
            send_weights(d, worker, false);
            d->r->dropped++;
        }
}

static void serve(Server *s, const ServerSpec *spec, ServerResult *r)
{
    Desk d = {.s = s, .spec = spec, .r = r};
    double began = link_now();
    int use[SERVER_WORKERS + 1];
    s->lab->be->op->download(s->m->s, s->message, s->m->params);
    memset(s->velocity, 0, (size_t)s->n * sizeof(float));
    for (int i = 0; i < s->workers; i++)
        send_weights(&d, i, false);
    while (r->used < spec->gradients) {
        receive(&d);
        int k = choose(&d, use);
        if (k)
            use_gradients(&d, use, k);
        r->seconds = link_now() - began;
        drop_late(&d);
    }
    while (d.computing)
        receive(&d);
    for (int i = 0; i < s->workers; i++)
        send_weights(&d, i, true);
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
    model_init(s->m, spec->seed);
    link_charge_only(true);
    link_align();
    if (s->lab->comm->rank) {
        work(s, spec);
    } else {
        serve(s, spec, &r);
        means(&r);
    }
    link_charge_only(false);
    if (s->lab->comm->rank == 0)
        r.accuracy = metrics_accuracy(evaluate(s->m, s->tests, NULL, s->test));
    return r;
}
