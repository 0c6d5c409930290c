/* bench_gpu.c: the performance table of a GPU: training images per second in each precision against
 * PyTorch on the same GPU, and a step's operations and bytes per second against this backend's
 * largest matrix product and a copy. Programs take turns as in bench.c. Writes results_gpu.csv into
 * --out.
 */
#include "args.h"
#include "backend/backend_open.h"
#include "check.h"
#include "file.h"
#include "rng.h"
#include "worker.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *shape;
} networks[] = {{"resnet8", ""}, {"resnet20", ""}, {"wrn16-10", "--size 28 --channels 1"}};
static const char *const precisions[] = {"fp32", "tf32", "bf16"};
static const char *const peers[] = {"", "-compiled"}; /* torch_rate.py's settings: cuda-bf16,
                                                       * cuda-bf16-compiled, … */
enum {
    NETWORKS = sizeof networks / sizeof *networks,
    PRECISIONS = sizeof precisions / sizeof *precisions,
    PEERS = 2
};
enum { REPEATS = 10 };

typedef struct Bench {
    const char *folder, *python, *out, *only;
    int rounds, batch;
    double seconds, flops[PRECISIONS], bytes; /* ceilings */
    NewFile *results;
} Bench;

/* ---- ceilings ---- */

typedef struct Work {
    Stream *s;
    Tensor out, in, w;
    ConvPlan *plan;
} Work;

static void multiply(Work *k)
{
    k->s->be->op->dense_backward_data(k->s, k->out, k->in, k->w, false);
}
static void convolve(Work *k)
{
    k->s->be->op->conv_forward(k->s, k->plan, k->out, NO_TENSOR, k->in, k->w, NO_TENSOR);
}
static void copy(Work *k) { k->s->be->op->copy(k->s, k->out, k->in); }

/* The shortest of several tries. */
static double fastest(void (*work)(Work *), Work *k)
{
    Backend *be = k->s->be;
    Event *from = be->op->event_new(be), *to = be->op->event_new(be);
    double best = INFINITY;
    for (int i = 0; i <= REPEATS; i++) { /* the first loads libraries and kernels */
        be->op->event_record(from, k->s);
        work(k);
        be->op->event_record(to, k->s);
        double seconds = be->op->event_seconds(from, to);
        best = i > 0 ? fmin(best, seconds) : best;
    }
    be->op->event_free(from), be->op->event_free(to);
    return best;
}

/* Values in (-1, 1): on zeros a GPU draws less power and is faster. */
static void draw(Stream *s, Tensor t)
{
    size_t count = tensor_count(t), size = dtype_size(t.dtype);
    char *drawn = alloc(count, size);
    Rng rng = rng_at(1, RNG_TEST, 0, 0);
    for (size_t i = 0; i < count; i++) {
        float x = 2 * (float)rng_uniform(&rng) - 1;
        /* BF16: the upper half of a float */
        memcpy(drawn + i * size, (char *)&x + sizeof x - size, size);
    }
    s->be->op->upload(s, t, drawn);
    free(drawn);
}

/* Operations per second: a matrix product with SIDE inputs and SIDE outputs; in BF16, which dense
 * layers do not support, a 1 x 1 convolution. NAN: this GPU does not support the precision. */
static double ceiling_flops(const char *precision)
{
    enum { SIDE = 4096, ROWS = 65536, PIXELS = 64 };
    Backend *be = backend_open("cuda", 0, 1, 0);
    double rate = NAN;
    if (be->op->mixed || !strcmp(precision, "fp32")) {
        backend_precision(be, precision);
        bool dense = be->activations == F32;
        int n = dense ? ROWS : ROWS / PIXELS, side = dense ? 1 : 8;
        Work k = {.s = be->op->stream_new(be, 0),
                  .w = tensor_new(be, F32, SIDE, 1, 1, SIDE, 0),
                  .in = tensor_new(be, be->activations, n, side, side, SIDE, 0),
                  .out = tensor_new(be, be->activations, n, side, side, SIDE, 0)};
        draw(k.s, k.w), draw(k.s, k.in);
        k.plan = dense ? NULL : be->op->conv_plan_new(be, k.out, k.in, 1, 1);
        rate = 2.0 * ROWS * SIDE * SIDE / fastest(dense ? multiply : convolve, &k);
        if (k.plan)
            be->op->conv_plan_free(k.plan);
        tensor_free(be, k.w), tensor_free(be, k.in), tensor_free(be, k.out);
        be->op->stream_free(k.s);
    }
    backend_close(be);
    return rate;
}

/* Bytes per second, read and written. */
static double ceiling_bytes(void)
{
    enum { NUMBERS = 64 << 20 };
    Backend *be = backend_open("cuda", 0, 1, 0);
    printf("%s\n", be->description);
    Work k = {.s = be->op->stream_new(be, 0),
              .in = tensor_new(be, F32, NUMBERS, 1, 1, 1, 0),
              .out = tensor_new(be, F32, NUMBERS, 1, 1, 1, 0)};
    double rate = 2.0 * sizeof(float) * NUMBERS / fastest(copy, &k);
    tensor_free(be, k.in), tensor_free(be, k.out);
    be->op->stream_free(k.s);
    backend_close(be);
    return rate;
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
        REQUIRE(sscanf(line, "%*s %*s %*f %lf %*f %lf", &f, &m) == 2, "train_rate says: %s", line);
        *flops += f, *bytes += m;
        *floor += fmax(f / b->flops[precision], m / b->bytes);
    }
    worker_stop(&w);
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
    double rate = median(ours.rate, ours.samples), steps = rate / b->batch;
    printf("%-9s %s  ours %8.0f images/s; a step %.3f ms, floor %.3f ms (%.0f %%), %.2f TFLOP/s "
           "(%.0f %%), %.0f GB/s (%.0f %%)\n",
           name, how, rate, 1e3 / steps, 1e3 * floor, 100 * floor * steps, flops * steps * 1e-12,
           100 * flops * steps / b->flops[precision], bytes * steps * 1e-9,
           100 * bytes * steps / b->bytes);
    for (int i = 0; i < PEERS; i++) {
        if (!peer[i].there) {
            printf("    PyTorch %s%-10s skipped: it does not start here (%s/torch.log)\n", how,
                   peers[i], b->out);
            continue;
        }
        double theirs = median(peer[i].rate, peer[i].samples);
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
        {"rounds", ARG_INT, &b.rounds, .min = 1, .max = SAMPLES, .help = "turns of each program"},
        {"batch", ARG_INT, &b.batch, .min = 1, .max = 2048, .help = "images per step"},
        {"seconds", ARG_REAL, &b.seconds, .min = 0.01, .max = 60, .help = "length of each turn"},
        {0}};
    char path[512];
    args_parse("bench_gpu", "The performance table of a GPU.", table, argc, argv);
    setvbuf(stdout, NULL, _IOLBF, 0);
    b.bytes = ceiling_bytes(); /* without a GPU this ends the program: status 77 */
    char *error = file_make_folder(b.out);
    REQUIRE(!error, "%s", error);
    snprintf(path, sizeof path, "%s/results_gpu.csv", b.out);
    b.results = file_begin(path);
    file_print(b.results, "name,precision,ours,peer,ratio,peer_setting\n");
    printf("ceilings: copying %.0f GB/s; matrix products", b.bytes * 1e-9);
    for (int p = 0; p < PRECISIONS; p++)
        printf(" %s %.1f", precisions[p], (b.flops[p] = ceiling_flops(precisions[p])) * 1e-12);
    printf(" TFLOP/s; batch %d, medians of %d turns of %g s\n\n", b.batch, b.rounds, b.seconds);
    for (int n = 0; n < NETWORKS; n++)
        for (int p = 0; p < PRECISIONS && (!b.only || !strcmp(b.only, networks[n].name)); p++)
            if (b.flops[p] > 0) /* not NAN */
                measure(&b, n, p);
    error = file_commit(b.results);
    REQUIRE(!error, "%s", error);
    printf("\n%s\n", path);
    return 0;
}
