/* 3_train.c: a serial program that trains a network. Your task: make it train one network on P
 * ranks (HANDOUT.md).
 *
 * It works as it is; under mpirun, P copies of it would each train a network alone. The comments
 * STEP 1 … STEP 9 say what data parallelism needs, and where: a few lines of code each. Do them in
 * order, and take the number of each finished step out of `to_do`: the self-check then judges it.
 * The calls are those of comm.h; steps that communicate name the MPI and NCCL calls behind them.
 */
#include "check.h"
#include "checkpoint.h"
#include "lab2.h"
#include "timeline_figure.h"
#include "timer.h"
#include "trace.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* the steps still to do; 0 ends the list */
static const int to_do[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0};

typedef struct Trainer {
    const TrainOptions *o;
    Comm *comm; /* NULL until step 1 is done */
    Backend *be;
    Dataset *data;
    Run *run;
    Trace *trace; /* NULL without --trace */
    Model *model;
    Sgd *sgd;
    Schedule schedule;
    Progress at; /* epoch, position in it, updates made */
    Loader *train, *test;
    int32_t *order, *mine; /* this epoch's training images: of all ranks, of this rank */
    int32_t *test_order;   /* 0, 1, 2, … */
    Tensor totals; /* F64 [2]: sum of the losses and count of correct, over this epoch so far */
    int64_t saved; /* at.step of the last checkpoint, -1: none */
} Trainer;

/* ---- set-up ---- */

/* Library, device, data, output. */
static void start(Trainer *t)
{
    const TrainOptions *o = t->o;
    /* STEP 1a (6 points). Start and leave. Start the communication library before anything else:
     * t->comm = comm_open(…), with the option o->run.comm. It tells this process its rank, the
     * world size (size), and its local rank among those of its machine (local_rank of local_size).
     * In MPI: MPI_Init_thread (MPI_Init for a program with threads), MPI_Comm_rank, MPI_Comm_size;
     * in NCCL: ncclCommInitRank.
     * STEP 1b is at the end of main(). */

    /* STEP 2 (8 points). One device per rank. Here every process claims to be local rank 0 of 1, so
     * all of them would use the same cores, or the same GPU. Pass this rank's own. No MPI call; for
     * a GPU the library calls cudaSetDevice. */
    t->be = backend_open(o->run.device, 0, 1, o->run.threads);
    backend_precision(t->be, o->run.precision);
    t->data = train_dataset(o);

    /* STEP 3 (6 points). One voice. P ranks would print everything P times and overwrite each
     * other's files. (3a) Only rank 0 prints and writes; (3b) it reports the world size as "ranks".
     * No MPI call. */
    bool speaks = true; /* STEP 3a */
    json_t *facts = json_pack("{s:s, s:s, s:i}", "data", t->data->description, "device",
                              t->be->description, "ranks", 1); /* STEP 3b */
    t->run = run_open("lab2_train", &o->run, o->table, facts, speaks);
    report_to_do(t->run, "lab2_ddp/3_train.c", to_do);
    t->trace = o->run.trace ? trace_new(1 << 20) : NULL;
}

/* The images of one update on one rank: K = --accumulate micro-batches of B = --batch. */
static int rank_batch(const Trainer *t) { return t->o->accumulate * t->o->batch; }

/* STEP 4 (14 points). A slice of each global batch. Let S = K·B be rank_batch(). Update t of an
 * epoch trains on positions [tPS, (t+1)PS) of the epoch's order, the global batch; rank r takes the
 * r-th slice of S images. A last, incomplete global batch is dropped, so that all ranks make
 * equally many updates: a rank that makes one more hangs in an all-reduce that the others never
 * call. (4a) The size of the global batch; (4b) where this rank's slice of it begins. No MPI call:
 * all ranks draw the same order from --seed. */
static int global_batch(const Trainer *t) { return rank_batch(t); /* STEP 4a */ }

static int updates_per_epoch(const Trainer *t) { return t->data->train.count / global_batch(t); }

/* Fills t->mine with the images that this process trains on in the rest of this epoch, batch after
 * batch. Returns their count. */
static int slice_epoch(Trainer *t)
{
    int S = rank_batch(t), count = t->data->train.count;
    int batches = (count - (int)t->at.position) / global_batch(t);
    epoch_order(t->order, count, t->at.seed, t->at.epoch);
    for (int b = 0; b < batches; b++) {
        int64_t first = t->at.position + (int64_t)b * global_batch(t); /* STEP 4b */
        memcpy(t->mine + (int64_t)b * S, t->order + first, S * sizeof *t->order);
    }
    return batches * S;
}

static void make_model(Trainer *t)
{
    const TrainOptions *o = t->o;
    ModelSpec spec = train_model_spec(o, t->data);
    t->model = model_new(t->be, &spec, o->batch);
    model_init(t->model, (uint64_t)o->init_seed);
    /* STEP 5 (8 points). Broadcast. Each rank has drawn weights of its own: --init-seed is --seed
     * plus the rank where it is not given. All must start from rank 0's: comm_broadcast of
     * model->params, on the model's stream, model->s. In MPI: MPI_Bcast; in NCCL: ncclBroadcast.
     * Why not also batch norm's running statistics (model->state) and the velocity? They start at
     * the same constants on every rank; and with --resume every rank reads all three from the
     * checkpoint. */

    t->sgd = sgd_new(t->model, o->momentum, o->weight_decay, o->nesterov);
    t->at.seed = (uint64_t)o->run.seed;
    if (o->resume) {
        checkpoint_load(o->resume, t->model, t->sgd->state, &t->at);
        t->sgd->steps = t->at.step;
        progress_require(o->resume, &t->at, t->data->train.count, o->epochs);
    }
}

/* The loaders and the lists of images. */
static void make_batches(Trainer *t)
{
    const TrainOptions *o = t->o;
    const Dataset *d = t->data;
    AugmentSpec augment = {.flip = o->flip, .shift = o->shift, .cutout = o->cutout};
    int halo = model_halo(t->model);
    t->train = loader_new(t->be, &d->train, d->mean, d->istd, o->batch, halo, augment, t->at.seed);
    t->test = loader_new(t->be, &d->test, d->mean, d->istd, o->batch, halo, (AugmentSpec){0},
                         t->at.seed);
    t->order = alloc((unsigned long)d->train.count, sizeof *t->order);
    t->mine = alloc((unsigned long)d->train.count, sizeof *t->mine);
    t->test_order = alloc((unsigned long)d->test.count, sizeof *t->test_order);
    for (int i = 0; i < d->test.count; i++)
        t->test_order[i] = i;
    t->totals = tensor_new(t->be, F64, 2, 1, 1, 1, 0);
    trace_track(t->trace, 0, "compute");
    trace_track(t->trace, 1, "communication");
    trace_track(t->trace, 2, "data");
}

/* STEP 7 (8 points). The rate, and one clock. The gradient is now a mean over P times as many
 * images; it is less noisy, so the learning rate can be P times as large (Goyal et al., arXiv
 * 1706.02677). But early in training such a rate may diverge, so warm up: over the first o->warmup
 * epochs, raise it from the rate of one rank to P times that. Set three fields of Schedule:
 * .rate = P * o->rate, .start = o->rate, and .warmup, the length of the warm-up in updates.
 * One-cycle, the default schedule, ignores .start and .warmup because it includes a warm-up: to see
 * yours, run --schedule constant --warmup 2 --epochs 3 on two ranks and watch the column "rate". No
 * MPI call, and nothing to write for the clock: rate_now() counts global batches, and all ranks
 * have the same count. */
static void make_schedule(Trainer *t)
{
    const TrainOptions *o = t->o;
    int per_epoch = updates_per_epoch(t);
    REQUIRE(per_epoch > 0,
            "%d training images, but one update takes %d: give a smaller --batch or --accumulate, "
            "or more --images",
            t->data->train.count, global_batch(t));
    t->schedule = (Schedule){.kind = schedule_kind(o->schedule),
                             .rate = o->rate,
                             .steps = (int64_t)o->epochs * per_epoch,
                             .drop_every = (int64_t)fmax(1, o->drop_every * per_epoch),
                             .drop_by = o->drop_by};
}

/* The rate of the next update. Not from at.step: a run resumed on a different number of ranks has
 * made a different number of updates by the same point of its training. */
static double rate_now(const Trainer *t)
{
    int64_t step = (int64_t)t->at.epoch * updates_per_epoch(t) + t->at.position / global_batch(t);
    return schedule_rate(&t->schedule, step);
}

/* ---- one update ---- */

/* STEP 6a (14 points). Average. Write here  static void average(Trainer *t, Tensor v): every rank
 * ends with the mean of v over the ranks. comm_all_reduce gives the sum; in MPI: MPI_Allreduce, in
 * NCCL: ncclAllReduce. t->be->op->scale(stream, v, factor) turns it into the mean. Steps 8 and 9
 * also use it for model->state, which is empty in a network without batch norm: return at once if
 * v.buf is NULL. */

/* The gradient of the next micro-batch, added to m->grads. */
static void add_gradient(Trainer *t)
{
    Model *m = t->model;
    Batch b;
    double began = trace_begin(t->trace);
    loader_next(t->train, m->s, &b);
    trace_end(t->trace, "load", 2, began);

    began = trace_begin(t->trace);
    model_forward(m, b.x, MODEL_TRAIN);
    model_loss(m, t->totals, b.label, NO_TENSOR, true);
    trace_end(t->trace, "forward", 0, began);

    began = trace_begin(t->trace);
    model_backward(m);
    trace_end(t->trace, "backward", 0, began);
}

/* One update: the mean gradient of K micro-batches, a step downhill. The micro-batches are equally
 * large, so the mean of their gradients is the gradient of one batch of KB images (but for batch
 * norm, which sees B at a time): a large batch in the memory of a small one. */
static void train_step(Trainer *t)
{
    Model *m = t->model;
    int K = t->o->accumulate;
    model_zero_grads(m);
    for (int k = 0; k < K; k++)
        add_gradient(t);
    if (K > 1)
        t->be->op->scale(m->s, m->grads, 1.0f / (float)K);

    /* STEP 6b. Average m->grads over the ranks, as a span "all-reduce" on track 1 of the trace:
     * then every rank makes the same update. Once per update, however many micro-batches there are:
     * their gradients add up on the rank, which sends nothing. */

    double began = trace_begin(t->trace);
    sgd_step(m, t->sgd, rate_now(t));
    trace_end(t->trace, "update", 0, began);
    t->at.position += global_batch(t);
    t->at.step++;
}

/* ---- metrics, test, checkpoint, stop ---- */

/* This process's metrics over its `images` images of this epoch so far. Ends the run if the loss
 * is not finite. */
static Metrics own_metrics(Trainer *t, int images)
{
    double sums[2];
    t->be->op->download(t->model->s, sums, t->totals);
    if (!isfinite(sums[0]))
        die(EXIT_WRONG,
            "epoch %d, update %lld: the loss is %g: diverged; try a lower --rate or a "
            "longer --warmup",
            t->at.epoch + 1, (long long)t->at.step, sums[0]);
    return (Metrics){.loss = sums[0], .correct = sums[1], .count = images};
}

/* STEP 8a (10 points). Metrics. They are sums, and each rank has its own: replace `sums` by their
 * sum over the ranks, with comm_all_reduce_host. In MPI: MPI_Allreduce, on host memory. The
 * accuracy over all ranks is (sum of correct) / (sum of count); the mean of the ranks' accuracies
 * is wrong as soon as their counts differ. */
static Metrics over_ranks(Trainer *t, Metrics own)
{
    double sums[3] = {own.loss, own.correct, own.count};
    return (Metrics){.loss = sums[0], .correct = sums[1], .count = sums[2]};
}

/* STEP 8b. Each rank tests a slice of the test images: none twice, none left out, even if P does
 * not divide their count. And batch norm's running statistics (model->state) now differ between the
 * ranks: average them first, on all ranks. */
static Metrics test(Trainer *t)
{
    double began = trace_begin(t->trace);
    int first = 0, end = t->data->test.count;
    Metrics own = evaluate(t->model, t->test, t->test_order + first, end - first);
    trace_end(t->trace, "evaluate", 0, began);
    return over_ranks(t, own);
}

/* STEP 9a (10 points). One file. Average model->state first, set at.world_size to the world size,
 * and let rank 0 alone write the file. The trap: the average is a collective. Inside
 * `if (rank == 0)` only rank 0 would call it, and hang: average on all ranks, then write on rank 0.
 * (Resuming needs no code: in make_model every rank reads the file, and at.position counts the
 * images of all ranks together, so any number of ranks can resume.) */
static void save(Trainer *t)
{
    t->at.world_size = 1;
    t->at.batch = t->o->batch;
    t->at.images = t->data->train.count;
    t->at.epochs = t->o->epochs;
    t->saved = t->at.step;
    char *path = run_path(t->run, "checkpoint.safetensors");
    checkpoint_save(path, t->model, t->sgd->state, &t->at);
    free(path);
}

/* STEP 9b. Stop together. Ctrl-C reaches the ranks at different moments, and when one of them stops
 * alone the others hang in their next collective. Agree with comm_all_reduce_host and COMM_MAX; in
 * MPI: MPI_Allreduce with MPI_MAX. The price is a blocking all-reduce of one double per update:
 * cheap within a machine, but over a slow network its latency counts. */
static bool stop_now(Trainer *t)
{
    double stop = stop_requested() || (t->o->steps > 0 && t->at.step >= t->o->steps);
    return stop > 0;
}

/* ---- the training ---- */

/* The rest of the current epoch. Returns whether it was stopped early. */
static bool train_epoch(Trainer *t, EpochRow *row)
{
    bool stop = false;
    int count = slice_epoch(t), done = 0;
    double epoch_began = timer_now(), waited = loader_waited(t->train);
    t->be->op->zero(t->model->s, t->totals);
    loader_start(t->train, t->mine, count, t->at.epoch);
    while (done < count && !stop) {
        row->rate = rate_now(t);
        train_step(t);
        done += rank_batch(t);
        if (run_progress_due(t->run, done, count)) /* reading the loss waits for the device */
            report_progress(t->run, row, t->at.position, t->data->train.count,
                            own_metrics(t, done));
        if (t->o->checkpoint_every > 0 && t->at.step % t->o->checkpoint_every == 0)
            save(t);
        stop = stop_now(t);
    }
    row->train = over_ranks(t, own_metrics(t, done));
    row->seconds = timer_now() - epoch_began;
    row->waited = loader_waited(t->train) - waited;
    return stop;
}

/* All epochs, then the result. */
static void train(Trainer *t)
{
    Metrics tested = {0};
    double images = 0, seconds = 0; /* of training alone */
    bool stopped = false;
    while (t->at.epoch < t->o->epochs && !stopped) {
        EpochRow row = {.epoch = t->at.epoch + 1, .epochs = t->o->epochs};
        stopped = train_epoch(t, &row);
        images += row.train.count;
        seconds += row.seconds;
        if (stopped && t->saved != t->at.step) /* a test may take longer than there is time */
            save(t);
        if (stopped && t->at.position + global_batch(t) <= t->data->train.count)
            break;
        row.test = tested = test(t);
        report_epoch(t->run, &row);
        t->at.epoch++;
        t->at.position = 0;
        if (stopped || t->o->checkpoint_every == 0 || t->at.epoch == t->o->epochs)
            save(t);
    }
    if (stopped)
        report_stop(t->run, t->at.step);
    else
        report_end(t->run, t->o, tested.count > 0 ? tested : test(t), images, seconds,
                   global_batch(t) / rank_batch(t));
}

/* ---- the end ---- */

/* The timeline as a trace file, and two updates of it as a figure. */
static void write_timeline(Trainer *t)
{
    char *path = run_path(t->run, "trace.json"), *figure = run_path(t->run, "timeline.png");
    char *title = format_new("%s on %s · batch %d per rank · two updates", t->o->model,
                             t->data->name, t->o->batch);
    Comm *alone = t->comm ? NULL : comm_open("self");
    trace_write(t->trace, alone ? alone : t->comm, path);
    comm_close(alone);
    if (t->run->speaks && timeline_figure(path, figure, title, 2))
        run_say(t->run, "timeline: %s and %s", figure, path);
    free(title);
    free(figure);
    free(path);
}

/* Write the timeline, report where the results are, and free everything but t->comm. */
static void finish(Trainer *t)
{
    if (t->trace)
        write_timeline(t);
    trace_free(t->trace);
    run_close(t->run);
    tensor_free(t->be, t->totals);
    free(t->test_order);
    free(t->mine);
    free(t->order);
    loader_free(t->test);
    loader_free(t->train);
    sgd_free(t->model, t->sgd);
    model_free(t->model);
    dataset_free(t->data);
    backend_close(t->be);
}

int main(int argc, char **argv)
{
    TrainOptions options;
    train_options(&options, argc, argv);
    stop_on_signals();
    Trainer t = {.o = &options, .saved = -1};
    start(&t);
    make_model(&t);
    make_batches(&t);
    make_schedule(&t);
    report_start(t.run, &options, t.model, global_batch(&t), updates_per_epoch(&t));
    train(&t);
    finish(&t);
    /* STEP 1b. Leave the communication library: comm_close. In MPI: MPI_Finalize; in NCCL:
     * ncclCommDestroy. */
    return 0;
}
