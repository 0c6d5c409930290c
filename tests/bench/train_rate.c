/* train_rate.c: how many images per second a network trains on: the worker of bench.c, also useful
 * by hand.
 *
 *     echo 2 | train_rate --model resnet8 --threads 1
 *
 * Batches of random images are ready in memory, so that only the training step is measured:
 * forward, loss, backward, all-reduce if there are several ranks, SGD with momentum and weight
 * decay. After a warm-up it prints "device …" and "ready"; then for each line read, a number of
 * seconds, it trains for about that long and prints
 *     images seconds peak_KiB exchanging waiting
 * images of all ranks, seconds of the slowest, memory of rank 0. In an all-reduce the rank that
 * comes last does not wait: its time there is what exchanging costs; what the ranks' mean is above
 * it is waiting for a slower rank. Both in seconds, summed over the steps; on a GPU only the
 * launching, and 0 where it is a part of the recorded step.
 * With --layers a line per layer follows, "kind,name,seconds,flops,done,bytes" of one step, forward
 * and backward, then an empty one. flops: 2 x the multiply-adds of the definition; done: those that
 * the kernel does (Winograd: a quarter). bytes: each element that the layer must read or write,
 * once per pass over the batch.
 */
#include "args.h"
#include "backend/cpu/cpu_conv.h"
#include "check.h"
#include "comm.h"
#include "method.h"
#include "model/model_build.h"
#include "rng.h"
#include "timer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { IMAGES = 2048 };

typedef struct Worker {
    Comm *comm;
    Model *m;
    Sgd *sgd;
    Tensor x[IMAGES], label[IMAGES], totals, message;
    int batches, next;
    double in_exchange; /* seconds of the last step */
    bool plain;
    double last, *forward, *backward; /* seconds per layer */
} Worker;

static void draw_batches(Worker *w, int B)
{
    Model *m = w->m;
    const ModelSpec *s = &m->spec;
    Tensor dense = tensor_new(m->be, F32, B, s->h, s->w, s->c, 0);
    size_t count = tensor_count(dense);
    float *x = alloc(count, sizeof *x);
    int T = model_positions(m); /* more than 1: text */
    int32_t *label = alloc(B * T, sizeof *label);
    Rng r = rng_at(1, RNG_TEST, 0, 0);
    w->batches = IMAGES / B > 0 ? IMAGES / B : 1;
    /* from now on every step is recorded */
    if (m->be->op->record_begin && w->batches > MAX_RECORDINGS)
        w->batches = MAX_RECORDINGS;
    for (int b = 0; b < w->batches; b++) {
        for (size_t i = 0; i < count; i++)
            x[i] = T > 1 ? (float)rng_below(&r, s->classes) : rng_normal(&r);
        for (int n = 0; n < B * T; n++)
            label[n] = (int32_t)rng_below(&r, s->classes);
        w->x[b] = tensor_new(m->be, F32, B, s->h, s->w, s->c, model_halo(m));
        w->label[b] = tensor_new(m->be, I32, B, 1, 1, T, 0);
        m->be->op->upload(m->s, dense, x);
        m->be->op->copy(m->s, w->x[b], dense);
        m->be->op->upload(m->s, w->label[b], label);
    }
    m->be->op->stream_sync(m->s);
    w->totals = tensor_new(m->be, F64, 2, 1, 1, 1, 0);
    w->message = tensor_new(m->be, F64, 1, 1, 1, 1, 0);
    tensor_free(m->be, dense);
    free(x), free(label);
}

static void plain_gradient(void *context, Model *m, Tensor totals, const Batch *b)
{
    model_zero_grads(m);
    model_forward(m, b->x, MODEL_TRAIN);
    model_loss(m, totals, b->label, NO_TENSOR, true);
    model_backward(m);
}

static void exchange(void *context, Model *m)
{
    Worker *w = context;
    double began = timer_now();
    comm_all_reduce(w->comm, m->grads, COMM_SUM, m->s);
    w->in_exchange = timer_now() - began;
}

static void step(Worker *w)
{
    int b = w->next++ % w->batches;
    Batch batch = {.x = w->x[b], .label = w->label[b], .n = w->x[b].n};
    Method method = {.update = sgd_update(w->sgd)};
    if (w->plain)
        method.gradient.run = plain_gradient;
    if (w->comm->size > 1)
        method.exchange = (Exchange){.run = exchange, .context = w};
    w->last = timer_now();
    w->in_exchange = 0;
    /* the sum at rate / P is the mean at rate */
    method_step(&method, w->m, w->totals, &batch, 0.05 / w->comm->size, NULL);
}

static void layer_done(void *context, int layer, bool backward, Stream *s)
{
    Worker *w = context;
    s->be->op->stream_sync(s);
    double now = timer_now();
    (backward ? w->backward : w->forward)[layer] += now - w->last;
    w->last = now;
}

/* Train for about `seconds`; all ranks take the same number of steps. */
static void measure(Worker *w, double seconds, double *step_seconds)
{
    int B = w->x[0].n, steps = (int)(seconds / *step_seconds) + 1;
    double *last = alloc(steps, sizeof *last), mean = 0, exchanging = 0;
    comm_barrier(w->comm);
    double began = timer_now();
    for (int k = 0; k < steps; k++) {
        step(w);
        mean += w->in_exchange / w->comm->size;
        last[k] = w->in_exchange;
    }
    w->m->be->op->stream_sync(w->m->s);
    double took = timer_now() - began;
    comm_all_reduce_host(w->comm, &took, 1, COMM_MAX);
    comm_all_reduce_host(w->comm, &mean, 1, COMM_SUM);
    comm_all_reduce_host(w->comm, last, steps, COMM_MIN);
    for (int k = 0; k < steps; k++)
        exchanging += last[k];
    free(last);
    *step_seconds = took / steps;
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    if (w->comm->rank == 0)
        printf("%d %.6f %ld %.6f %.6f\n", steps * B * w->comm->size, took, use.ru_maxrss,
               exchanging, mean - exchanging);
}

/* Rank 0 reads it and sends it to the others, which sleep meanwhile: MPI's own waiting would keep a
 * core busy and slow down the other programs. 0: no more. */
static double next_command(Worker *w, FILE *commands)
{
    double seconds = 0;
    Stream *s = w->m->s;
    Tensor message = w->message;
    if (w->comm->rank == 0) {
        seconds = fscanf(commands, "%lf", &seconds) == 1 ? seconds : 0;
        s->be->op->upload(s, message, &seconds);
        for (int rank = 1; rank < w->comm->size; rank++)
            comm_send(w->comm, message, rank, 0, s);
    } else {
        CommRequest *request = comm_recv_start(w->comm, message, 0, 0, s);
        while (!comm_test(w->comm, request))
            usleep(1000);
        comm_wait(w->comm, request);
        s->be->op->download(s, &seconds, message);
    }
    return seconds;
}

typedef struct Work {
    double flops, done, bytes;
} Work;

/* The least work of layer i in a step, forward and backward. */
static Work work_of(const Model *m, int i)
{
    const Layer *l = &m->layers[i];
    double N = m->batch, x = N * tensor_count(tensor_first(m->plan->act[l->in], 1));
    double y = N * tensor_count(tensor_first(m->plan->act[i + 1], 1));
    double passes = l->in > 0 ? 3 : 2; /* the image's gradient is not needed */
    double x_bytes = x * dtype_size(m->plan->act[l->in].dtype),
           y_bytes = y * dtype_size(m->plan->act[i + 1].dtype);
    double residual = l->residual >= 0 ? y_bytes : 0;
    Work work = {0, 0, 2 * (x_bytes + y_bytes)};
    if (l->kind == LAYER_CONV) {
        /* forward reads x, writes y; weights read x, dy; data reads dy, writes dx */
        double inputs = (double)m->plan->shape[l->in].c * l->kernel * l->kernel;
        work = (Work){passes * 2 * y * inputs, passes * 2 * y * inputs,
                      residual + passes * (x_bytes + y_bytes)};
        if (!strcmp(m->be->op->name, "cpu") && conv_by_winograd(m->plan->conv[i]))
            work.done *= 36.0 / 144;
    } else if (l->kind == LAYER_BATCHNORM)
        /* forward reads x, writes y (its statistics came with the convolution); backward reads dy,
         * y, x twice, writes dx; about 17 operations per element: statistics 3, normalising 4, sums
         * 4, dx 6 */
        work = (Work){17 * y, 17 * y, 9 * y_bytes + 3 * residual};
    else if (l->kind == LAYER_ATTENTION)
        /* half of T x T scores: 2 products forward, 5 backward, 2 T C operations each */
        work.flops = work.done = 7 * y * m->plan->shape[i + 1].w;
    else if (l->kind == LAYER_DENSE)
        work.flops = work.done = 3 * 2 * y * m->plan->shape[l->in].c,
        work.bytes = residual + 3 * (x_bytes + y_bytes);
    return work;
}

static void measure_layers(Worker *w, int steps)
{
    Model *m = w->m;
    w->forward = alloc(m->nlayers, sizeof(double)), w->backward = alloc(m->nlayers, sizeof(double));
    m->layer_hook = layer_done, m->layer_context = w;
    for (int k = 0; k < steps; k++)
        step(w);
    m->layer_hook = NULL;
    for (int i = 0; i < m->nlayers && w->comm->rank == 0; i++) {
        Work work = work_of(m, i);
        printf("%s,%s,%.9f,%.0f,%.0f,%.0f\n", layer_kinds[m->layers[i].kind].name,
               m->layers[i].name[0] ? m->layers[i].name : "-",
               (w->forward[i] + w->backward[i]) / steps, work.flops, work.done, work.bytes);
    }
    if (w->comm->rank == 0)
        printf("\n");
    free(w->forward), free(w->backward);
}

int main(int argc, char **argv)
{
    const char *name = "resnet8", *device = "cpu", *precision = "fp32", *from = NULL;
    int batch = 128, threads = 0, local_rank = 0, local_size = 0, size = 32, channels = 3,
        context = 0;
    bool layers = false, plain = false;
    Option table[] = {
        {"model", ARG_STRING, &name, .help = "network"},
        {"batch", ARG_INT, &batch, .min = 1, .max = IMAGES, .help = "images per rank and step"},
        {"size", ARG_INT, &size, .min = 8, .max = 64, .help = "height and width of an image"},
        {"channels", ARG_INT, &channels, .min = 1, .max = 4, .help = "channels of an image"},
        {"context", ARG_INT, &context, .min = 0, .max = 1024,
         .help = "text of so many tokens in place of images; 0: images"},
        {"device", ARG_CHOICE, &device, .choices = "auto|cpu|cuda", .help = "where to compute"},
        {"precision", ARG_CHOICE, &precision, .choices = "fp32|tf32|bf16|fp16",
         .help = "numeric precision (on a CPU fp32 and bf16)"},
        {"threads", ARG_INT, &threads, .min = 0, .max = 1024,
         .help = "threads per rank (0: all of its cores)"},
        {"local-rank", ARG_INT, &local_rank, .min = 0, .max = 1023,
         .help = "use the cores of this local rank …"},
        {"local-size", ARG_INT, &local_size, .min = 0, .max = 1024,
         .help = "… of this many local ranks (0: the actual ones)"},
        {"from", ARG_STRING, &from,
         .help = "read commands from this file or pipe (default: standard input)"},
        {"layers", ARG_FLAG, &layers, .help = "also print the time of each layer"},
        {"plain", ARG_FLAG, &plain,
         .help = "launch a step's operations one by one, not as a recorded graph: for profilers"},
        {0}};
    args_parse("train_rate", "Images per second of training, on command.", table, argc, argv);
    Worker w = {.comm = comm_open("auto"), .plain = plain};
    bool actual = local_size == 0;
    Backend *be = backend_open(device, actual ? w.comm->local_rank : local_rank,
                               actual ? w.comm->local_size : local_size, threads);
    backend_precision(be, precision);
    ModelSpec spec = {.name = name, .h = size, .w = size, .c = channels, .classes = 10};
    if (context)
        spec = (ModelSpec){.name = name, .h = 1, .w = context, .c = 1, .classes = 256};
    w.m = model_new(be, &spec, batch);
    model_init(w.m, 1);
    w.sgd = sgd_new(w.m, 0.9, 5e-4, false);
    draw_batches(&w, batch);
    double step_seconds = 1;
    /* a batch is recorded at its second use */
    int warm_up = be->op->record_begin ? 2 * w.batches + 2 : 4;
    for (int k = 0; k < warm_up; k++) {
        double began = timer_now();
        step(&w);
        be->op->stream_sync(w.m->s);
        step_seconds = timer_now() - began;
    }
    comm_all_reduce_host(w.comm, &step_seconds, 1, COMM_MAX);
    setvbuf(stdout, NULL, _IOLBF, 0);
    FILE *commands = from && w.comm->rank == 0 ? fopen(from, "r") : stdin;
    REQUIRE(commands, "%s: cannot be read", from);
    if (w.comm->rank == 0)
        printf("device %s\nready\n", be->description);
    while (true) {
        double seconds = next_command(&w, commands);
        if (!(seconds > 0))
            break;
        measure(&w, seconds, &step_seconds);
        if (layers)
            measure_layers(&w, (int)(seconds / step_seconds) + 1);
    }
    for (int b = 0; b < w.batches; b++)
        tensor_free(be, w.x[b]), tensor_free(be, w.label[b]);
    tensor_free(be, w.totals), tensor_free(be, w.message);
    sgd_free(w.m, w.sgd);
    model_free(w.m);
    backend_close(be);
    comm_close(w.comm);
    return 0;
}
