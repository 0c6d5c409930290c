/* bench.c: the performance table: training images (of text, tokens) per second against PyTorch,
 * against the peak multiply-adds and memory bandwidth of the machine, and of two ranks against two
 * independent processes.
 *
 * The programs compared take turns: ours, each setting of PyTorch, ours … for --rounds rounds; then
 * medians and their ratio. Writes results.csv, layers.csv and roofline.png into --out.
 */
#include "args.h"
#include "ceiling.h"
#include "check.h"
#include "file.h"
#include "folder_lock.h"
#include "plot.h"
#include "quantiles.h"
#include "worker.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *name, *shape;
    int batch, tokens; /* batch 0: --batch. tokens: in a window of text; of an image 1 */
} networks[] = {{"cnn", "", 0, 1},
                {"resnet8", "", 0, 1},
                {"resnet20", "", 0, 1},
                {"wrn16-1", "--size 28 --channels 1", 0, 1},
                {"gpt-64-2-4", "--context 64", 64, 64},
                {"gpt-128-4-4", "--context 128", 16, 128},
                {"gpt-256-6-8", "--context 256", 8, 256}};
static const char *const settings[] = {"default", "channels-last", "compiled", "bf16",
                                       "bf16-compiled"};
/* Ours; a setting of PyTorch is compared with ours of its precision. */
static const char *const precisions[] = {"fp32", "bf16"};
enum {
    SETTINGS = sizeof settings / sizeof *settings,
    PRECISIONS = sizeof precisions / sizeof *precisions,
    NETWORKS = sizeof networks / sizeof *networks
};

/* Layers in the roofline: multiply-adds per byte, and per second. */
typedef struct Marks {
    const char *kind;
    int n;
    double x[1024], y[1024];
} Marks;

typedef struct Bench {
    const char *folder, *python, *out, *only; /* of the programs; the interpreter with PyTorch;
                                               * for results */
    int rounds, pairs, batch, cores;
    double seconds, flops[PRECISIONS][2], bytes[2]; /* ceilings with 1 thread, with all */
    NewFile *results, *layers;
    Marks marks[3];
} Bench;

/* Lets PyTorch keep the memory it frees: glibc's malloc would return it and ask for it again every
 * step. */
#define FAIR \
    "MALLOC_MMAP_THRESHOLD_=4294967296 MALLOC_TRIM_THRESHOLD_=17179869184 " \
    "MALLOC_TOP_PAD_=268435456 "

static int batch_of(const Bench *b, int network)
{
    return networks[network].batch ? networks[network].batch : b->batch;
}
static const char *unit_of(int network)
{
    return networks[network].tokens > 1 ? "tokens" : "images";
}

static Worker start_peer(const Bench *b, int network, int threads, const char *setting)
{
    bool fair = strcmp(setting, "default") != 0;
    return worker_start(
        "%sOMP_NUM_THREADS=%d exec %s %s tests/bench/torch_rate.py %s %d %s %d %d 2>%s/torch.log",
        fair ? FAIR : "", threads, threads == 1 ? "taskset -c 0" : "", b->python,
        networks[network].name, threads, setting, batch_of(b, network), networks[network].tokens,
        b->out);
}

static Worker start_ours(const Bench *b, int network, int threads, const char *precision,
                         const char *more)
{
    Worker w = worker_start(
        "exec %s %s/train_rate --model %s %s --threads %d --batch %d --precision %s %s",
        threads == 1 ? "taskset -c 0" : "", b->folder, networks[network].name,
        networks[network].shape, threads, batch_of(b, network), precision, more);
    REQUIRE(w.there, "%s/train_rate does not start", b->folder);
    return w;
}

static void result(Bench *b, const char *name, int threads, int ranks, double ours, double peer,
                   const char *setting)
{
    file_print(b->results, "%s,%d,%d,%.1f,%.1f,%.3f,%s\n", name, threads, ranks, ours, peer,
               ours / peer, setting);
}

/* ---- layers: time by kind, and the floor ---- */

typedef struct Kind {
    char name[32];
    double seconds;
} Kind;

/* Seconds of PyTorch's convolutions, each called alone on the same input: one name and time a line.
 * The best of its settings that is not compiled. */
typedef struct Peer {
    int count;
    char name[256][64];
    double seconds[256];
} Peer;

static void read_peer(const Bench *b, int network, int threads, int precision, Peer *peer)
{
    char line[256];
    peer->count = 0;
    Worker w = start_peer(b, network, threads, precision ? "bf16-layers" : "channels-last-layers");
    if (!w.there)
        return;
    fprintf(w.to, "%g\n", b->seconds);
    fflush(w.to);
    while (peer->count < 256 && fgets(line, sizeof line, w.from) && line[0] != '\n') {
        REQUIRE(sscanf(line, "%63[^,],%lf", peer->name[peer->count], &peer->seconds[peer->count]) ==
                    2,
                "torch_rate.py says: %s", line);
        peer->count++;
    }
    worker_stop(&w);
}
static double seconds_of(const Peer *peer, const char *name)
{
    for (int i = 0; i < peer->count; i++)
        if (!strcmp(peer->name[i], name))
            return peer->seconds[i];
    return NAN;
}

/* Run our network once more, layer by layer: sums per kind, and the least time of a step: each
 * layer needs at least the time of its multiply-adds, or of its bytes, at the ceilings. definition:
 * the same with all multiply-adds of the convolution's definition, of which Winograd does a
 * quarter. */
static double read_layers(Bench *b, int network, int threads, int precision, const Peer *peer,
                          Kind kinds[16], int *count, double *definition)
{
    Worker w = start_ours(b, network, threads, precisions[precision], "--layers");
    worker_go(&w, b->seconds);
    worker_take(&w);
    char line[256], kind[32], name[64];
    double seconds, flops, done, bytes, floor = 0, peak = b->flops[precision][threads > 1],
                                        bandwidth = b->bytes[threads > 1];
    *count = 0;
    *definition = 0;
    while (fgets(line, sizeof line, w.from) && line[0] != '\n') {
        REQUIRE(sscanf(line, "%31[^,],%63[^,],%lf,%lf,%lf,%lf", kind, name, &seconds, &flops, &done,
                       &bytes) == 6,
                "train_rate says: %s", line);
        file_print(b->layers, "%s,%d,%s,%s,%s,%.9f,%.0f,%.0f,%.0f,", networks[network].name,
                   threads, precisions[precision], kind, name, seconds, flops, done, bytes);
        double theirs = seconds_of(peer, name);
        if (!isnan(theirs))
            file_print(b->layers, "%.9f", theirs);
        file_print(b->layers, "\n");
        floor += fmax(done / peak, bytes / bandwidth);
        *definition += fmax(flops / peak, bytes / bandwidth);
        for (int i = 0; i < 3 && threads == 1 && precision == 0; i++)
            if (!strcmp(kind, b->marks[i].kind) && b->marks[i].n < 1024) {
                b->marks[i].x[b->marks[i].n] = done / bytes;
                b->marks[i].y[b->marks[i].n++] = done / seconds * 1e-9;
            }
        int k = 0;
        while (k < *count && strcmp(kinds[k].name, kind))
            k++;
        if (k == *count) {
            kinds[(*count)++] = (Kind){.seconds = 0};
            memcpy(kinds[k].name, kind, sizeof kind);
        }
        kinds[k].seconds += seconds;
    }
    worker_stop(&w);
    return floor;
}

/* ---- one network with some threads ---- */

static void measure(Bench *b, int network, int threads)
{
    int per = networks[network].tokens;
    const char *name = networks[network].name, *unit = unit_of(network);
    Worker peer[SETTINGS], ours[PRECISIONS];
    for (int i = 0; i < PRECISIONS; i++)
        ours[i] = start_ours(b, network, threads, precisions[i], "");
    for (int i = 0; i < SETTINGS; i++)
        peer[i] = start_peer(b, network, threads, settings[i]);
    for (int round = 0; round < b->rounds; round++) {
        for (int i = 0; i < PRECISIONS; i++) {
            worker_go(&ours[i], b->seconds);
            worker_take(&ours[i]);
        }
        for (int i = 0; i < SETTINGS; i++)
            if (peer[i].there) {
                worker_go(&peer[i], b->seconds);
                worker_take(&peer[i]);
            }
    }
    double rate[PRECISIONS];
    for (int i = 0; i < PRECISIONS; i++) {
        Spread of_ours = spread_of(ours[i].rate, ours[i].samples);
        rate[i] = per * of_ours.median;
        printf("%-11s %d thread%s  ours, %s %7.0f %s/s (%.0f to %.0f), %4.0f MB\n", name, threads,
               threads == 1 ? " " : "s", precisions[i], rate[i], unit, per * of_ours.low,
               per * of_ours.high, ours[i].peak / 1e6);
        worker_stop(&ours[i]);
    }
    for (int i = 0; i < SETTINGS; i++)
        if (peer[i].there) {
            Spread of_peer = spread_of(peer[i].rate, peer[i].samples);
            double theirs = per * of_peer.median, same = rate[!strncmp(settings[i], "bf16", 4)];
            printf("    PyTorch %-22s %7.0f %s/s (%.0f to %.0f), %4.0f MB: %.2f times\n",
                   settings[i], theirs, unit, per * of_peer.low, per * of_peer.high,
                   peer[i].peak / 1e6, same / theirs);
            result(b, name, threads, 1, same, theirs, settings[i]);
            worker_stop(&peer[i]);
        } else
            printf("    PyTorch %-22s skipped: it does not start here (%s/torch.log)\n",
                   settings[i], b->out);
    for (int i = 0; i < PRECISIONS; i++) {
        Kind kinds[16];
        Peer alone = {.count = 0};
        int count;
        if (peer[0].there && per == 1) /* of text there are no convolutions */
            read_peer(b, network, threads, i, &alone);
        double definition,
            step = per * batch_of(b, network) / rate[i],
            floor = read_layers(b, network, threads, i, &alone, kinds, &count, &definition);
        printf("    a step in %s: %.2f ms; floor %.2f ms (%.0f %%), by the definition's "
               "multiplications %.2f ms (%.0f %%)\n    by layers:",
               precisions[i], 1e3 * step, 1e3 * floor, 100 * floor / step, 1e3 * definition,
               100 * definition / step);
        for (int k = 0; k < count; k++)
            printf(" %s %.2f ms%s", kinds[k].name, 1e3 * kinds[k].seconds,
                   k + 1 < count ? "," : "\n");
        double theirs = 0;
        for (int k = 0; k < alone.count; k++)
            theirs += alone.seconds[k];
        if (alone.count)
            printf("    PyTorch's convolutions in %s, each alone: %.2f ms\n", precisions[i],
                   1e3 * theirs);
    }
}

/* ---- two ranks ---- */

static Worker start_ranks(const Bench *b, int network, char *pipe_name)
{
    snprintf(pipe_name, 256, "%s/commands", b->out);
    unlink(pipe_name);
    REQUIRE(mkfifo(pipe_name, 0600) == 0, "%s: cannot be made", pipe_name);
    /* The ranks read commands from a named pipe: mpirun does not pass on its input. */
    Worker w = worker_start("exec 3<&0; cat <&3 >%s & exec common/setup/launch.sh --np 2 "
                            "%s/train_rate --model %s %s --threads 1 --batch %d "
                            "--from %s",
                            pipe_name, b->folder, networks[network].name, networks[network].shape,
                            batch_of(b, network), pipe_name);
    return w;
}

static Worker start_peer_rank(const Bench *b, int network, int rank)
{
    return worker_start(
        FAIR "OMP_NUM_THREADS=1 RANK=%d WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=29517 "
             "GLOO_SOCKET_IFNAME=lo exec %s tests/bench/torch_rate.py %s 1 channels-last %d %d "
             "2>%s/torch.log%s",
        rank, b->python, networks[network].name, batch_of(b, network), networks[network].tokens,
        b->out, rank ? " & echo ready" : "");
}

/* Our two ranks, two independent processes of ours at the same time, and two ranks of PyTorch, in
 * turn. */
static void measure_ranks(Bench *b, int network)
{
    const char *name = networks[network].name, *unit = unit_of(network);
    int per = networks[network].tokens;
    char pipe_name[256];
    Worker ranks = start_ranks(b, network, pipe_name), alone[2], peer[2];
    REQUIRE(ranks.there, "two ranks of %s/train_rate do not start", b->folder);
    for (int i = 0; i < 2; i++)
        alone[i] = worker_start("exec %s/train_rate --model %s %s --threads 1 --batch %d "
                                "--local-rank %d --local-size 2",
                                b->folder, name, networks[network].shape, batch_of(b, network), i);
    peer[1] = start_peer_rank(b, network, 1);
    peer[0] = start_peer_rank(b, network, 0);
    double ratio[SAMPLES], both[SAMPLES], of_slower[SAMPLES];
    for (int pair = 0; pair < b->pairs; pair++) {
        worker_go(&ranks, b->seconds);
        worker_take(&ranks);
        for (int i = 0; i < 2; i++)
            worker_go(&alone[i], b->seconds);
        for (int i = 0; i < 2; i++)
            worker_take(&alone[i]);
        both[pair] = alone[0].rate[pair] + alone[1].rate[pair];
        ratio[pair] = ranks.rate[pair] / both[pair];
        of_slower[pair] = ranks.rate[pair] / (2 * fmin(alone[0].rate[pair], alone[1].rate[pair]));
        if (peer[0].there) {
            worker_go(&peer[0], b->seconds);
            worker_take(&peer[0]);
        }
    }
    const Spread of_both = spread_of(both, b->pairs), share = spread_of(ratio, b->pairs),
                 slower = spread_of(of_slower, b->pairs),
                 waiting = spread_of(ranks.waiting, b->pairs);
    double rate = per * spread_of(ranks.rate, b->pairs).median;
    printf("%-11s 2 ranks x 1  ours %7.0f %s/s, two processes alone %.0f: %.1f %% (%.1f to "
           "%.1f, %d pairs)\n",
           name, rate, unit, per * of_both.median, 100 * share.median, 100 * share.low,
           100 * share.high, b->pairs);
    printf(
        "    of twice the slower process, when both have as much to do: %.1f %% (%.1f to %.1f)\n",
        100 * slower.median, 100 * slower.low, 100 * slower.high);
    printf(
        "    of the ranks' time: exchanging %.1f %%, waiting for the slower rank %.1f %% (%.1f to "
        "%.1f)\n",
        100 * spread_of(ranks.exchanging, b->pairs).median, 100 * waiting.median, 100 * waiting.low,
        100 * waiting.high);
    result(b, name, 1, 2, rate, per * of_both.median, "two-processes");
    if (peer[0].there) {
        double theirs = per * spread_of(peer[0].rate, peer[0].samples).median;
        printf("    PyTorch DDP, gloo              %7.0f %s/s: %.2f times\n", theirs, unit,
               rate / theirs);
        result(b, name, 1, 2, rate, theirs, "ddp-gloo");
    }
    for (int i = 0; i < 2; i++)
        worker_stop(&alone[i]), worker_stop(&peer[i]);
    worker_stop(&ranks);
    unlink(pipe_name);
}

/* ---- figure ---- */

/* One mark per layer of every network, with the operations actually done, under the two roofs. */
static void draw_roofline(const Bench *b)
{
    double low = 0.2, high = 100, peak = b->flops[0][0], ridge = peak / b->bytes[0];
    double x[] = {low, ridge, high}, roof[] = {low * b->bytes[0] * 1e-9, peak * 1e-9, peak * 1e-9};
    char path[512];
    Plot *plot = plot_new(1280, 720);
    plot_begin(plot, 1, 1, "What one thread reaches, layer by layer · a training step, batch %d",
               b->batch);
    PlotPanel *panel =
        plot_panel(plot, (PlotAxes){.title = "Left of the edge memory is the limit (above the "
                                             "roof: from the cache), right of it the multiply-adds",
                                    .x = {.label = "operations per byte of memory", .log = 10},
                                    .y = {.label = "operations per second (10⁹)", .log = 10}});
    plot_line(panel, 3, x, roof, (PlotStyle){.label = "roofs, measured", .color = PLOT_INK});
    for (int i = 0; i < 3; i++)
        if (b->marks[i].n)
            plot_scatter(panel, b->marks[i].n, b->marks[i].x, b->marks[i].y,
                         (PlotStyle){.label = b->marks[i].kind,
                                     .size = 10,
                                     .opacity = 0.7,
                                     .shape = (PlotShape)i});
    snprintf(path, sizeof path, "%s/roofline.png", b->out);
    char *wrong = plot_write(plot, path);
    REQUIRE(!wrong || !plot_has_cairo, "no figure: %s", wrong);
    if (wrong)
        fprintf(stderr, "no figure: %s\n", wrong);
    free(wrong);
    plot_free(plot);
}

static void commit(NewFile *f)
{
    char *error = file_commit(f);
    REQUIRE(!error, "%s", error);
}

int main(int argc, char **argv)
{
    static Bench b;
    b = (Bench){.marks = {{.kind = "convolution"}, {.kind = "norm"}, {.kind = "dense"}},
                .folder = "build/tests/bench",
                .python = "python3",
                .out = "build/out/bench",
                .rounds = 5,
                .pairs = 9,
                .batch = 128,
                .seconds = 1};
    bool ranks = true;
    Option table[] = {
        {"programs", ARG_STRING, &b.folder, .help = "folder with train_rate"},
        {"python", ARG_STRING, &b.python, .help = "an interpreter that can import torch"},
        {"out", ARG_STRING, &b.out, .help = "folder for results.csv, layers.csv, roofline.png"},
        {"only", ARG_STRING, &b.only, .help = "only the network of this name"},
        {"rounds", ARG_INT, &b.rounds, .min = 1, .max = SAMPLES, .help = "turns of each program"},
        {"pairs", ARG_INT, &b.pairs, .min = 1, .max = SAMPLES,
         .help = "turns of two ranks and two processes"},
        {"batch", ARG_INT, &b.batch, .min = 1, .max = 2048,
         .help = "images per step (a GPT has a batch of its own)"},
        {"seconds", ARG_REAL, &b.seconds, .min = 0.01, .max = 60, .help = "length of each turn"},
        {"ranks", ARG_FLAG, &ranks, .help = "also measure two ranks"},
        {0}};
    args_parse("bench", "The performance table.", table, argc, argv);
    char *error = file_make_folder(b.out), path[512];
    REQUIRE(!error, "%s", error);
    FolderLock *lock = folder_lock(b.out, "bench");
    b.cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(path, sizeof path, "%s/results.csv", b.out);
    b.results = file_begin(path);
    snprintf(path, sizeof path, "%s/layers.csv", b.out);
    b.layers = file_begin(path);
    file_print(b.results, "name,threads,ranks,ours,peer,ratio,peer_setting\n");
    file_print(b.layers,
               "name,threads,precision,kind,layer,seconds,flops,done,bytes,pytorch_seconds\n");
    setvbuf(stdout, NULL, _IOLBF, 0);

    int threads[2] = {1, b.cores > 1 ? 2 : 1};
    printf("ceilings:");
    for (int i = 0; i < 2; i++) {
        b.flops[0][i] = ceiling_flops(threads[i]), b.flops[1][i] = ceiling_bf16(threads[i]);
        b.bytes[i] = ceiling_bytes(threads[i]);
        printf(" %d thread%s %.0f GFLOP/s, in bf16 %.0f, %.1f GB/s;", threads[i],
               threads[i] == 1 ? "" : "s", b.flops[0][i] * 1e-9, b.flops[1][i] * 1e-9,
               b.bytes[i] * 1e-9);
    }
    printf(" batch %d, medians of %d turns of %g s\n\n", b.batch, b.rounds, b.seconds);
    for (int n = 0; n < NETWORKS; n++)
        if (!b.only || !strcmp(b.only, networks[n].name)) {
            for (int i = 0; i < (b.cores > 1 ? 2 : 1); i++)
                measure(&b, n, threads[i]);
            if (ranks && b.cores > 1)
                measure_ranks(&b, n);
        }
    commit(b.results);
    commit(b.layers);
    draw_roofline(&b);
    folder_unlock(lock);
    printf("\n%s/results.csv, layers.csv, roofline.png\n", b.out);
    return 0;
}
