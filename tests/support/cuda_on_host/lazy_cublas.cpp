/* lazy_cublas.cpp: cuBLAS's one product, on the double's streams. */
#include "cublas_v2.h"
#include "lazy_streams.h"
#include <cblas.h>
#include <stdint.h>
#include <vector>

struct HostBlas {
    cudaStream_t stream;
    void *workspace;
};

extern "C" {
const char *cublasGetStatusString(cublasStatus_t s)
{
    return s ? "an unsupported value or parameter" : "success";
}
const char *cublasGetStatusName(cublasStatus_t s)
{
    return s ? "CUBLAS_STATUS_INVALID_VALUE" : "CUBLAS_STATUS_SUCCESS";
}
cublasStatus_t cublasCreate(cublasHandle_t *h)
{
    return *h = new HostBlas(), CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t h)
{
    LazyLock lock(lazy_lock);
    cudaError_t waited = lazy_all();
    delete h;
    return waited ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t h, int mode) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetStream(cublasHandle_t h, cudaStream_t s)
{
    h->stream = s;
    h->workspace = NULL; /* the default one again */
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace(cublasHandle_t h, void *memory, size_t bytes)
{
    h->workspace = memory;
    return memory && bytes ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
}

static float from_bf16(uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float x;
    return memcpy(&x, &bits, sizeof x), x;
}

/* A matrix as float32: itself, or the copy. */
static const float *as_float(const void *m, cudaDataType_t type, size_t count,
                             std::vector<float> &copy)
{
    if (type == CUDA_R_32F)
        return (const float *)m;
    copy.resize(count);
    for (size_t i = 0; i < count; i++)
        copy[i] = from_bf16(((const uint16_t *)m)[i]);
    return copy.data();
}

/* The elements spanned by op(matrix) [rows, columns], stored by columns of ld. */
static size_t extent(cublasOperation_t op, int rows, int columns, int ld)
{
    int stored_rows = op == CUBLAS_OP_N ? rows : columns,
        stored_columns = op == CUBLAS_OP_N ? columns : rows;
    if (ld < stored_rows)
        lazy_wrong("a product's leading dimension is too small");
    return (size_t)ld * (stored_columns - 1) + stored_rows;
}

static CBLAS_TRANSPOSE cblas_of(cublasOperation_t op)
{
    return op == CUBLAS_OP_T ? CblasTrans : CblasNoTrans;
}

extern "C" cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t op_a,
                                       cublasOperation_t op_b, int m, int n, int k,
                                       const void *alpha, const void *a, cudaDataType_t a_type,
                                       int lda, const void *b, cudaDataType_t b_type, int ldb,
                                       const void *beta, void *c, cudaDataType_t c_type, int ldc,
                                       cublasComputeType_t how, int algorithm)
{
    if (a_type != b_type || (a_type == CUDA_R_32F && c_type != CUDA_R_32F) || ldc < m)
        return CUBLAS_STATUS_INVALID_VALUE; /* combinations that cuBLAS does not have */
    float times = *(const float *)alpha, before = *(const float *)beta;
    if (c_type == CUDA_R_16BF && before != 0)
        return CUBLAS_STATUS_INVALID_VALUE; /* cuBLAS can, here it is not needed */
    if (!h->workspace)                      /* the default one depends on which streams are busy */
        return CUBLAS_STATUS_INVALID_VALUE;
    void *workspace = h->workspace;
    lazy_queue(h->stream, [=] {
        memset(workspace, 0xaa, 4096);
        std::vector<float> wide_a, wide_b, wide_c;
        const float *x = as_float(a, a_type, extent(op_a, m, k, lda), wide_a),
                    *y = as_float(b, b_type, extent(op_b, k, n, ldb), wide_b);
        float *sum = (float *)c;
        if (c_type != CUDA_R_32F) {
            wide_c.resize((size_t)ldc * n);
            sum = wide_c.data();
        }
        if (before == 0) /* then c is not read: NaN may lie there */
            for (int j = 0; j < n; j++)
                memset(sum + (size_t)j * ldc, 0, sizeof *sum * (size_t)m);
        cblas_sgemm(CblasColMajor, cblas_of(op_a), cblas_of(op_b), m, n, k, times, x, lda, y, ldb,
                    before, sum, ldc);
        for (size_t i = 0; c_type == CUDA_R_16BF && i < (size_t)ldc * n; i++) {
            uint32_t bits;
            memcpy(&bits, &sum[i], sizeof bits);
            ((uint16_t *)c)[i] = (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
        }
    });
    return CUBLAS_STATUS_SUCCESS;
}
