/* ceiling_gpu.c: see ceiling_gpu.h. Not by this project's own backend: what it does badly would
 * lower the roof that it is measured against. */
#include "ceiling_gpu.h"
#include <math.h>
#ifndef HAVE_CUDA
double ceiling_product(const char *precision) { return NAN; }
#else
#include "backend/cuda/cuda_check.h"
#include "rng.h"
#include <cublasLt.h>
#include <stdlib.h>
#include <string.h>

#define LT_CHECK(call) \
    do { \
        cublasStatus_t e_ = (call); \
        if (e_ != CUBLAS_STATUS_SUCCESS) \
            die(EXIT_WRONG, "%s:%d: %s: %s", __FILE__, __LINE__, #call, \
                cublasGetStatusString(e_)); \
    } while (0)

enum { CHOICES = 8, REPEATS = 10, DRAWN = 1 << 20 };
static const size_t WORKSPACE = (size_t)64 << 20;

typedef struct Product {
    cublasLtHandle_t lt;
    cublasLtMatmulDesc_t how;
    cublasLtMatrixLayout_t square; /* all three matrices */
    void *a, *b, *c, *workspace;
    cudaEvent_t from, to;
} Product;

static size_t size_of(cudaDataType_t type) { return type == CUDA_R_32F ? 4 : 2; }

/* Values in (-1, 1): on zeros a GPU draws less power and is faster. In BF16 as the upper halves of
 * floats; in F16 sign and mantissa are drawn, of 0.5 to 1. Every DRAWN bytes the same again. */
static void *matrix_new(size_t bytes, cudaDataType_t type)
{
    char *drawn = alloc(DRAWN, 1), *device;
    Rng rng = rng_at(1, RNG_TEST, 0, 0);
    size_t size = size_of(type);
    for (size_t at = 0; at < DRAWN; at += size) {
        float x = 2 * (float)rng_uniform(&rng) - 1;
        uint16_t half = (uint16_t)((rng_u32(&rng) & 0x83ff) | 0x3800);
        memcpy(drawn + at, type == CUDA_R_16F ? (char *)&half : (char *)&x + sizeof x - size, size);
    }
    CUDA_CHECK(cudaMalloc((void **)&device, bytes));
    for (size_t at = 0; at < bytes; at += DRAWN)
        CUDA_CHECK(cudaMemcpy(device + at, drawn, DRAWN, cudaMemcpyHostToDevice));
    free(drawn);
    return device;
}

static void product_open(Product *p, int side, cudaDataType_t type, bool tf32)
{
    cublasComputeType_t sums = tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    cublasOperation_t turned = CUBLAS_OP_T; /* both operands along the sum: the fastest layout */
    size_t bytes = (size_t)side * side * size_of(type);
    LT_CHECK(cublasLtCreate(&p->lt));
    LT_CHECK(cublasLtMatmulDescCreate(&p->how, sums, CUDA_R_32F));
    LT_CHECK(cublasLtMatmulDescSetAttribute(p->how, CUBLASLT_MATMUL_DESC_TRANSA, &turned,
                                            sizeof turned));
    LT_CHECK(cublasLtMatrixLayoutCreate(&p->square, type, side, side, side));
    p->a = matrix_new(bytes, type), p->b = matrix_new(bytes, type);
    CUDA_CHECK(cudaMalloc(&p->c, bytes));
    CUDA_CHECK(cudaMalloc(&p->workspace, WORKSPACE));
    CUDA_CHECK(cudaEventCreate(&p->from));
    CUDA_CHECK(cudaEventCreate(&p->to));
}

static void product_close(Product *p)
{
    CUDA_CHECK(cudaEventDestroy(p->from));
    CUDA_CHECK(cudaEventDestroy(p->to));
    void *memory[] = {p->a, p->b, p->c, p->workspace};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        CUDA_CHECK(cudaFree(memory[i]));
    LT_CHECK(cublasLtMatrixLayoutDestroy(p->square));
    LT_CHECK(cublasLtMatmulDescDestroy(p->how));
    LT_CHECK(cublasLtDestroy(p->lt));
}

/* Seconds of the fastest of several tries; INFINITY: it does not run. */
static double fastest(Product *p, const cublasLtMatmulAlgo_t *algorithm)
{
    const float one = 1, zero = 0;
    double best = INFINITY;
    for (int i = 0; i <= REPEATS; i++) { /* the first loads the kernel */
        float milliseconds;
        CUDA_CHECK(cudaEventRecord(p->from, 0));
        if (cublasLtMatmul(p->lt, p->how, &one, p->a, p->square, p->b, p->square, &zero, p->c,
                           p->square, p->c, p->square, algorithm, p->workspace, WORKSPACE,
                           0) != CUBLAS_STATUS_SUCCESS)
            return INFINITY;
        CUDA_CHECK(cudaEventRecord(p->to, 0));
        CUDA_CHECK(cudaEventSynchronize(p->to));
        CUDA_CHECK(cudaEventElapsedTime(&milliseconds, p->from, p->to));
        best = i > 0 ? fmin(best, milliseconds / 1e3) : best;
    }
    return best;
}

static double rate_of(int side, cudaDataType_t type, bool tf32)
{
    Product p = {0};
    cublasLtMatmulPreference_t wishes;
    cublasLtMatmulHeuristicResult_t choice[CHOICES];
    int found = 0;
    double best = INFINITY;
    product_open(&p, side, type, tf32);
    LT_CHECK(cublasLtMatmulPreferenceCreate(&wishes));
    LT_CHECK(cublasLtMatmulPreferenceSetAttribute(wishes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                  &WORKSPACE, sizeof WORKSPACE));
    LT_CHECK(cublasLtMatmulAlgoGetHeuristic(p.lt, p.how, p.square, p.square, p.square, p.square,
                                            wishes, CHOICES, choice, &found));
    for (int i = 0; i < found; i++)
        best = fmin(best, fastest(&p, &choice[i].algo));
    LT_CHECK(cublasLtMatmulPreferenceDestroy(wishes));
    product_close(&p);
    return 2.0 * side * side * side / best;
}

double ceiling_product(const char *precision)
{
    bool bf16 = !strcmp(precision, "bf16"), fp16 = !strcmp(precision, "fp16"),
         tf32 = !strcmp(precision, "tf32");
    cudaDataType_t type = bf16 ? CUDA_R_16BF : fp16 ? CUDA_R_16F : CUDA_R_32F;
    int generation;
    double best = 0;
    CUDA_CHECK(cudaSetDevice(0));
    CUDA_CHECK(cudaDeviceGetAttribute(&generation, cudaDevAttrComputeCapabilityMajor, 0));
    if (((bf16 || tf32) && generation < 8) || (fp16 && generation < 7))
        return NAN;
    for (int side = 4096; side <= 8192; side += 2048)
        best = fmax(best, rate_of(side, type, tf32));
    return best;
}
#endif
