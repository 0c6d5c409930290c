/* parallel_run.c: see parallel_run.h. */
#include "parallel_run.h"
#include "check.h"
#include "epoch_order.h"
#include "quantiles.h"
#include "timer.h"
#include <math.h>
#include <stdlib.h>

Task task_new(Comm *comm, Backend *be, const Dataset *data, MlpSpec spec, int batch, int updates,
              double rate)
{
    Task t = {.comm = comm,
              .be = be,
              .data = data,
              .spec = spec,
              .batch = batch,
              .updates = updates,
              .rate = rate};
    t.order = alloc((size_t)data->train.count, sizeof *t.order);
    epoch_order(t.order, data->train.count, spec.seed, 0);
    return t;
}

void task_free(Task *t)
{
    free(t->order);
    free(t->weights);
}

/* ---- batches ---- */

/* An image as `width` of its values, picked evenly and normalised: x [width]. */
static void input(const Dataset *d, int image, int width, float *x)
{
    const Images *all = &d->train;
    size_t size = (size_t)all->h * all->w * all->c;
    for (int i = 0; i < width; i++) {
        size_t p = i * size / width, c = p % all->c;
        x[i] = (all->pixels[image * size + p] / 255.0f - d->mean[c]) * d->istd[c];
    }
}

/* This worker's slice of batch `update`, cut into micro-batches: images for the first layer, labels
 * for the loss. */
static void load(const Task *t, Worker *w, int update)
{
    Mlp *n = w->net;
    int width = t->spec.width,
        first = update * t->batch + w->replica * (t->batch / w->scheme.replicas);
    float *x = alloc((size_t)n->rows * width, sizeof *x);
    int32_t *label = alloc((size_t)n->rows, sizeof *label);
    for (int m = 0; m < n->micros; m++) {
        for (int i = 0; i < n->rows; i++) {
            int image = t->order[(first + m * n->rows + i) % t->data->train.count];
            input(t->data, image, width, x + (size_t)i * width);
            label[i] = t->data->train.labels[image];
        }
        if (n->first == 0)
            t->be->op->upload(n->s, n->act[m][0], x);
        t->be->op->upload(n->s, n->label[m], label);
    }
    free(x);
    free(label);
}

/* ---- the updates ---- */

static double median(double *values, int n)
{
    sort_ascending(values, n);
    return values[n / 2];
}

/* Over the updates, without the first if there are more: the median time of a computation, the
 * shortest of a message (where ranks share processors, most of a message's time is spent waiting
 * until the other side is scheduled). */
static void take_medians(Log *log, const Log *each, int updates)
{
    int from = updates > 1;
    *log = each[0];
    for (int i = 0; i < log->count; i++) {
        double times[MOST_UPDATES];
        for (int u = from; u < updates; u++) {
            ASSERT(each[u].count == log->count);
            times[u - from] = each[u].event[i].seconds;
        }
        double middle = median(times, updates - from); /* sorts times */
        log->event[i].seconds = log->event[i].kind < EVENT_SEND ? middle : times[0];
    }
}

static bool all_continue(const Task *t, Comm *together)
{
    int32_t on = t->comm->rank != 0 || !t->may_continue || t->may_continue(t->context);
    if (together) {
        comm_broadcast_host(together, &on, sizeof on, 0);
        comm_barrier(together);
    }
    return on;
}

/* The loss of the whole batch, on every rank of `together`. */
static double batch_loss(const Task *t, const Worker *w, Comm *together)
{
    double totals[2];
    t->be->op->download(w->net->s, totals, w->net->totals);
    double loss = worker_reports_loss(w) ? totals[0] / t->batch : 0;
    if (together)
        comm_all_reduce_host(together, &loss, 1, COMM_SUM);
    return loss;
}

/* All updates, with a log of each. wall: the slowest rank's median wall-clock time. */
static bool updates(const Task *t, Worker *w, Comm *together, Log *log, double *loss, double *wall)
{
    double times[MOST_UPDATES];
    for (int u = 0; u < t->updates; u++) {
        load(t, w, u);
        if (!all_continue(t, together))
            return false;
        double began = timer_now();
        worker_update(w);
        times[u] = timer_now() - began;
        if (together)
            comm_all_reduce_host(together, &times[u], 1, COMM_MAX);
        log[u] = w->log;
        loss[u] = batch_loss(t, w, together);
    }
    int from = t->updates > 1;
    *wall = median(times + from, t->updates - from);
    return true;
}

/* ---- one rank: the reference ---- */

static bool run_alone(Task *t, const Scheme *scheme, Outcome *out)
{
    int32_t done = 0;
    free(t->weights);
    t->weights = NULL;
    if (t->comm->rank == 0) {
        Worker *w = worker_new(NULL, t->be, scheme, &t->spec, t->batch, t->rate);
        Log *log = alloc((size_t)t->updates, sizeof *log);
        done = updates(t, w, NULL, log, t->loss, &out->wall);
        if (done) {
            take_medians(&out->log[0], log, t->updates);
            t->weights = mlp_download(w->net);
        }
        free(log);
        worker_free(w);
    }
    comm_broadcast_host(t->comm, &done, sizeof done, 0);
    if (!done)
        return false;
    if (!t->weights)
        t->weights = alloc(mlp_count(&t->spec), sizeof *t->weights);
    comm_broadcast_host(t->comm, t->weights, mlp_count(&t->spec) * sizeof *t->weights, 0);
    comm_broadcast_host(t->comm, t->loss, sizeof t->loss, 0);
    out->ranks = 1;
    out->loss = t->loss[t->updates - 1];
    if (!isfinite(out->loss))
        die(EXIT_WRONG, "the loss is %g after %d updates: diverged; try a lower --rate than %g",
            out->loss, t->updates, t->rate);
    return true;
}

/* ---- several ranks ---- */

static void compare(const Task *t, const Worker *w, const double *loss, Outcome *out)
{
    double largest = 0, error = mlp_difference(w->net, t->weights, &largest);
    comm_all_reduce_host(t->comm, &error, 1, COMM_MAX);
    comm_all_reduce_host(t->comm, &largest, 1, COMM_MAX);
    out->weights_error = error / largest;
    for (int u = 0; u < t->updates; u++) {
        double off = fabs(loss[u] - t->loss[u]) / fabs(t->loss[u]);
        out->loss_error = off > out->loss_error || isnan(off) ? off : out->loss_error;
    }
    out->loss = loss[t->updates - 1];
}

static bool run_together(Task *t, const Scheme *scheme, Outcome *out)
{
    double loss[MOST_UPDATES];
    Worker *w = worker_new(t->comm, t->be, scheme, &t->spec, t->batch, t->rate);
    Log *log = alloc((size_t)t->updates, sizeof *log), mine;
    bool done = updates(t, w, t->comm, log, loss, &out->wall);
    if (done) {
        take_medians(&mine, log, t->updates);
        comm_gather_host(t->comm, out->log, &mine, sizeof mine, 0);
        double bytes = worker_bytes(w) / t->updates, expected = worker_bytes_expected(w);
        comm_gather_host(t->comm, out->bytes, &bytes, sizeof bytes, 0);
        comm_gather_host(t->comm, out->expected, &expected, sizeof expected, 0);
        compare(t, w, loss, out);
        out->ranks = t->comm->size;
    }
    free(log);
    worker_free(w);
    return done;
}

bool task_run(Task *t, const Scheme *scheme, Outcome *out)
{
    *out = (Outcome){.scheme = *scheme};
    bool alone = scheme->replicas * scheme->stages * scheme->shards == 1;
    if (!(alone ? run_alone(t, scheme, out) : run_together(t, scheme, out)))
        return false;
    if (t->comm->rank == 0) {
        out->end = replay(out->log, out->ranks);
        for (int r = 0; r < out->ranks; r++)
            out->idle[r] = t->busy ? replay_idle(&out->log[r], out->end) : NAN;
    }
    out->done = true;
    return true;
}

double outcome_idle(const Outcome *o)
{
    double sum = 0;
    for (int r = 0; r < o->ranks; r++)
        sum += o->idle[r];
    return sum / o->ranks;
}

double outcome_bubble(const Scheme *s)
{
    return s->stages == 1 ? NAN : (s->stages - 1.0) / (s->micros + s->stages - 1);
}

int outcome_kept(const Outcome *o, int rank, int batch)
{
    const Scheme *s = &o->scheme;
    int each = batch / (s->replicas * s->micros);
    return s->stages == 1 ? each : replay_kept(&o->log[rank]) * each;
}
