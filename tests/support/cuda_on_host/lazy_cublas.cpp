/* lazy_cublas.cpp: cuBLAS's products, one or a batch of them, on the emulation's streams. */
#include "cublas_v2.h"
#include "lazy_streams.h"
#include <cblas.h>
#include <cuda_fp16.h>
#include <stdint.h>
#include <vector>

struct HostBlas {
    cudaStream_t stream;
    void *workspace;
};

/* How often a product, or a batch of them, was queued. */
static long calls;
extern "C" long cuda_on_host_cublas_calls(void) { return calls; }

extern "C" {
const char *cublasGetStatusString(cublasStatus_t s)
{
    return s ? "an unsupported value or parameter" : "success";
}
const char *cublasGetStatusName(cublasStatus_t s)
{
    return s ? "CUBLAS_STATUS_INVALID_VALUE" : "CUBLAS_STATUS_SUCCESS";
}
/* Products this small are slower with threads, which wait for work by spinning. */
void openblas_set_num_threads(int threads) __attribute__((weak));
cublasStatus_t cublasCreate(cublasHandle_t *h)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
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

/* A matrix as float32: itself, or the copy. */
static const float *as_float(const void *m, cudaDataType_t type, size_t count,
                             std::vector<float> &copy)
{
    if (type == CUDA_R_32F)
        return (const float *)m;
    copy.resize(count);
    for (size_t i = 0; i < count; i++)
        copy[i] = host_widen(((const uint16_t *)m)[i], type == CUDA_R_16F);
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

/* One product, when its turn comes; a and b of type `in`, c of type `out`. */
struct Product {
    cublasOperation_t op_a, op_b;
    int m, n, k, lda, ldb, ldc;
    cudaDataType_t in, out;
    float times, before;
    void operator()(const void *a, const void *b, void *c) const
    {
        std::vector<float> wide_a, wide_b, wide_c;
        const float *x = as_float(a, in, extent(op_a, m, k, lda), wide_a),
                    *y = as_float(b, in, extent(op_b, k, n, ldb), wide_b);
        float *sum = (float *)c;
        if (out != CUDA_R_32F) {
            wide_c.resize((size_t)ldc * n);
            sum = wide_c.data();
        }
        if (before == 0) /* then c is not read: NaN may lie there */
            for (int j = 0; j < n; j++)
                memset(sum + (size_t)j * ldc, 0, sizeof *sum * (size_t)m);
        cblas_sgemm(CblasColMajor, cblas_of(op_a), cblas_of(op_b), m, n, k, times, x, lda, y, ldb,
                    before, sum, ldc);
        for (size_t i = 0; out != CUDA_R_32F && i < (size_t)ldc * n; i++)
            ((uint16_t *)c)[i] = host_narrow(sum[i], out == CUDA_R_16F);
    }
};

extern "C" {
cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m,
                            int n, int k, const void *alpha, const void *a, cudaDataType_t a_type,
                            int lda, const void *b, cudaDataType_t b_type, int ldb,
                            const void *beta, void *c, cudaDataType_t c_type, int ldc,
                            cublasComputeType_t how, int algorithm)
{
    if (a_type != b_type || (c_type != CUDA_R_32F && c_type != a_type) || ldc < m)
        return CUBLAS_STATUS_INVALID_VALUE; /* combinations that cuBLAS does not have */
    float times = *(const float *)alpha, before = *(const float *)beta;
    Product product = {op_a, op_b, m, n, k, lda, ldb, ldc, a_type, c_type, times, before};
    if (c_type != CUDA_R_32F && before != 0)
        return CUBLAS_STATUS_INVALID_VALUE; /* cuBLAS can, here it is not needed */
    if (!h->workspace)                      /* the default one depends on which streams are busy */
        return CUBLAS_STATUS_INVALID_VALUE;
    void *workspace = h->workspace;
    calls++;
    lazy_queue(h->stream, [=] {
        memset(workspace, 0xaa, 4096);
        product(a, b, c);
    });
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t op_a,
                                          cublasOperation_t op_b, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType_t a_type,
                                          int lda, long long a_apart, const void *b,
                                          cudaDataType_t b_type, int ldb, long long b_apart,
                                          const void *beta, void *c, cudaDataType_t c_type, int ldc,
                                          long long c_apart, int count, cublasComputeType_t how,
                                          int algorithm)
{
    if (a_type != CUDA_R_32F || b_type != CUDA_R_32F || c_type != CUDA_R_32F || ldc < m ||
        count < 1 || !h->workspace)
        return CUBLAS_STATUS_INVALID_VALUE; /* the backend's stacks are F32 */
    float times = *(const float *)alpha, before = *(const float *)beta;
    Product product = {op_a, op_b, m, n, k, lda, ldb, ldc, a_type, c_type, times, before};
    void *workspace = h->workspace;
    calls++;
    lazy_queue(h->stream, [=] {
        memset(workspace, 0xaa, 4096);
        for (int i = 0; i < count; i++)
            product((const float *)a + i * a_apart, (const float *)b + i * b_apart,
                    (float *)c + i * c_apart);
    });
    return CUBLAS_STATUS_SUCCESS;
}
}
