/* lazy_cudnn_graph.cpp: cuDNN's graphs of one convolution on the emulation's streams. It is strict:
 * what a descriptor says it must say of the right type and before it is finalized, and it must live
 * as long as what was made of it. Of the engines that it recommends only the last two may be used;
 * what is wrong with the others shows. A test may have it refuse (device.h: cuda_on_host_refuse).
 */
#include "lazy_cudnn.h"
#include <map>
#include <set>

enum Engine { RANDOM, TRANSFORMS, SHORTENED, COMPILED, TOO_LARGE, UNFINISHED, TENSOR_CORES, PLAIN };

struct HostDescriptor {
    cudnnBackendDescriptorType_t kind;
    bool finalized;
    std::map<int, std::vector<char>> values;
    Engine engine;         /* of an engine, a configuration, a plan */
    HostDescriptor *graph; /* the same */
};
static std::set<HostDescriptor *> alive;

static HostDescriptor *living(void *d)
{
    HostDescriptor *it = (HostDescriptor *)d;
    if (!alive.count(it))
        lazy_wrong("a descriptor of cuDNN is used that was destroyed");
    return it;
}

static size_t size_of(cudnnBackendAttributeType_t type)
{
    switch (type) {
    case CUDNN_TYPE_DATA_TYPE:
    case CUDNN_TYPE_CONVOLUTION_MODE:
    case CUDNN_TYPE_HEUR_MODE:
    case CUDNN_TYPE_NUMERICAL_NOTE: return sizeof(int);
    case CUDNN_TYPE_FLOAT: return sizeof(float);
    default: return 8;
    }
}

/* ---- what descriptors say ---- */
template <class T> static T value(HostDescriptor *d, cudnnBackendAttributeName_t name, int i = 0)
{
    std::vector<char> &all = living(d)->values[name];
    T one;
    if (all.size() < (i + 1) * sizeof one)
        lazy_wrong("a descriptor of cuDNN lacks a value");
    memcpy(&one, &all[i * sizeof one], sizeof one);
    return one;
}
static int64_t number(HostDescriptor *d, cudnnBackendAttributeName_t name, int i = 0)
{
    return value<int64_t>(d, name, i);
}
static HostDescriptor *part(HostDescriptor *d, cudnnBackendAttributeName_t name)
{
    HostDescriptor *of = living(value<void *>(d, name));
    if (!of->finalized)
        lazy_wrong("a descriptor of cuDNN is used that is not finalized");
    return of;
}

static bool is_image(HostDescriptor *t)
{
    double elements = 1;
    for (int i = 0; i < 4; i++)
        elements *= (double)number(t, CUDNN_ATTR_TENSOR_DIMENSIONS, i);
    int64_t c = number(t, CUDNN_ATTR_TENSOR_DIMENSIONS, 1),
            h = number(t, CUDNN_ATTR_TENSOR_DIMENSIONS, 2),
            w = number(t, CUDNN_ATTR_TENSOR_DIMENSIONS, 3);
    const int64_t strides[] = {h * w * c, 1, w * c, c};
    for (int i = 0; i < 4; i++)
        if (number(t, CUDNN_ATTR_TENSOR_STRIDES, i) != strides[i])
            return false;
    return elements >= 1 && elements <= INT32_MAX &&
           number(t, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT) == 16;
}

static const struct Names {
    cudnnBackendDescriptorType_t kind;
    cudnnBackendAttributeName_t conv, x, w, y, alpha, beta;
} names[] = {
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

/* A graph's one operation, with what it works on. */
struct Operation {
    Which which;
    Shape s;
    int64_t id[3]; /* of x, w, y */
    Scaling by;
};

static Operation operation_of(HostDescriptor *graph)
{
    HostDescriptor *o = part(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS);
    int which = 0;
    while (names[which].kind != o->kind)
        which++;
    const Names &n = names[which];
    HostDescriptor *conv = part(o, n.conv);
    HostDescriptor *all[] = {part(o, n.x), part(o, n.w), part(o, n.y)};
    int64_t size[3][4];
    cudnnDataType_t type[3];
    Operation made = {(Which)which, {}, {}, {value<float>(o, n.alpha), value<float>(o, n.beta)}};
    for (int t = 0; t < 3; t++) {
        for (int i = 0; i < 4; i++)
            size[t][i] = number(all[t], CUDNN_ATTR_TENSOR_DIMENSIONS, i);
        type[t] = value<cudnnDataType_t>(all[t], CUDNN_ATTR_TENSOR_DATA_TYPE);
        made.id[t] = number(all[t], CUDNN_ATTR_TENSOR_UNIQUE_ID);
    }
    auto int_of = [&](int t, int i) { return (int)size[t][i]; };
    auto side = [&](cudnnBackendAttributeName_t name, int i) { return (int)number(conv, name, i); };
    made.s = {{CUDNN_TENSOR_NHWC, type[0], int_of(0, 0), int_of(0, 1), int_of(0, 2), int_of(0, 3)},
              {CUDNN_TENSOR_NHWC, type[2], int_of(2, 0), int_of(2, 1), int_of(2, 2), int_of(2, 3)},
              {CUDNN_TENSOR_NHWC, type[1], int_of(1, 0), int_of(1, 1), int_of(1, 2), int_of(1, 3)},
              {side(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, 0),
               side(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, 1),
               side(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, 0),
               side(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, 1),
               value<cudnnDataType_t>(conv, CUDNN_ATTR_CONVOLUTION_COMP_TYPE), CUDNN_DEFAULT_MATH}};
    return made;
}

static cudnnStatus_t supports(HostDescriptor *graph)
{
    Shape s = operation_of(graph).s;
    if (!value<void *>(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE) || !lazy_fits(s))
        return CUDNN_STATUS_BAD_PARAM;
    if (s.x.type != s.y.type || s.w.type != s.x.type || s.c.compute != CUDNN_DATA_FLOAT)
        return CUDNN_STATUS_NOT_SUPPORTED;
    return lazy_refuses('s') && s.x.n % 2 ? CUDNN_STATUS_NOT_SUPPORTED_SHAPE : CUDNN_STATUS_SUCCESS;
}

/* l: every workspace is too large. */
static size_t workspace_of(HostDescriptor *plan)
{
    bool large = plan->engine == TOO_LARGE || lazy_refuses('l');
    return large ? (size_t)1 << 40 : 2000 + (size_t)operation_of(plan->graph).s.x.n * 32;
}

/* d: every engine gives other bits each time. */
static std::vector<int> notes_of(const HostDescriptor *d)
{
    std::vector<int> notes;
    if (d->engine == RANDOM || lazy_refuses('d'))
        notes.push_back(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC);
    if (d->engine == TRANSFORMS)
        notes.push_back(CUDNN_NUMERICAL_NOTE_WINOGRAD);
    if (d->engine == SHORTENED)
        notes.push_back(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
    if (d->engine != PLAIN && d->engine != SHORTENED && d->engine != TRANSFORMS)
        notes.push_back(CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
    return notes;
}

/* ---- finalized ---- */

/* g: no engines are known. p: plans cannot be made. */
static cudnnStatus_t finalize(HostDescriptor *d)
{
    switch (d->kind) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
        return is_image(d) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
    case CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
        for (int i = 0; i < 2; i++)
            if (number(d, CUDNN_ATTR_CONVOLUTION_DILATIONS, i) != 1 ||
                number(d, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, i) !=
                    number(d, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, i))
                return CUDNN_STATUS_BAD_PARAM;
        return number(d, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS) == 2 &&
                       value<int>(d, CUDNN_ATTR_CONVOLUTION_CONV_MODE) == CUDNN_CROSS_CORRELATION
                 ? CUDNN_STATUS_SUCCESS
                 : CUDNN_STATUS_BAD_PARAM;
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR: return supports(d);
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
        lazy_cudnn_calls[3]++;
        d->graph = part(d, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
        value<int>(d, CUDNN_ATTR_ENGINEHEUR_MODE);
        return lazy_refuses('g') ? CUDNN_STATUS_NOT_SUPPORTED : CUDNN_STATUS_SUCCESS;
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: {
        HostDescriptor *config = part(d, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
        d->engine = config->engine, d->graph = config->graph;
        value<void *>(d, CUDNN_ATTR_EXECUTION_PLAN_HANDLE);
        if (d->engine == COMPILED)
            lazy_wrong("cuDNN compiles an engine, for a second");
        if (!lazy_may_load())
            lazy_wrong("cuDNN makes a plan in a recording that forbids to load kernels");
        return d->engine == UNFINISHED || lazy_refuses('p') ? CUDNN_STATUS_NOT_SUPPORTED
                                                            : CUDNN_STATUS_SUCCESS;
    }
    default: return CUDNN_STATUS_SUCCESS;
    }
}

/* A: its heuristics recommend nothing, only the fallback does. */
static int64_t recommend(HostDescriptor *asked, int64_t most, void **configs)
{
    int mode = value<int>(asked, CUDNN_ATTR_ENGINEHEUR_MODE);
    int first = mode == CUDNN_HEUR_MODE_A ? RANDOM : TENSOR_CORES,
        end = mode == CUDNN_HEUR_MODE_A && lazy_refuses('A') ? first : PLAIN + 1;
    for (int i = first; i < end && i - first < most; i++) {
        HostDescriptor *c = living(configs[i - first]);
        if (c->kind != CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)
            lazy_wrong("cuDNN's recommendations want descriptors of configurations");
        c->engine = (Engine)i, c->graph = asked->graph, c->finalized = true;
    }
    return end - first;
}

extern "C" {
cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t kind, void **d)
{
    HostDescriptor *made = new HostDescriptor();
    made->kind = kind;
    alive.insert(made);
    lazy_cudnn_calls[5]++, lazy_cudnn_calls[6]++;
    return *d = made, CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(void *d)
{
    delete living(d);
    alive.erase((HostDescriptor *)d);
    lazy_cudnn_calls[6]--;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendFinalize(void *descriptor)
{
    HostDescriptor *d = living(descriptor);
    cudnnStatus_t status = d->finalized ? CUDNN_STATUS_BAD_PARAM : finalize(d);
    d->finalized = status == CUDNN_STATUS_SUCCESS;
    return status;
}

cudnnStatus_t cudnnBackendSetAttribute(void *descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count,
                                       const void *values)
{
    HostDescriptor *d = living(descriptor);
    const char *bytes = (const char *)values;
    if (d->finalized)
        return CUDNN_STATUS_NOT_INITIALIZED;
    d->values[name].assign(bytes, bytes + count * size_of(type));
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(void *descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t most,
                                       int64_t *count, void *values)
{
    HostDescriptor *d = living(descriptor);
    *count = 1;
    if (!d->finalized)
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (name == CUDNN_ATTR_ENGINEHEUR_RESULTS) {
        *count = recommend(d, most, (void **)values);
    } else if (name == CUDNN_ATTR_ENGINECFG_ENGINE) {
        HostDescriptor *engine = living(*(void **)values);
        engine->engine = d->engine, engine->graph = d->graph, engine->finalized = true;
    } else if (name == CUDNN_ATTR_ENGINE_GLOBAL_INDEX) {
        *(int64_t *)values = d->engine;
    } else if (name == CUDNN_ATTR_ENGINE_NUMERICAL_NOTE) {
        std::vector<int> notes = notes_of(d);
        *count = (int64_t)notes.size();
        for (int64_t i = 0; i < *count && i < most; i++)
            ((int *)values)[i] = notes[i];
    } else if (name == CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE) {
        *count = d->engine == COMPILED;
        *(int *)values = CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION;
    } else {
        *(int64_t *)values = (int64_t)workspace_of(d);
    }
    return CUDNN_STATUS_SUCCESS;
}

/* 1, 2, 3: forward, data, weights are refused when they are to run. */
cudnnStatus_t cudnnBackendExecute(cudnnHandle_t h, void *plan_, void *pack_)
{
    HostDescriptor *plan = living(plan_), *pack = living(pack_);
    if (!h->stream || !plan->finalized || !pack->finalized)
        return CUDNN_STATUS_BAD_PARAM;
    Operation o = operation_of(plan->graph);
    if (lazy_refuses("123"[o.which]))
        return CUDNN_STATUS_NOT_SUPPORTED;
    void *at[3] = {}, *memory = value<void *>(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < 3; i++)
            if (number(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, i) == o.id[t])
                at[t] = value<void *>(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, i);
    for (void *p : {at[0], at[1], at[2], memory})
        if (!p || (uintptr_t)p % 16)
            return CUDNN_STATUS_BAD_PARAM;
    lazy_cudnn_calls[o.which]++, lazy_cudnn_calls[4]++;
    if (plan->engine == RANDOM || lazy_refuses('d'))
        o.by.alpha *= 1 + (float)lazy_draw(1000) / 1e5f;
    if (plan->engine == TRANSFORMS || plan->engine == SHORTENED)
        o.by.alpha *= 1.02f;
    size_t used = workspace_of(plan);
    bool rounds = plan->engine == TENSOR_CORES && o.s.x.type == CUDNN_DATA_FLOAT;
    Operands of = {at[0], at[1], at[2]};
    lazy_queue(h->stream, [=] {
        memset(memory, 0xaa, used);
        lazy_convolve(o.s, o.which, of, o.by, rounds);
    });
    return CUDNN_STATUS_SUCCESS;
}
}
