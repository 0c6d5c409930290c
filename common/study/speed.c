/* speed.c: see speed.h. */
#include "speed.h"
#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS, PROCESSOR, VALUES };
enum { TRIES = 2 }; /* at most TRIES x `rounds` rounds */
static bool several_threads(const Speeds *s)
{
    if (s->recorded)
        return s->file->device && !strstr(s->file->device, ", 1 thread");
    return s->setup && s->setup->be->threads > 1;
}

/* The share of its time that a measurement must have had its processors. Several threads wait for
 * each other's, too: up to 17 % of it on two quiet cores, three quarters beside two busy processes.
 */
static double undisturbed(const Speeds *s) { return several_threads(s) ? 0.75 : 0.95; }

void speed_size(Speeds *s, int batch)
{
    int at = 0;
    while (at < s->sizes && s->batch[at] < batch)
        at++;
    if (at < s->sizes && s->batch[at] == batch)
        return;
    ASSERT(s->sizes < SPEED_SIZES);
    for (int i = s->sizes++; i > at; i--)
        s->batch[i] = s->batch[i - 1];
    s->batch[at] = batch;
}

void speed_open(Speeds *s, const TargetSetup *setup, Comm *comm, Run *run, const char *recorded)
{
    static const char columns[] = "batch,seconds,processor";
    s->setup = setup;
    s->comm = comm;
    s->run = run;
    if (!run->speaks)
        return;
    char *path = recorded ? format_new("%s/speed.csv", recorded) : NULL;
    if (path && access(path, F_OK) == 0) {
        s->file = sweep_open_recorded(path, columns);
        for (int i = 0; i < s->sizes; i++)
            REQUIRE(sweep_spread(s->file, s->batch[i], SECONDS).count > 0,
                    "%s: no batch of %d: remove it, to measure again", path, s->batch[i]);
        s->recorded = true;
    } else {
        char digest[17];
        dataset_digest(digest, setup->data);
        json_t *config = json_pack("{s:s, s:s, s:s, s:i, s:i, s:f, s:s, s:i, s:i, s:f}", "model",
                                   setup->spec.name, "data", setup->data->name, "digest", digest,
                                   "train", setup->train, "micro", setup->micro, "momentum",
                                   setup->momentum, "device", setup->be->description, "precision",
                                   (int)setup->be->precision, "ranks", comm->size, "slice",
                                   s->slice);
        free(path);
        path = run_path(run, "speed.csv");
        s->file = sweep_open(path, columns, config);
        json_decref(config);
    }
    static const SweepRange range[] = {{1, 65536, .whole = true}, {.high = 1e9}, {.high = 1e9}};
    sweep_require(s->file, range);
    free(path);
}

void speed_free(Speeds *s)
{
    if (s->file)
        sweep_free(s->file);
}

static double share(const SweepRow *r) { return r->value[PROCESSOR] / r->value[SECONDS]; }

/* The least disturbed first. */
static int by_share(const void *a, const void *b)
{
    return (share(a) < share(b)) - (share(a) > share(b));
}

Speed speed_of(const Speeds *s, int batch)
{
    Speed speed = {.disturbed = 0};
    SweepRow *row = alloc(s->file->rows + 1, sizeof *row);
    double *seconds = alloc(s->rounds + 1, sizeof *seconds);
    int n = 0, used = 0;
    for (int i = 0; i < s->file->rows; i++)
        if (s->file->row[i].setting == batch)
            row[n++] = s->file->row[i];
    qsort(row, (size_t)n, sizeof *row, by_share);
    for (; used < n && used < s->rounds; used++) {
        bool disturbed = share(row + used) < undisturbed(s);
        speed.disturbed += disturbed;
        seconds[used] = row[used].value[disturbed && !several_threads(s) ? PROCESSOR : SECONDS];
    }
    Spread spread = spread_of(seconds, used);
    speed.seconds = spread.median;
    speed.quartile[0] = spread.quartile[0];
    speed.quartile[1] = spread.quartile[1];
    free(row);
    free(seconds);
    return speed;
}

/* On the rank with the file: not measured in this round, and too few undisturbed so far. */
static bool is_needed(const Speeds *s, int batch, int round)
{
    int good = 0;
    for (int i = 0; i < s->file->rows; i++)
        good += s->file->row[i].setting == batch && share(s->file->row + i) >= undisturbed(s);
    return !s->recorded && good < s->rounds && !sweep_find(s->file, batch, round);
}

static void measure(Speeds *s, int batch, int round, BackgroundThread *b)
{
    char *note = format_new("batch %d, round %d", batch, round);
    run_progress(s->run, "speed", round - 1, round > s->rounds ? TRIES * s->rounds : s->rounds,
                 "rounds", note);
    free(note);
    UpdateTime t = target_update_time(s->setup, batch, s->slice);
    double value[VALUES] = {t.seconds, t.processor};
    comm_all_reduce_host(s->comm, value, VALUES, COMM_MAX);
    if (!s->file)
        return;
    background_lock(b);
    sweep_add(s->file, batch, round, value);
    background_unlock(b);
}

bool speed_measure(Speeds *s, BackgroundThread *b)
{
    enum { SKIP, MEASURE, STOP } next = SKIP;
    for (int round = 1; round <= TRIES * s->rounds; round++)
        for (int i = 0; i < s->sizes; i++) {
            if (s->file)
                next = !is_needed(s, s->batch[i], round)          ? SKIP
                     : stop_requested() || !background_goes_on(b) ? STOP
                                                                  : MEASURE;
            comm_broadcast_host(s->comm, &next, sizeof next, 0);
            if (next == STOP)
                return false;
            if (next == MEASURE)
                measure(s, s->batch[i], round, b);
        }
    run_progress(s->run, "speed", s->rounds, s->rounds, "rounds", "all done");
    return true;
}

void speed_say(const Speeds *s)
{
    int disturbed = 0;
    for (int i = 0; i < s->sizes; i++)
        disturbed += speed_of(s, s->batch[i]).disturbed;
    char *busy = disturbed
                   ? format_new("%d of %d disturbed by other processes%s", disturbed,
                                s->rounds * s->sizes,
                                several_threads(s) ? ": an upper bound; exact with --threads 1"
                                                   : ": their time is left out")
                   : format_new("undisturbed");
    run_say(s->run, "speed: median (quartiles) of %d rounds, %s; time to target: updates × this",
            s->rounds, busy);
    free(busy);
}
