/* cuda_conv_graph_cudnn.c: a convolution as one of cuDNN's graphs (cuDNN 9's backend API): the
 * operation is described, cuDNN recommends engines for it, and one of them becomes an execution
 * plan. All of that once per shape; a step only runs the plan, on a "variant pack" of addresses,
 * which is kept for as long as they are the same.
 */
#include "cuda_conv_dnn.h"
#include <stdlib.h>
#include <string.h>

#if CUDNN_MAJOR < 9
DnnGraph *dnn_graph_new(const DnnCase *c, DnnCall call) { return NULL; }
void dnn_graph_free(DnnGraph *g) {}
cudnnStatus_t dnn_graph_run(DnnGraph *g, cudnnHandle_t handle, const DnnData *at)
{
    return CUDNN_STATUS_NOT_SUPPORTED;
}
#else
typedef cudnnBackendDescriptor_t Descriptor;

enum { MOST_CHOICES = 40, MOST_NOTES = 32 };

/* What an engine may never do: other sums each time; sums in 16 bits; factors shortened, but to
 * TF32; products of transforms, which round more. And what it may not do to float32 that is to stay
 * exact: with tensor cores that is TF32. */
#define NOTE(name) (1u << CUDNN_NUMERICAL_NOTE_##name)
static const unsigned NEVER = NOTE(NONDETERMINISTIC) | NOTE(REDUCED_PRECISION_REDUCTION) |
                              NOTE(DOWN_CONVERT_INPUTS) | NOTE(FFT) | NOTE(WINOGRAD) |
                              NOTE(WINOGRAD_TILE_4x4) | NOTE(WINOGRAD_TILE_6x6) |
                              NOTE(WINOGRAD_TILE_13x13),
                      INEXACT = NOTE(TENSOR_CORE);

/* ---- descriptors: g owns what it makes; a failure is kept, and what follows then does nothing */

static Descriptor make(DnnGraph *g, cudnnBackendDescriptorType_t kind)
{
    Descriptor d;
    ASSERT(g->count < GRAPH_DESCRIPTORS);
    CUDNN_CHECK(cudnnBackendCreateDescriptor(kind, &d));
    g->made[g->count++] = d;
    return d;
}

/* All but the first `count`. */
static void destroy(DnnGraph *g, int count)
{
    while (g->count > count)
        CUDNN_CHECK(cudnnBackendDestroyDescriptor(g->made[--g->count]));
}

static void set(DnnGraph *g, Descriptor d, cudnnBackendAttributeName_t name,
                cudnnBackendAttributeType_t type, int64_t count, const void *values)
{
    if (g->status == CUDNN_STATUS_SUCCESS)
        g->status = cudnnBackendSetAttribute(d, name, type, count, values);
}

static void set_descriptor(DnnGraph *g, Descriptor d, cudnnBackendAttributeName_t name,
                           Descriptor value)
{
    set(g, d, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
}

static int64_t get(DnnGraph *g, Descriptor d, cudnnBackendAttributeName_t name,
                   cudnnBackendAttributeType_t type, int64_t most, void *values)
{
    int64_t count = 0;
    if (g->status == CUDNN_STATUS_SUCCESS)
        g->status = cudnnBackendGetAttribute(d, name, type, most, &count, values);
    return g->status == CUDNN_STATUS_SUCCESS ? count : 0;
}

static void finalize(DnnGraph *g, Descriptor d)
{
    if (g->status == CUDNN_STATUS_SUCCESS)
        g->status = cudnnBackendFinalize(d);
}

/* ---- the operation ---- */

/* n x c x h x w, the channels side by side. */
static Descriptor tensor_of(DnnGraph *g, int64_t id, cudnnDataType_t type, int64_t n, int64_t c,
                            int64_t h, int64_t w)
{
    int64_t shape[] = {n, c, h, w}, strides[] = {h * w * c, 1, w * c, c}, aligned = GRAPH_ALIGNED;
    Descriptor d = make(g, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    set(g, d, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id);
    set(g, d, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
    set(g, d, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &aligned);
    set(g, d, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, shape);
    set(g, d, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides);
    finalize(g, d);
    return d;
}

static Descriptor convolution_of(DnnGraph *g, const ConvPlan *p)
{
    int64_t two = 2, pads[] = {p->pad, p->pad}, strides[] = {p->stride, p->stride}, ones[] = {1, 1};
    cudnnDataType_t sums = CUDNN_DATA_FLOAT;
    cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
    Descriptor d = make(g, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    set(g, d, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &two);
    set(g, d, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &sums);
    set(g, d, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
    set(g, d, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 2, pads);
    set(g, d, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 2, pads);
    set(g, d, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 2, ones);
    set(g, d, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 2, strides);
    finalize(g, d);
    return d;
}

/* The names of each operation's attributes. */
typedef struct Names {
    cudnnBackendDescriptorType_t operation;
    cudnnBackendAttributeName_t conv, x, w, y, alpha, beta;
} Names;
static const Names forward = {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
                              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
                   data = {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                           CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                           CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                           CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                           CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                           CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                           CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
                   weight = {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};

static Descriptor graph_of(DnnGraph *g, const DnnCase *c, DnnCall call)
{
    const ConvPlan *p = c->plan;
    const Names *names = call == DNN_FORWARD ? &forward : call == DNN_WEIGHT ? &weight : &data;
    float one = 1, before = call == DNN_DATA_ADD;
    Descriptor conv = convolution_of(g, p),
               x = tensor_of(g, 'x', c->type, c->n, p->dnn_C, p->H, p->W),
               w = tensor_of(g, 'w', c->type, p->K, p->dnn_C, p->R, p->R),
               y = tensor_of(g, 'y', c->type, c->n, p->K, p->P, p->Q),
               operation = make(g, names->operation),
               graph = make(g, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    set_descriptor(g, operation, names->conv, conv);
    set_descriptor(g, operation, names->x, x);
    set_descriptor(g, operation, names->w, w);
    set_descriptor(g, operation, names->y, y);
    set(g, operation, names->alpha, CUDNN_TYPE_FLOAT, 1, &one);
    set(g, operation, names->beta, CUDNN_TYPE_FLOAT, 1, &before);
    finalize(g, operation);
    if (c->handle)
        set(g, graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &c->handle);
    set_descriptor(g, graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
    finalize(g, graph);
    return graph;
}

/* ---- the choice of an engine ---- */

static unsigned notes_of(DnnGraph *g, Descriptor engine)
{
    cudnnBackendNumericalNote_t note[MOST_NOTES];
    unsigned notes = 0;
    int64_t count = get(g, engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                        MOST_NOTES, note);
    for (int64_t i = 0; i < count && i < MOST_NOTES; i++)
        notes |= 1u << note[i];
    return notes;
}

/* Compiling takes a second for each plan; and the code may go with its plan, while a recording
 * still runs it. */
static bool compiled_here(DnnGraph *g, Descriptor engine)
{
    cudnnBackendBehaviorNote_t note[MOST_NOTES];
    int64_t count = get(g, engine, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE,
                        MOST_NOTES, note);
    for (int64_t i = 0; i < count && i < MOST_NOTES; i++)
        if (note[i] == CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION)
            return true;
    return false;
}

/* May the engine do it? */
static bool permitted(DnnGraph *g, const DnnCase *c, Descriptor engine, bool tensor_cores)
{
    g->notes = notes_of(g, engine);
    bool compiled = compiled_here(g, engine);
    return g->status == CUDNN_STATUS_SUCCESS && !compiled && !(g->notes & NEVER) &&
           !(c->exact && g->notes & INEXACT) && (!tensor_cores || g->notes & NOTE(TENSOR_CORE));
}

static Descriptor plan_of(DnnGraph *g, const DnnCase *c, Descriptor config)
{
    Descriptor plan = make(g, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    set_descriptor(g, plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
    if (c->handle)
        set(g, plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &c->handle);
#if CUDNN_VERSION >= 90800
    else
        set_descriptor(g, plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, c->gpu);
#endif
    finalize(g, plan);
    return plan;
}

/* Make the plan of a recommended engine, which g then owns. False, and the engine is gone, where it
 * may not do it, or cannot. */
static bool take(DnnGraph *g, const DnnCase *c, Descriptor config, bool tensor_cores)
{
    int before = g->count;
    int64_t bytes = 0;
    g->status = CUDNN_STATUS_SUCCESS;
    g->made[g->count++] = config;
    Descriptor engine = make(g, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    get(g, config, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &engine);
    get(g, engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &g->engine);
    if (permitted(g, c, engine, tensor_cores)) {
        g->plan = plan_of(g, c, config);
        get(g, g->plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &bytes);
        g->bytes = (size_t)bytes;
        if (g->status == CUDNN_STATUS_SUCCESS && g->bytes <= c->limit)
            return true;
    }
    destroy(g, before);
    return false;
}

/* The first of those that cuDNN recommends in this mode. */
static bool choose(DnnGraph *g, const DnnCase *c, Descriptor graph, cudnnBackendHeurMode_t mode,
                   bool tensor_cores)
{
    int before = g->count;
    bool taken = false;
    Descriptor choice[MOST_CHOICES], asked = make(g, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    g->status = CUDNN_STATUS_SUCCESS;
    set_descriptor(g, asked, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
    set(g, asked, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
#if CUDNN_VERSION >= 90800
    if (!c->handle)
        set_descriptor(g, asked, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, c->gpu);
#endif
    finalize(g, asked);
    for (int i = 0; i < MOST_CHOICES; i++)
        CUDNN_CHECK(cudnnBackendCreateDescriptor(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, &choice[i]));
    int64_t count = get(g, asked, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                        MOST_CHOICES, choice);
    destroy(g, before);
    for (int i = 0; i < MOST_CHOICES; i++)
        if (!taken && i < count)
            taken = take(g, c, choice[i], tensor_cores);
        else
            CUDNN_CHECK(cudnnBackendDestroyDescriptor(choice[i]));
    return taken;
}

/* First as its heuristics recommend, then any that could do it. */
static bool plan_call(DnnGraph *g, const DnnCase *c, DnnCall call, bool tensor_cores)
{
    g->status = CUDNN_STATUS_SUCCESS;
    Descriptor graph = graph_of(g, c, call);
    bool done = g->status == CUDNN_STATUS_SUCCESS &&
                (choose(g, c, graph, CUDNN_HEUR_MODE_A, tensor_cores) ||
                 choose(g, c, graph, CUDNN_HEUR_MODE_FALLBACK, tensor_cores));
    if (!done)
        destroy(g, 0);
    return done;
}

DnnGraph *dnn_graph_new(const DnnCase *c, DnnCall call)
{
    DnnGraph *g = alloc(1, sizeof *g);
    if ((!c->exact && plan_call(g, c, call, true)) || plan_call(g, c, call, false))
        return g;
    free(g);
    return NULL;
}

void dnn_graph_free(DnnGraph *g)
{
    if (g)
        destroy(g, 0);
    free(g);
}

/* ---- in a step ---- */

static void pack(DnnGraph *g, const DnnData *at)
{
    static const int64_t ids[] = {'x', 'w', 'y'};
    void *const addresses[] = {at->x, at->w, at->y};
    if (g->pack)
        destroy(g, g->count - 1);
    g->status = CUDNN_STATUS_SUCCESS;
    g->pack = make(g, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    set(g, g->pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, 3, ids);
    set(g, g->pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3, addresses);
    set(g, g->pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &at->workspace);
    finalize(g, g->pack);
    g->at = *at;
}

cudnnStatus_t dnn_graph_run(DnnGraph *g, cudnnHandle_t handle, const DnnData *at)
{
    if (!g->pack || memcmp(&g->at, at, sizeof *at) != 0)
        pack(g, at);
    return g->status == CUDNN_STATUS_SUCCESS ? cudnnBackendExecute(handle, g->plan, g->pack)
                                             : g->status;
}
#endif
