/* cuda_conv_cudnn.c: convolution by cuDNN (8 and 9): which way each call goes, of each plan and
 * batch size. A graph with an engine chosen when it is planned, else cuDNN's legacy functions, else
 * im2col, which does everything.
 *
 * In BF16 and FP16 the gradient of the filters comes out in that type, too, after sums in float32;
 * it is then added to F32. A residual is added to a y that was rounded, and the sum rounded again.
 */
#include "cuda_conv_dnn.h"
#include "gpu_library.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A call that wants more is left to im2col: the memory is for the batch. */
static const size_t WORKSPACE = (size_t)1 << 30;

typedef enum { BY_IM2COL, BY_LEGACY, BY_GRAPH } Way;

/* What is known of a batch's size: a pass of training or evaluation has full batches and a short
 * last one, and planning costs. */
enum { BATCHES = 4 };
typedef struct Batch {
    int n;                      /* images; 0: unused */
    long used;                  /* when, for the choice of the one to plan again */
    Way way[DNN_CALLS];         /* of each call: planned, and not refused since */
    DnnGraph *graph[DNN_CALLS]; /* NULL: unavailable */
    DnnLegacy *legacy;          /* NULL: not needed so far */
} Batch;

typedef struct Cudnn {
    DnnCase as;                 /* but for n; the handle is the backend's */
    Batch batch[BATCHES], *now; /* the one of the current call */
    long calls;
} Cudnn;

static Cudnn *of(const ConvPlan *p) { return p->dnn; }
static bool is_padded(const ConvPlan *p) { return p->dnn_C > p->C; }
static cudnnDataType_t type_of(const ConvPlan *p)
{
    return p->type == F32  ? CUDNN_DATA_FLOAT
         : p->type == BF16 ? CUDNN_DATA_BFLOAT16
                           : CUDNN_DATA_HALF;
}

/* The way of a call that no graph does, and the bytes of its workspace. */
static Way without_graph(size_t *bytes, Batch *b, const DnnCase *c, DnnCall call)
{
    if (!b->legacy)
        b->legacy = dnn_legacy_new(c);
    if (b->legacy && dnn_legacy_bytes(bytes, b->legacy, c->handle, call) && *bytes <= c->limit)
        return BY_LEGACY;
    *bytes = 0;
    return BY_IM2COL;
}

static void forget(Batch *b)
{
    for (int i = 0; i < DNN_CALLS; i++)
        dnn_graph_free(b->graph[i]);
    dnn_legacy_free(b->legacy);
    *b = (Batch){0};
}

/* Plan each call for c->n images; returns the bytes of the largest workspace. */
static size_t plan_calls(Batch *b, const DnnCase *c)
{
    size_t most = 0;
    forget(b);
    b->n = c->n;
    for (int i = 0; i < DNN_CALLS; i++) {
        size_t bytes = 0;
        if (is_padded(c->plan) && (i == DNN_DATA || i == DNN_DATA_ADD))
            continue; /* of a copy: nobody could use it */
        b->graph[i] = dnn_graph_new(c, i);
        b->way[i] = b->graph[i] ? BY_GRAPH : without_graph(&bytes, b, c, i);
        bytes = b->graph[i] ? b->graph[i]->bytes : bytes;
        most = bytes > most ? bytes : most;
    }
    cudaGetLastError(); /* clear those of engines that could not be planned */
    return most;
}

static DnnCase case_of(const ConvPlan *p, int n)
{
    DnnCase c = of(p)->as;
    c.n = n;
    return c;
}

/* The plans for n images: there, or in place of those not used for longest. (So they may have to be
 * made in a recording, though the same batch came before it.) */
static Batch *batch_of(const ConvPlan *p, int n)
{
    Cudnn *d = of(p);
    Batch *b = &d->batch[0];
    for (int i = 0; i < BATCHES && b->n != n; i++)
        if (d->batch[i].n == n || d->batch[i].used < b->used)
            b = &d->batch[i]; /* a free one was used at 0 */
    if (b->n != n) {
        DnnCase c = case_of(p, n);
        enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed; /* for kernels that cuDNN
                                                                         * loads */
        CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
        plan_calls(b, &c);
        CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
    }
    b->used = ++d->calls;
    return b;
}

static bool any(const Batch *b)
{
    for (int i = 0; i < DNN_CALLS; i++)
        if (b->way[i] != BY_IM2COL)
            return true;
    return false;
}

/* Tell people which convolutions it does: forward, data, weights, of all that were planned; how
 * many of those by graphs; and how many calls it has refused since. */
static void tell(CudaBackend *cuda)
{
    char *text = cuda->base.description + cuda->about;
    const int *all = cuda->by_dnn, *graphs = cuda->by_graph;
    int room = sizeof cuda->base.description - cuda->about,
        length = snprintf(text, room,
                          ", convolutions by cuDNN: forward %d, data %d, weights %d of %d, "
                          "by graphs %d, %d, %d",
                          all[0], all[1], all[2], cuda->plans, graphs[0], graphs[1], graphs[2]);
    if (cuda->refused && length < room)
        length += snprintf(text + length, room - length, ", %d refused when called", cuda->refused);
    if (cuda->tiled && length < room)
        snprintf(text + length, room - length, ", %d by our own kernels", cuda->tiled);
}

static void count(CudaBackend *cuda, const Batch *b)
{
    static const DnnCall calls[] = {DNN_FORWARD, DNN_DATA_ADD, DNN_WEIGHT};
    for (int i = 0; i < 3; i++) {
        cuda->by_dnn[i] += b && b->way[calls[i]] != BY_IM2COL;
        cuda->by_graph[i] += b && b->way[calls[i]] == BY_GRAPH;
    }
    tell(cuda);
}

#define TEXT_OF(number) TEXT(number)
#define TEXT(number) #number

void cudnn_open(Backend *be)
{
    CudaBackend *cuda = (CudaBackend *)be;
    cudnnHandle_t handle;
    CUDA_CHECK(cudaSetDevice(cuda->device));
    const char *why = gpu_library_missing("libcudnn.so." TEXT_OF(CUDNN_MAJOR));
    if (!why) {
        cudnnStatus_t status = cudnnCreate(&handle);
        cuda->dnn = status == CUDNN_STATUS_SUCCESS ? handle : NULL;
        why = cuda->dnn ? NULL : cudnnGetErrorString(status);
        if (why)
            cudaGetLastError(); /* clear the error for later checks */
    }
    snprintf(cuda->no_dnn, sizeof cuda->no_dnn, "%s", why ? why : "");
}

void cudnn_close(Backend *be)
{
    CudaBackend *cuda = (CudaBackend *)be;
    if (cuda->dnn)
        CUDNN_CHECK(cudnnDestroy(cuda->dnn));
}

static void cudnn_free(ConvPlan *p)
{
    for (int i = 0; i < BATCHES; i++)
        forget(&of(p)->batch[i]);
    free(p->dnn);
}

void cudnn_plan(Backend *be, ConvPlan *p, Tensor y, Tensor x)
{
    CudaBackend *cuda = (CudaBackend *)be;
    bool padded = p->type != F32 && x.dtype == F32 && x.c < PADDED_C;
    if (!cuda->dnn)
        return;
    if (p->tiled) {
        cuda->tiled++;
        tell(cuda);
        return;
    }
    cuda->plans++;
    if (x.halo || y.halo || (x.dtype != y.dtype && !padded)) {
        count(cuda, NULL);
        return;
    }
    CUDA_CHECK(cudaSetDevice(cuda->device)); /* graphs are planned for the current one */
    p->dnn_C = padded ? PADDED_C : p->C;
    Cudnn *d = p->dnn = alloc(1, sizeof *d);
    d->as = (DnnCase){.plan = p,
                      .type = type_of(p),
                      .exact = p->type == F32 && be->precision != PRECISION_TF32,
                      .limit = WORKSPACE,
                      .handle = cuda->dnn};
    DnnCase largest = case_of(p, x.n);
    d->as.limit = p->dnn_bytes = plan_calls(&d->batch[0], &largest);
    d->batch[0].used = ++d->calls;
    count(cuda, &d->batch[0]);
    if (!any(&d->batch[0])) {
        cudnn_free(p);
        p->dnn = NULL;
        p->dnn_bytes = 0;
        p->dnn_C = p->C;
    }
}

void cudnn_plan_free(ConvPlan *p)
{
    if (p->dnn)
        cudnn_free(p);
}

/* Graphs are planned for addresses of this alignment. */
static bool is_aligned(Tensor t) { return t.at * dtype_size(t.dtype) % GRAPH_ALIGNED == 0; }

bool cudnn_fits(const ConvPlan *p, DnnCall call, Tensor y, Tensor x)
{
    Cudnn *d = of(p);
    if (!d || x.halo || y.halo || x.dtype != (is_padded(p) ? F32 : p->type) || y.dtype != p->type)
        return false;
    /* What was refused stays so for these n images: the same n gives the same bits. */
    d->now = batch_of(p, x.n);
    if (d->now->way[call] == BY_GRAPH)
        return is_aligned(y) && (is_padded(p) || is_aligned(x));
    return d->now->way[call] == BY_LEGACY;
}

/* x as cuDNN takes it: itself, or its copy in scratch memory. */
static void *input(Stream *s, ConvPlan *p, Tensor x)
{
    if (!is_padded(p))
        return cuda_at(x);
    void *padded = conv_scratch(s, p->padded_at);
    cuda_conv_pad(s, p, padded, x);
    return padded;
}

static bool not_supported(cudnnStatus_t status)
{
#ifdef CUDNN_STATUS_CATEGORY /* cuDNN 9 has several such codes */
    status = (cudnnStatus_t)CUDNN_STATUS_CATEGORY(status);
#endif
    return status == CUDNN_STATUS_NOT_SUPPORTED;
}

static cudnnStatus_t attempt(const ConvPlan *p, DnnCall call, const DnnData *at)
{
    Cudnn *d = of(p);
    if (d->now->way[call] == BY_GRAPH)
        return dnn_graph_run(d->now->graph[call], d->as.handle, at);
    return dnn_legacy_run(d->now->legacy, d->as.handle, call, at, p->dnn_bytes);
}

/* Queue the call; false, with nothing done, where that is left to im2col. A refusal concerns this
 * call alone: the others' way, and so their bits, stay. */
static bool run(Stream *s, ConvPlan *p, DnnCall call, DnnData at)
{
    CudaBackend *cuda = (CudaBackend *)s->be;
    Cudnn *d = of(p);
    Way *way = &d->now->way[call];
    cudnnStatus_t status;
    at.workspace = conv_scratch(s, p->dnn_at);
    CUDNN_CHECK(cudnnSetStream(d->as.handle, cuda_queue(s)));
    while (*way != BY_IM2COL && (status = attempt(p, call, &at)) != CUDNN_STATUS_SUCCESS) {
        DnnCase c = case_of(p, d->now->n);
        size_t bytes;
        if (!not_supported(status))
            die(EXIT_WRONG, "cuDNN, %s, %s: %s", *way == BY_GRAPH ? "a graph" : "a legacy function",
                (const char *const[]){"forward", "data", "data added", "weights"}[call],
                cudnnGetErrorString(status));
        *way = *way == BY_GRAPH ? without_graph(&bytes, d->now, &c, call) : BY_IM2COL;
        cuda->refused++;
        tell(cuda);
    }
    return *way != BY_IM2COL;
}

bool cudnn_forward(Stream *s, ConvPlan *p, Tensor y, Tensor x, Tensor w, Tensor residual)
{
    if (!run(s, p, DNN_FORWARD,
             (DnnData){input(s, p, x), cuda_conv_filters(s, p, w, p->dnn_C), cuda_at(y), NULL}))
        return false;
    if (given(residual))
        cuda_axpy(s, y, 1, residual);
    return true;
}

bool cudnn_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add)
{
    return run(s, p, add ? DNN_DATA_ADD : DNN_DATA,
               (DnnData){cuda_at(dx), cuda_conv_filters(s, p, w, p->dnn_C), cuda_at(dy), NULL});
}

bool cudnn_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy)
{
    void *dpacked = conv_scratch(s, p->dpacked_at);
    if (!run(s, p, DNN_WEIGHT, (DnnData){input(s, p, x), dpacked, cuda_at(dy), NULL}))
        return false;
    cuda_conv_unpack_add(s, p, dw, dpacked, p->type, p->dnn_C);
    return true;
}
