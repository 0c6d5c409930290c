/* 1_train.c: a serial program that trains a network. Your task: make it train one network on P ranks (HANDOUT.md).
 *
 * It works as it is. The comments STEP 1 … STEP 9 say what data parallelism needs, and where; each is a few lines of
 * code. Do them in order and take each one's number out of `to_do`: from then on the self-check judges it. Started by
 * mpirun as it is, this program runs P times, each copy for itself.
 */
#include "check.h"
#include "timer.h"
#include "trainer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int to_do[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0}; /* the steps that are still to do; 0 ends the list */

/* Library, device, data, output. */
static void start(Trainer *t)
{
    const TrainOptions *o = t->o;
    /* STEP 1a (6 points). Start the communication library, before anything else: t->comm = comm_open(…) of comm.h,
     * with the option o->run.comm. It tells this process its rank, how many ranks there are (size), and its place
     * among those on the same machine (local_rank of local_size). STEP 1b is at the end of main(). */

    /* STEP 2 (8 points). One device per rank. Here every process says that it is number 0 of 1 on its machine, so all
     * would share the same cores, or the same GPU. Say which one this rank is. */
    t->be = backend_open(o->run.device, 0, 1, o->run.threads);
    backend_precision(t->be, o->run.precision);
    t->data = train_dataset(o);

    /* STEP 3 (6 points). One voice: P ranks would say everything P times and write over each other's files. Only rank
     * 0 speaks, and it says how many ranks there are. */
    bool speaks = true;
    json_t *facts = json_pack("{s:s, s:s, s:i}", "data", t->data->description, "device", t->be->description,
                              "ranks", 1);
    t->run = run_open("lab2_train", &o->run, o->table, facts, speaks);
    report_to_do(t->run, "lab2_ddp/1_train.c", to_do);
    t->trace = o->run.trace ? trace_new(1 << 20) : NULL;
}

/* STEP 4 (14 points). A share for each rank. Update t of an epoch learns from the global batch: positions [tPB,
 * (t+1)PB) of the epoch's order, B = --batch. Rank r takes its r-th slice of B. What is left over at the end is
 * dropped, so that all ranks get the same number of batches: a rank with one more would wait for ever in its
 * all-reduce. Two places: (4a) the size of the global batch, (4b) where this rank's slice of it begins. */
static int global_batch(const Trainer *t) { return t->o->batch; /* STEP 4a */ }

static int updates_per_epoch(const Trainer *t) { return t->data->train.count / global_batch(t); }

/* The pictures of the rest of this epoch that this process trains on, batch after batch, into t->mine. Their count. */
static int share_of_epoch(Trainer *t)
{
    int B = t->o->batch, count = t->data->train.count, batches = (count - (int)t->at.position) / global_batch(t);
    epoch_order(t->order, count, t->at.seed, t->at.epoch);
    for (int b = 0; b < batches; b++) {
        int64_t first = t->at.position + (int64_t)b * global_batch(t); /* STEP 4b */
        memcpy(t->mine + (int64_t)b * B, t->order + first, B * sizeof *t->order);
    }
    return batches * B;
}

static void make_model(Trainer *t)
{
    const TrainOptions *o = t->o;
    ModelSpec spec = train_model_spec(o, t->data);
    t->model = model_new(t->be, &spec, o->batch);
    model_init(t->model, (uint64_t)o->init_seed);
    /* STEP 5 (8 points). One network: the ranks may have drawn different weights (--init-seed). All must start from
     * rank 0's: comm_broadcast of model->params, on the model's stream, model->s. */

    t->sgd = sgd_new(t->model, o->momentum, o->weight_decay, o->nesterov);
    t->at.seed = (uint64_t)o->run.seed;
    if (o->resume)
        checkpoint_load(o->resume, t->model, t->sgd, &t->at);
}

/* STEP 6a (14 points). Write  static void average(Trainer *t, Tensor v): every rank ends with the mean of v over the
 * ranks. comm_all_reduce gives the sum; t->be->op->scale(stream, v, factor) makes it the mean. A network without batch
 * norm has an empty state: return at once where v.buf is NULL. */

/* STEP 7 (8 points). The gradient is now a mean over P times as many pictures, so less noisy, and the rate may be P
 * times as large (Goyal et al., arXiv 1706.02677). But at fresh weights such a rate may diverge: warm up, over the
 * first o->warmup epochs (.warmup, in updates), from the rate of one rank (.start) to P times it. */
static void make_schedule(Trainer *t)
{
    const TrainOptions *o = t->o;
    int per_epoch = updates_per_epoch(t);
    REQUIRE(per_epoch > 0, "%d training pictures, but one update takes %d: give a smaller --batch, or more --images",
            t->data->train.count, global_batch(t));
    t->schedule = (Schedule){.kind = schedule_kind(o->schedule), .rate = o->rate,
                             .steps = (int64_t)o->epochs * per_epoch,
                             .drop_every = (int64_t)fmax(1, o->drop_every * per_epoch), .drop_by = o->drop_by};
}

/* The rate of the next update. After a resume at another P at.step is not the place in the training: this is. */
static double rate_now(const Trainer *t)
{
    int64_t step = (int64_t)t->at.epoch * updates_per_epoch(t) + t->at.position / global_batch(t);
    return schedule_rate(&t->schedule, step);
}

/* One update: forward, backward, a step downhill. */
static void train_step(Trainer *t, const Batch *b)
{
    Model *m = t->model;
    double began = trace_begin(t->trace);
    model_zero_grads(m);
    model_forward(m, b->x, MODEL_TRAIN);
    model_loss(m, t->totals, b->label, NO_TENSOR, true);
    trace_end(t->trace, "forward", 0, began);

    began = trace_begin(t->trace);
    model_backward(m);
    trace_end(t->trace, "backward", 0, began);

    /* STEP 6b. Average m->grads over the ranks, as a span "all-reduce" on the trace's track 1. Then every rank makes
     * the same update. */

    began = trace_begin(t->trace);
    sgd_step(m, t->sgd, rate_now(t));
    trace_end(t->trace, "update", 0, began);
    t->at.position += global_batch(t);
    t->at.step++;
}

/* STEP 8a (10 points). Metrics are sums, and each rank has its own. Return their sum over the ranks (Metrics is three
 * doubles: comm_all_reduce_host). The accuracy of all is (sum of correct) / (sum of count); a mean of the ranks'
 * accuracies is wrong as soon as their counts differ. */
static Metrics over_ranks(Trainer *t, Metrics own)
{
    (void)t;
    return own;
}

/* STEP 8b. Each rank tests one part of the test pictures: no picture twice, none left out, also where P does not divide
 * their count. And batch norm's running statistics (model->state) have become each rank's own: average them first. */
static Metrics test(Trainer *t)
{
    double began = trace_begin(t->trace);
    int first = 0, end = t->data->test.count;
    Metrics own = evaluate(t->model, t->test, t->test_order + first, end - first);
    trace_end(t->trace, "evaluate", 0, began);
    return over_ranks(t, own);
}

/* STEP 9a (10 points). One checkpoint: model->state averaged first, world_size told, the file written by rank 0 alone.
 * (On --resume every rank reads it: see make_model. at.position counts the pictures of all ranks together, so any
 * number of ranks can go on from there.) */
static void save(Trainer *t)
{
    t->at.world_size = 1;
    t->at.batch = t->o->batch;
    t->saved = t->at.step;
    char *path = run_path(t->run, "checkpoint.safetensors");
    checkpoint_save(path, t->model, t->sgd, &t->at);
    free(path);
}

/* STEP 9b. Stop together: Ctrl-C reaches the ranks at different moments, and a rank that leaves alone lets the others
 * wait for ever. Agree: comm_all_reduce_host with COMM_MAX. */
static bool stop_now(Trainer *t)
{
    double stop = stop_requested() || (t->o->steps > 0 && t->at.step >= t->o->steps);
    return stop > 0;
}

/* The rest of the current epoch. Returns false if the training is to stop here. */
static bool train_epoch(Trainer *t, EpochRow *row)
{
    Batch b;
    bool stop = false;
    int count = share_of_epoch(t), done = 0;
    double epoch_began = timer_now(), waited = loader_waited(t->train);
    t->be->op->zero(t->model->s, t->totals);
    loader_start(t->train, t->mine, count, t->at.epoch);
    while (done < count && !stop) {
        double began = trace_begin(t->trace);
        loader_next(t->train, t->model->s, &b);
        trace_end(t->trace, "load", 2, began);
        row->rate = rate_now(t);
        train_step(t, &b);
        done += b.n;
        if (run_progress_due(t->run, done, count)) /* the loss has to be waited for */
            report_progress(t->run, row, t->at.position, t->data->train.count, trainer_metrics(t, done));
        if (t->o->checkpoint_every > 0 && t->at.step % t->o->checkpoint_every == 0)
            save(t);
        stop = stop_now(t);
    }
    row->train = over_ranks(t, trainer_metrics(t, done));
    row->seconds = timer_now() - epoch_began;
    row->waited = loader_waited(t->train) - waited;
    return !stop;
}

/* Epoch after epoch, and the result. */
static void train(Trainer *t)
{
    Metrics tested = {0};
    double images = 0, seconds = 0; /* of training alone */
    bool go_on = true;
    while (t->at.epoch < t->o->epochs) {
        EpochRow row = {.epoch = t->at.epoch + 1, .epochs = t->o->epochs};
        go_on = train_epoch(t, &row);
        images += row.train.count;
        seconds += row.seconds;
        if (!go_on)
            break;
        row.test = tested = test(t);
        report_epoch(t->run, &row);
        t->at.epoch++;
        t->at.position = 0;
        if (t->o->checkpoint_every == 0 || t->at.epoch == t->o->epochs)
            save(t);
    }
    if (!go_on && t->saved != t->at.step)
        save(t);
    if (!go_on)
        report_stop(t->run, t->at.step);
    else
        report_end(t->run, t->o, tested.count > 0 ? tested : test(t), images, seconds, global_batch(t) / t->o->batch);
}

int main(int argc, char **argv)
{
    TrainOptions options;
    train_options(&options, argc, argv);
    stop_on_signals();
    Trainer t = {.o = &options, .saved = -1};
    start(&t);
    make_model(&t);
    trainer_batches(&t);
    make_schedule(&t);
    report_start(t.run, &options, t.model, global_batch(&t), updates_per_epoch(&t));
    train(&t);
    trainer_finish(&t);
    /* STEP 1b. Leave the communication library: comm_close. */
    return 0;
}
