/* bench_gpu.c: the performance table of a GPU: training images per second in each precision against
 * PyTorch on the same GPU, and a step's operations and bytes per second against cuBLASLt's fastest
 * matrix product and a copy. Programs take turns as in bench.c. Writes results_gpu.csv into --out.
 * Where convolutions did not go by cuDNN, which is what is to be measured, the row says so, and the
 * exit status is 1.
 */
#include "args.h"
#include "backend/backend_open.h"
#include "ceiling_gpu.h"
#include "check.h"
#include "file.h"
#include "quantiles.h"
#include "worker.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *shape;
} networks[] = {{"resnet8", ""}, {"resnet20", ""}, {"wrn16-10", "--size 28 --channels 1"}};
static const char *const precisions[] = {"fp32", "tf32", "bf16", "fp16"};
static const char *const peers[] = {"", "-compiled"}; /* torch_rate.py's settings: cuda-bf16,
                                                       * cuda-bf16-compiled, … */
enum {
    NETWORKS = sizeof networks / sizeof *networks,
    PRECISIONS = sizeof precisions / sizeof *precisions,
    PEERS = 2
};
enum { REPEATS = 10 };

typedef struct Bench {
    const char *folder, *python, *out, *only, *precision, *ceilings;
    int rounds, batch;
    double seconds, flops[PRECISIONS], bytes; /* ceilings */
    NewFile *results;
    bool failed; /* a row is not what it should be */
} Bench;

/* ---- ceilings ---- */

/* Seconds of the fastest of several copies. */
static double fastest_copy(Stream *s, Tensor out, Tensor in)
{
    Backend *be = s->be;
    Event *from = be->op->event_new(be), *to = be->op->event_new(be);
    double best = INFINITY;
    for (int i = 0; i <= REPEATS; i++) { /* the first loads libraries and kernels */
        be->op->event_record(from, s);
        be->op->copy(s, out, in);
        be->op->event_record(to, s);
        double seconds = be->op->event_seconds(from, to);
        best = i > 0 ? fmin(best, seconds) : best;
    }
    be->op->event_free(from), be->op->event_free(to);
    return best;
}

/* Bytes per second, read and written. */
static double ceiling_bytes(void)
{
    enum { NUMBERS = 64 << 20 };
    Backend *be = backend_open("cuda", 0, 1, 0);
    printf("%s\n", be->description);
    Stream *s = be->op->stream_new(be, 0);
    Tensor in = tensor_new(be, F32, NUMBERS, 1, 1, 1, 0),
           out = tensor_new(be, F32, NUMBERS, 1, 1, 1, 0);
    double rate = 2.0 * sizeof(float) * NUMBERS / fastest_copy(s, out, in);
    tensor_free(be, in), tensor_free(be, out);
    be->op->stream_free(s);
    backend_close(be);
    return rate;
}

static bool chosen(const char *only, const char *name) { return !only || !strcmp(only, name); }

/* Measured, without a GPU this ends the program: status 77; or given, by those who know them. */
static void find_ceilings(Bench *b)
{
    double *f = b->flops;
    if (b->ceilings) {
        REQUIRE(sscanf(b->ceilings, "%lf,%lf,%lf,%lf,%lf", &f[0], &f[1], &f[2], &f[3], &b->bytes) ==
                    PRECISIONS + 1,
                "--ceilings %s: expected TFLOP/s in fp32, tf32, bf16 and fp16, and GB/s: "
                "60,450,780,780,3000",
                b->ceilings);
        for (int p = 0; p < PRECISIONS; p++)
            f[p] *= 1e12;
        b->bytes *= 1e9;
    } else {
        b->bytes = ceiling_bytes();
        for (int p = 0; p < PRECISIONS; p++)
            f[p] = chosen(b->precision, precisions[p]) ? ceiling_product(precisions[p]) : NAN;
    }
    printf("ceilings: copying %.0f GB/s; matrix products", b->bytes * 1e-9);
    for (int p = 0; p < PRECISIONS; p++)
        printf(" %s %.1f", precisions[p], f[p] * 1e-12);
    printf(" TFLOP/s (bf16, fp16 on an H100 or H200 SXM: 700 to 800); batch %d, medians of %d "
           "turns of %g s\n\n",
           b->batch, b->rounds, b->seconds);
}

/* ---- a network ---- */

static Worker start_ours(const Bench *b, int network, int precision, const char *more)
{
    Worker w =
        worker_start("exec %s/train_rate --device cuda --precision %s --model %s %s --batch %d %s",
                     b->folder, precisions[precision], networks[network].name,
                     networks[network].shape, b->batch, more);
    REQUIRE(w.there, "%s/train_rate does not start", b->folder);
    return w;
}

/* Operations and bytes of a step, and its least time: each layer needs at least the time of its
 * operations or of its bytes. */
static void read_layers(Bench *b, int network, int precision, double *flops, double *bytes,
                        double *floor)
{
    Worker w = start_ours(b, network, precision, "--layers");
    char line[256];
    double f, m;
    worker_go(&w, 0.01);
    worker_take(&w);
    *flops = *bytes = *floor = 0;
    while (fgets(line, sizeof line, w.from) && line[0] != '\n') {
        REQUIRE(sscanf(line, "%*[^,],%*[^,],%*f,%lf,%*f,%lf", &f, &m) == 2, "train_rate says: %s",
                line);
        *flops += f, *bytes += m;
        *floor += fmax(f / b->flops[precision], m / b->bytes);
    }
    worker_stop(&w);
}

/* Did all convolutions go by cuDNN, forward, data and weights? (The first one's data gradient is
 * asked for by nobody.) */
static bool by_cudnn(const char *device)
{
    int forward, data, weights, all;
    const char *at = strstr(device, "convolutions by cuDNN: ");
    return at &&
           sscanf(at, "convolutions by cuDNN: forward %d, data %d, weights %d of %d", &forward,
                  &data, &weights, &all) == 4 &&
           forward == all && weights == all && data >= all - 1 && !strstr(at, "refused");
}

static void measure(Bench *b, int network, int precision)
{
    const char *name = networks[network].name, *how = precisions[precision];
    double flops, bytes, floor;
    read_layers(b, network, precision, &flops, &bytes, &floor);
    Worker ours = start_ours(b, network, precision, ""), peer[PEERS];
    for (int i = 0; i < PEERS; i++)
        peer[i] = worker_start("exec %s tests/bench/torch_rate.py %s 0 cuda-%s%s %d 2>%s/torch.log",
                               b->python, name, how, peers[i], b->batch, b->out);
    for (int round = 0; round < b->rounds; round++) {
        worker_go(&ours, b->seconds);
        worker_take(&ours);
        for (int i = 0; i < PEERS; i++)
            if (peer[i].there) {
                worker_go(&peer[i], b->seconds);
                worker_take(&peer[i]);
            }
    }
    double rate = spread_of(ours.rate, ours.samples).median, steps = rate / b->batch;
    printf("%-9s %s  ours %8.0f images/s; a step %.3f ms, floor %.3f ms (%.0f %%), %.2f TFLOP/s "
           "(%.0f %%), %.0f GB/s (%.0f %%)\n",
           name, how, rate, 1e3 / steps, 1e3 * floor, 100 * floor * steps, flops * steps * 1e-12,
           100 * flops * steps / b->flops[precision], bytes * steps * 1e-9,
           100 * bytes * steps / b->bytes);
    if (!by_cudnn(ours.device)) {
        b->failed = true;
        printf("    FAIL: not all convolutions went by cuDNN: %s\n", ours.device);
    }
    for (int i = 0; i < PEERS; i++) {
        if (!peer[i].there) {
            printf("    PyTorch %s%-10s skipped: it does not start here (%s/torch.log)\n", how,
                   peers[i], b->out);
            continue;
        }
        double theirs = spread_of(peer[i].rate, peer[i].samples).median;
        printf("    PyTorch %s%-10s %8.0f images/s: %.2f times\n", how, peers[i], theirs,
               rate / theirs);
        file_print(b->results, "%s,%s,%.1f,%.1f,%.3f,cuda-%s%s\n", name, how, rate, theirs,
                   rate / theirs, how, peers[i]);
        worker_stop(&peer[i]);
    }
    worker_stop(&ours);
}

int main(int argc, char **argv)
{
    Bench b = {.folder = "build/tests/bench",
               .python = "python3",
               .out = "build/out/bench",
               .rounds = 5,
               .batch = 128,
               .seconds = 1};
    Option table[] = {
        {"programs", ARG_STRING, &b.folder, .help = "folder with train_rate"},
        {"python", ARG_STRING, &b.python,
         .help = "an interpreter that can import torch, with CUDA"},
        {"out", ARG_STRING, &b.out, .help = "folder for results_gpu.csv"},
        {"only", ARG_STRING, &b.only, .help = "only the network of this name"},
        {"precision", ARG_CHOICE, &b.precision, .choices = "fp32|tf32|bf16|fp16",
         .help = "only this precision (default: all)"},
        {"ceilings", ARG_STRING, &b.ceilings,
         .help = "TFLOP/s in fp32, tf32, bf16, fp16, and GB/s, instead of measured ones: "
                 "60,450,780,780,3000"},
        {"rounds", ARG_INT, &b.rounds, .min = 1, .max = SAMPLES, .help = "turns of each program"},
        {"batch", ARG_INT, &b.batch, .min = 1, .max = 2048, .help = "images per step"},
        {"seconds", ARG_REAL, &b.seconds, .min = 0.01, .max = 60, .help = "length of each turn"},
        {0}};
    char path[512];
    args_parse("bench_gpu", "The performance table of a GPU.", table, argc, argv);
    setvbuf(stdout, NULL, _IOLBF, 0);
    find_ceilings(&b);
    char *error = file_make_folder(b.out);
    REQUIRE(!error, "%s", error);
    snprintf(path, sizeof path, "%s/results_gpu.csv", b.out);
    b.results = file_begin(path);
    file_print(b.results, "name,precision,ours,peer,ratio,peer_setting\n");
    int rows = 0;
    for (int n = 0; n < NETWORKS; n++)
        for (int p = 0; p < PRECISIONS; p++)
            if (chosen(b.only, networks[n].name) && chosen(b.precision, precisions[p]) &&
                b.flops[p] > 0) { /* not NAN */
                measure(&b, n, p);
                rows++;
            }
    REQUIRE(rows > 0, "nothing to measure: --only takes resnet8, resnet20 or wrn16-10, and this "
                      "GPU may lack the precision");
    error = file_commit(b.results);
    REQUIRE(!error, "%s", error);
    printf("\n%s\n", path);
    return b.failed ? EXIT_WRONG : 0;
}
