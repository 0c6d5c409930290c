/* cudnn_engines.c: which of cuDNN's engines do the networks' convolutions on GPUs that are not
 * here: since 9.8 cuDNN plans for a device that it knows only by its properties. The backend's own
 * choice (dnn_graph_new) is asked, for each convolution of each network: forward, data, data added
 * to what is there, weights. In BF16, TF32 and FP16 each should get an engine with tensor cores, in
 * FP32 one without; the exit status is 1 if not, 77 where cuDNN cannot be asked.
 *
 *     cudnn_engines           a line for each GPU and precision, and one for what is missing
 *     cudnn_engines --all     and each convolution's engines
 *     cudnn_engines --v100    of a GPU that has no BF16, where they must be missing
 */
#include "check.h"
#include <stdio.h>
#ifdef HAVE_CUDNN
#include <cudnn.h>
#endif
#if !defined HAVE_CUDNN || CUDNN_VERSION < 90800
int main(void)
{
    puts("skipped: only cuDNN 9.8 and later can be asked without a GPU");
    return EXIT_TODO;
}
#else
#include "backend/cuda/cuda_conv_dnn.h"
#include "model/model_build.h"
#include <stdlib.h>
#include <string.h>

enum { BATCH = 128, MOST_SHAPES = 64 };

static const struct {
    const char *name;
    int version, multiprocessors, shared, clock, memory_clock, cache; /* bytes, kHz */
    double memory;
} gpus[] = {{"NVIDIA A100-SXM4-80GB", 800, 108, 166912, 1410000, 1593000, 41943040, 85e9},
            {"NVIDIA H100 80GB HBM3", 900, 132, 232448, 1980000, 2619000, 52428800, 85e9},
            {"NVIDIA B200", 1000, 148, 232448, 1965000, 3996000, 132644864, 192e9},
            {"Tesla V100-SXM2-32GB", 700, 80, 98304, 1530000, 877000, 6291456, 34e9}};
static const struct {
    const char *name;
    cudnnDataType_t type;
    bool pads; /* the backend pads the image's channels: none of its engines takes three */
    bool exact;
} precisions[] = {{"bf16", CUDNN_DATA_BFLOAT16, true, false},
                  {"fp16", CUDNN_DATA_HALF, true, false},
                  {"tf32", CUDNN_DATA_FLOAT, false, false},
                  {"fp32", CUDNN_DATA_FLOAT, false, true}};
static const char *const networks[] = {"resnet8", "resnet20", "wrn16-10", "airbench-64"};
static const char *const calls[] = {"forward", "data", "data added", "weights"};
enum {
    GPUS = sizeof gpus / sizeof *gpus - 1, /* and one that has no BF16 */
    PRECISIONS = sizeof precisions / sizeof *precisions,
    NETWORKS = sizeof networks / sizeof *networks
};

typedef struct Convolution {
    ConvPlan plan;
    const char *network; /* the first that has it */
} Convolution;

/* Of the calls in one precision: how many there are, and are without the engine that they should
 * have. */
typedef struct Found {
    int asked, lacking;
} Found;

/* NULL: this cuDNN does not take it. */
static void *device_new(int gpu)
{
    char json[2000];
    cudnnBackendDescriptor_t d;
    int length = snprintf(
        json, sizeof json,
        "{\"cudnnVersion\":%zu,\"schemaVersion\":\"1\",\"deviceVer\":%d,\"driverVer\":13000,"
        "\"cudaDeviceId\":0,\"deviceId\":0,\"totalGlobalMem\":%.0f,"
        "\"maxGridSize\":[2147483647,65535,65535],\"maxBlockSize\":[1024,1024,64],"
        "\"regsPerBlock\":65536,\"multiProcessorCount\":%d,\"warpSize\":32,"
        "\"maxSharedMemoryPerBlock\":49152,\"maxSharedMemoryPerBlockOptin\":%d,"
        "\"reservedSharedMemoryPerBlock\":1024,\"maxRegistersPerSM\":65536,\"maxCtasPerSM\":32,"
        "\"maxThreadsPerBlock\":1024,\"maxThreadsPerSM\":2048,\"pciDeviceId\":0,\"isTccDriver\":0,"
        "\"supportCoopLaunch\":1,\"smClockRateKHz\":%d,\"memClockRateKHz\":%d,"
        "\"l2CacheSize\":%d,\"deviceName\":\"%s\"}",
        cudnnGetVersion(), gpus[gpu].version, gpus[gpu].memory, gpus[gpu].multiprocessors,
        gpus[gpu].shared, gpus[gpu].clock, gpus[gpu].memory_clock, gpus[gpu].cache, gpus[gpu].name);
    CUDNN_CHECK(cudnnBackendCreateDescriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, &d));
    if (cudnnBackendSetAttribute(d, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                                 length, json) ||
        cudnnBackendFinalize(d))
        return NULL;
    return d;
}

/* ---- the networks' convolutions ---- */

static void add(Convolution *all, int *count, Convolution c)
{
    for (int i = 0; i < *count; i++)
        if (!memcmp(&all[i].plan, &c.plan, sizeof c.plan))
            return;
    ASSERT(*count < MOST_SHAPES);
    all[(*count)++] = c;
}

static void add_network(Convolution *all, int *count, const Model *m, const char *name)
{
    for (int i = 0; i < m->nlayers; i++) {
        const Layer *l = &m->layers[i];
        if (l->kind != LAYER_CONV)
            continue;
        Shape x = m->plan->shape[l->in];
        Convolution c;
        memset(&c, 0, sizeof c); /* the padding, too: they are compared */
        c.plan.C = x.c, c.plan.H = x.h, c.plan.W = x.w;
        c.plan.K = l->out, c.plan.R = l->kernel, c.plan.stride = l->stride;
        c.plan.pad = conv_pad(l->kernel);
        c.plan.P = conv_side(x.h, l->kernel, l->stride);
        c.plan.Q = conv_side(x.w, l->kernel, l->stride);
        c.network = name;
        add(all, count, c);
    }
}

static int convolutions(Convolution *all)
{
    int count = 0;
    Backend *be = backend_open("cpu", 0, 1, 1);
    for (int n = 0; n < NETWORKS; n++) {
        ModelSpec spec = {.name = networks[n], .h = 32, .w = 32, .c = 3, .classes = 10};
        Model *m = model_new(be, &spec, 1);
        add_network(all, &count, m, networks[n]);
        model_free(m);
    }
    backend_close(be);
    return count;
}

/* ---- what is chosen for them ---- */

static void print(const Convolution *c, int call, const DnnGraph *g)
{
    const ConvPlan *p = &c->plan;
    printf("    %s: %d x %d x %d to %d, %d x %d, stride %d, %s: ", c->network, p->H, p->W, p->C,
           p->K, p->R, p->R, p->stride, calls[call]);
    if (g)
        printf("engine %lld, notes %#x, workspace %zu\n", (long long)g->engine, g->notes, g->bytes);
    else
        puts("no engine");
}

/* Every call of one of them. */
static void ask(Found *found, Convolution c, int precision, void *device, bool all)
{
    bool image = c.plan.C == 3; /* of which nobody wants the gradient */
    DnnCase asked = {.plan = &c.plan,
                     .n = BATCH,
                     .type = precisions[precision].type,
                     .exact = precisions[precision].exact,
                     .limit = (size_t)1 << 30,
                     .gpu = device};
    c.plan.dnn_C = image && precisions[precision].pads ? PADDED_C : c.plan.C;
    for (int call = 0; call < DNN_CALLS; call++) {
        if (image && (call == DNN_DATA || call == DNN_DATA_ADD))
            continue;
        DnnGraph *g = dnn_graph_new(&asked, call);
        bool cores = g && g->notes & 1u << CUDNN_NUMERICAL_NOTE_TENSOR_CORE,
             lacks = !g || cores == asked.exact;
        found->asked++;
        found->lacking += lacks;
        if (all || lacks)
            print(&c, call, g);
        dnn_graph_free(g);
    }
}

/* All convolutions on one GPU, in each precision: how many engines are missing. */
static int ask_gpu(int gpu, const Convolution *convolution, int count, bool all)
{
    int missing = 0;
    void *device = device_new(gpu);
    if (!device) {
        printf("skipped: cuDNN %zu does not plan for a GPU that is not here\n", cudnnGetVersion());
        exit(EXIT_TODO);
    }
    for (int p = 0; p < PRECISIONS; p++) {
        Found found = {0};
        for (int i = 0; i < count; i++)
            ask(&found, convolution[i], p, device, all);
        printf("%s, %s: %d convolutions, %d calls, %d without an engine %s tensor cores\n",
               gpus[gpu].name, precisions[p].name, count, found.asked, found.lacking,
               precisions[p].exact ? "without" : "with");
        missing += found.lacking;
    }
    return missing;
}

int main(int argc, char **argv)
{
    Convolution all[MOST_SHAPES];
    const char *option = argc > 1 ? argv[1] : "";
    bool old = !strcmp(option, "--v100");
    int count = convolutions(all), missing = 0;
    for (int g = old ? GPUS : 0; g < (old ? GPUS + 1 : GPUS); g++)
        missing += ask_gpu(g, all, count, !strcmp(option, "--all"));
    return missing ? EXIT_WRONG : 0;
}
#endif
