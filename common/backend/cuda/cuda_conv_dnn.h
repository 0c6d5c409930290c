/* cuda_conv_dnn.h: shared by the files that call cuDNN for a convolution, and by
 * tests/tools/cudnn_engines.c. cuDNN has two ways, of which cuda_conv_cudnn.c picks one for each
 * call: its graphs (cuda_conv_graph_cudnn.c), and the functions that are older than those, NVIDIA's
 * "legacy" ones (cuda_conv_legacy_cudnn.c).
 */
#ifndef CUDA_CONV_DNN_H
#define CUDA_CONV_DNN_H
#include "cuda_conv_cudnn.h"
#include <cudnn.h>

#define CUDNN_CHECK(call) \
    do { \
        cudnnStatus_t e_ = (call); \
        if (e_ != CUDNN_STATUS_SUCCESS) \
            die(EXIT_WRONG, "%s:%d: %s: %s", __FILE__, __LINE__, #call, cudnnGetErrorString(e_)); \
    } while (0)

/* A plan's convolution of n images, as cuDNN is asked for it. */
typedef struct DnnCase {
    const ConvPlan *plan;
    int n;
    cudnnDataType_t type; /* of x, w and y */
    bool exact;           /* products of float32 as they are: no tensor cores */
    size_t limit;         /* of the workspace, in bytes */
    cudnnHandle_t handle; /* on its GPU; NULL: */
    void *gpu;            /* a finalized CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR: on one that has these
                           * properties, and need not be here (cuDNN 9.8) */
} DnnCase;

/* On the GPU: what a call reads, and what it writes. */
typedef struct DnnData {
    void *x, *w, *y, *workspace;
} DnnData;

/* ---- cuda_conv_graph_cudnn.c ---- */
enum { GRAPH_DESCRIPTORS = 10, GRAPH_ALIGNED = 16 };

/* One call, for n images, with the engine that does it. */
typedef struct DnnGraph {
    size_t bytes;      /* of its workspace */
    int64_t engine;    /* its number, for people */
    unsigned notes;    /* on its numbers: bit i is cudnnBackendNumericalNote_t i */
    void *plan, *pack; /* cuDNN's descriptors: what to do; with which data, NULL: none yet */
    DnnData at;        /* the pack's */
    int count;
    void *made[GRAPH_DESCRIPTORS]; /* all its descriptors */
    cudnnStatus_t status;          /* the first failure since it was last set to success */
} DnnGraph;

/* The first engine of those that cuDNN recommends, best first, that gives the same bits each time,
 * sums in float32, keeps to the workspace's limit, and for which cuDNN can make a plan; where
 * c->exact is false, one with tensor cores before one without. Nothing is timed, so the choice
 * repeats. NULL: unavailable. */
DnnGraph *dnn_graph_new(const DnnCase *c, DnnCall call);
void dnn_graph_free(DnnGraph *g); /* NULL is fine */
/* Data at multiples of GRAPH_ALIGNED bytes. */
cudnnStatus_t dnn_graph_run(DnnGraph *g, cudnnHandle_t handle, const DnnData *at);

/* ---- cuda_conv_legacy_cudnn.c: every call of one plan for n images ---- */
typedef struct DnnLegacy DnnLegacy;
/* NULL: more elements than an int counts. */
DnnLegacy *dnn_legacy_new(const DnnCase *c);
void dnn_legacy_free(DnnLegacy *l); /* NULL is fine */
/* Does it support the call? Its workspace. */
bool dnn_legacy_bytes(size_t *bytes, const DnnLegacy *l, cudnnHandle_t handle, DnnCall call);
cudnnStatus_t dnn_legacy_run(const DnnLegacy *l, cudnnHandle_t handle, DnnCall call,
                             const DnnData *at, size_t bytes);
#endif
