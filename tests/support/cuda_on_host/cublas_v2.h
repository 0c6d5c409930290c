/* cublas_v2.h: as much of cuBLAS as the CUDA backend calls, on the CPU (cuda_runtime.h beside
 * it). */
#ifndef CUBLAS_ON_HOST_H
#define CUBLAS_ON_HOST_H
#include "cuda_runtime.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef enum { CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_INVALID_VALUE = 7 } cublasStatus_t;
typedef enum { CUBLAS_OP_N, CUBLAS_OP_T } cublasOperation_t;
typedef enum { CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_32F_FAST_TF32 = 77 } cublasComputeType_t;
typedef enum { CUDA_R_32F = 0, CUDA_R_16F = 2, CUDA_R_16BF = 14 } cudaDataType_t;
enum { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16 };
typedef struct HostBlas *cublasHandle_t;

const char *cublasGetStatusString(cublasStatus_t s);
const char *cublasGetStatusName(cublasStatus_t s);
cublasStatus_t cublasCreate(cublasHandle_t *h);
cublasStatus_t cublasDestroy(cublasHandle_t h);
cublasStatus_t cublasSetMathMode(cublasHandle_t h, int mode);
cublasStatus_t cublasSetStream(cublasHandle_t h, cudaStream_t s);
cublasStatus_t cublasSetWorkspace(cublasHandle_t h, void *memory, size_t bytes);
/* c [m,n] = alpha op(a) [m,k] op(b) [k,n] + beta c, all by columns. */
cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m,
                            int n, int k, const void *alpha, const void *a, cudaDataType_t a_type,
                            int lda, const void *b, cudaDataType_t b_type, int ldb,
                            const void *beta, void *c, cudaDataType_t c_type, int ldc,
                            cublasComputeType_t how, int algorithm);
/* `count` such products, with strides in elements. */
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t op_a,
                                          cublasOperation_t op_b, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType_t a_type,
                                          int lda, long long a_apart, const void *b,
                                          cudaDataType_t b_type, int ldb, long long b_apart,
                                          const void *beta, void *c, cudaDataType_t c_type, int ldc,
                                          long long c_apart, int count, cublasComputeType_t how,
                                          int algorithm);
#ifdef __cplusplus
}
#endif
#endif
