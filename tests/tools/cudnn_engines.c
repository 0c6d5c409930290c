/* cudnn_engines.c: which of cuDNN's engines would do the networks' convolutions on GPUs that are
 * not here: since 9.8 cuDNN plans for a device that it knows only by its properties. Each
 * convolution of each network, forward, data and weights, in BF16, TF32 and FP16, should have one
 * that uses tensor cores; the exit status is 1 if not, 77 where cuDNN cannot be asked.
 *
 *     cudnn_engines           a line for each GPU and precision, and one for what is missing
 *     cudnn_engines --all     and each convolution's engines
 *     cudnn_engines --v100    of a GPU that has no BF16, where they must be missing
 *
 * It asks for the engines of cuDNN's graphs. The functions that the backend calls
 * (cuda_conv_cudnn.c) choose among the same kernels, but cannot be asked.
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
#include "model/model_build.h"
#include <stdlib.h>
#include <string.h>

enum { BATCH = 128, MOST_SHAPES = 64, MOST_CHOICES = 40, MOST_NOTES = 20, PADDED = 8 };

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
} precisions[] = {{"bf16", CUDNN_DATA_BFLOAT16, true},
                  {"tf32", CUDNN_DATA_FLOAT, false},
                  {"fp16", CUDNN_DATA_HALF, true}};
static const char *const networks[] = {"resnet8", "resnet20", "wrn16-10"};
static const char *const kinds[] = {"forward", "data", "weights"};
enum {
    GPUS = sizeof gpus / sizeof *gpus - 1, /* and one that has no BF16 */
    PRECISIONS = sizeof precisions / sizeof *precisions,
    NETWORKS = sizeof networks / sizeof *networks,
    KINDS = 3
};

typedef struct Convolution {
    int64_t C, H, W, K, R, stride;
    const char *network; /* the first that has it */
} Convolution;

typedef cudnnBackendDescriptor_t Descriptor;
#define CUDNN_CHECK(call) \
    do { \
        cudnnStatus_t e_ = (call); \
        if (e_) \
            die(EXIT_WRONG, "%s:%d: %s: %s", __FILE__, __LINE__, #call, cudnnGetErrorString(e_)); \
    } while (0)

static Descriptor make(cudnnBackendDescriptorType_t kind)
{
    Descriptor d;
    CUDNN_CHECK(cudnnBackendCreateDescriptor(kind, &d));
    return d;
}
static void set(Descriptor d, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                int64_t count, const void *values)
{
    CUDNN_CHECK(cudnnBackendSetAttribute(d, name, type, count, values));
}
static void set_descriptor(Descriptor d, cudnnBackendAttributeName_t name, Descriptor value)
{
    set(d, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
}

/* ---- what is asked ---- */

/* NULL: this cuDNN does not take it. */
static Descriptor device_new(int gpu)
{
    char json[2000];
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
    Descriptor d = make(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    if (cudnnBackendSetAttribute(d, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                                 length, json) ||
        cudnnBackendFinalize(d))
        return NULL;
    return d;
}

/* n x c x h x w, the channels side by side. */
static Descriptor tensor_of(int64_t id, cudnnDataType_t type, int64_t n, int64_t c, int64_t h,
                            int64_t w)
{
    int64_t shape[] = {n, c, h, w}, strides[] = {h * w * c, 1, w * c, c}, aligned = 16;
    Descriptor d = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    set(d, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id);
    set(d, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
    set(d, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &aligned);
    set(d, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, shape);
    set(d, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides);
    CUDNN_CHECK(cudnnBackendFinalize(d));
    return d;
}

static Descriptor convolution_of(const Convolution *c)
{
    int64_t two = 2, pads[] = {c->R / 2, c->R / 2}, strides[] = {c->stride, c->stride},
            ones[] = {1, 1};
    cudnnDataType_t sums = CUDNN_DATA_FLOAT;
    cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
    Descriptor d = make(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    set(d, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &two);
    set(d, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &sums);
    set(d, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
    set(d, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 2, pads);
    set(d, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 2, pads);
    set(d, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 2, ones);
    set(d, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 2, strides);
    CUDNN_CHECK(cudnnBackendFinalize(d));
    return d;
}

/* The names of one operation's attributes; those of the three lie in the same order. */
static const struct {
    cudnnBackendDescriptorType_t operation;
    cudnnBackendAttributeName_t conv, x, w, y, alpha, beta;
} names[KINDS] = {
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA}};

static Descriptor graph_of(const Convolution *c, int kind, cudnnDataType_t type)
{
    int64_t P = (c->H + c->stride - 1) / c->stride, Q = (c->W + c->stride - 1) / c->stride;
    float one = 1, zero = 0;
    Descriptor d = make(names[kind].operation),
               graph = make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    set_descriptor(d, names[kind].conv, convolution_of(c));
    set_descriptor(d, names[kind].x, tensor_of('x', type, BATCH, c->C, c->H, c->W));
    set_descriptor(d, names[kind].w, tensor_of('w', type, c->K, c->C, c->R, c->R));
    set_descriptor(d, names[kind].y, tensor_of('y', type, BATCH, c->K, P, Q));
    set(d, names[kind].alpha, CUDNN_TYPE_FLOAT, 1, &one);
    set(d, names[kind].beta, CUDNN_TYPE_FLOAT, 1, &zero);
    CUDNN_CHECK(cudnnBackendFinalize(d));
    set_descriptor(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, d);
    CUDNN_CHECK(cudnnBackendFinalize(graph));
    return graph;
}

/* ---- the answers ---- */

/* Its number, where it uses tensor cores and a plan with it can be made; else -1. */
static int64_t engine_of(Descriptor choice, Descriptor device)
{
    Descriptor engine = make(CUDNN_BACKEND_ENGINE_DESCRIPTOR),
               plan = make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    cudnnBackendNumericalNote_t note[MOST_NOTES];
    int64_t got, number = -1, notes = 0;
    bool tensor_cores = false;
    CUDNN_CHECK(cudnnBackendGetAttribute(choice, CUDNN_ATTR_ENGINECFG_ENGINE,
                                         CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &got, &engine));
    CUDNN_CHECK(cudnnBackendGetAttribute(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64,
                                         1, &got, &number));
    CUDNN_CHECK(cudnnBackendGetAttribute(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                         CUDNN_TYPE_NUMERICAL_NOTE, MOST_NOTES, &notes, note));
    for (int64_t i = 0; i < notes && i < MOST_NOTES; i++)
        tensor_cores |= note[i] == CUDNN_NUMERICAL_NOTE_TENSOR_CORE;
    set_descriptor(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, choice);
    set_descriptor(plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, device);
    bool planned = tensor_cores && cudnnBackendFinalize(plan) == CUDNN_STATUS_SUCCESS;
    cudnnBackendDestroyDescriptor(plan);
    return planned ? number : -1;
}

/* Of those that cuDNN recommends for the convolution, the first with tensor cores; -1: none. later:
 * counts it if cuDNN recommends others before it. */
static int64_t best_engine(int *later, const Convolution *c, int kind, cudnnDataType_t type,
                           Descriptor device)
{
    Descriptor asked = make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR), choice[MOST_CHOICES];
    cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;
    int64_t count = 0, engine = -1;
    set_descriptor(asked, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph_of(c, kind, type));
    set(asked, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
    set_descriptor(asked, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, device);
    if (cudnnBackendFinalize(asked))
        return -1;
    for (int i = 0; i < MOST_CHOICES; i++)
        choice[i] = make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    CUDNN_CHECK(cudnnBackendGetAttribute(asked, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                         CUDNN_TYPE_BACKEND_DESCRIPTOR, MOST_CHOICES, &count,
                                         choice));
    for (int i = 0; i < count && engine < 0; i++) {
        engine = engine_of(choice[i], device);
        *later += i > 0 && engine >= 0;
    }
    for (int i = 0; i < MOST_CHOICES; i++)
        cudnnBackendDestroyDescriptor(choice[i]);
    return engine;
}

/* ---- the networks' convolutions ---- */

static void add(Convolution *all, int *count, Convolution c)
{
    for (int i = 0; i < *count; i++)
        if (!memcmp(&all[i], &c, offsetof(Convolution, network)))
            return;
    ASSERT(*count < MOST_SHAPES);
    all[(*count)++] = c;
}

static int convolutions(Convolution *all)
{
    int count = 0;
    Backend *be = backend_open("cpu", 0, 1, 1);
    for (int n = 0; n < NETWORKS; n++) {
        ModelSpec spec = {.name = networks[n], .h = 32, .w = 32, .c = 3, .classes = 10};
        Model *m = model_new(be, &spec, 1);
        for (int i = 0; i < m->nlayers; i++) {
            const Layer *l = &m->layers[i];
            Shape x = m->plan->shape[l->in];
            if (l->kind == LAYER_CONV)
                add(all, &count,
                    (Convolution){x.c, x.h, x.w, l->out, l->kernel, l->stride, networks[n]});
        }
        model_free(m);
    }
    backend_close(be);
    return count;
}

/* Every kind of one of them: how many engines are missing; later: as above. */
static int ask(int *later, Convolution c, int precision, Descriptor device, bool print)
{
    bool image = c.C == 3; /* of which nobody wants the gradient */
    int missing = 0;
    if (image && precisions[precision].pads)
        c.C = PADDED;
    for (int kind = 0; kind < KINDS; kind++) {
        if (image && kind == 1)
            continue;
        int64_t engine = best_engine(later, &c, kind, precisions[precision].type, device);
        missing += engine < 0;
        if (print || engine < 0)
            printf("    %s: %lld x %lld x %lld to %lld, %lld x %lld, stride %lld, %s: %s %lld\n",
                   c.network, (long long)c.H, (long long)c.W, (long long)c.C, (long long)c.K,
                   (long long)c.R, (long long)c.R, (long long)c.stride, kinds[kind],
                   engine < 0 ? "no engine with tensor cores" : "engine", (long long)engine);
    }
    return missing;
}

/* All convolutions on one GPU, in each precision: how many engines are missing. */
static int ask_gpu(int gpu, const Convolution *all, int count, bool print)
{
    int missing = 0;
    Descriptor device = device_new(gpu);
    if (!device) {
        printf("skipped: cuDNN %zu does not plan for a GPU that is not here\n", cudnnGetVersion());
        exit(EXIT_TODO);
    }
    for (int p = 0; p < PRECISIONS; p++) {
        int lacking = 0, later = 0;
        for (int i = 0; i < count; i++)
            lacking += ask(&later, all[i], p, device, print);
        printf("%s, %s: %d convolutions, %d calls without tensor cores, %d not by cuDNN's first "
               "choice\n",
               gpus[gpu].name, precisions[p].name, count, lacking, later);
        missing += lacking;
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
