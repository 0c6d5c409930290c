/* cuda_gemm.c: matrix products by cuBLAS, which is column-major: a row-major matrix is its
 * transpose there, so c = a b is computed as c^T = b^T a^T, with the operands swapped. */
#include "cuda_backend.h"

static cudaDataType_t type_of(DType t)
{
    ASSERT(t == F32 || t == BF16 || t == F16);
    return t == F32 ? CUDA_R_32F : t == BF16 ? CUDA_R_16BF : CUDA_R_16F;
}

static cublasOperation_t operation(Operand o) { return o.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

static cublasComputeType_t compute_type(const Stream *s, DType t)
{
    bool tf32 = t == F32 && s->be->precision == PRECISION_TF32;
    return tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

void cuda_gemm(Stream *s, void *c, DType c_type, int ldc, float beta, Operand a, Operand b,
               DType ab_type, int M, int N, int K)
{
    const float one = 1;
    cuda_queue(s);
    cudaDataType_t in = type_of(ab_type), out = type_of(c_type);
    CUBLAS_CHECK(cublasGemmEx(((CudaStream *)s)->blas, operation(b), operation(a), N, M, K, &one,
                              b.at, in, b.ld, a.at, in, a.ld, &beta, c, out, ldc,
                              compute_type(s, ab_type), CUBLAS_GEMM_DEFAULT));
}

void cuda_gemm_stack(Stream *s, float *c, Operand a, Operand b, int count, int M, int N, int K)
{
    const float one = 1, zero = 0;
    /* Directions of an update need few digits: tensor cores, unless FP32 was asked for. */
    bool exact = s->be->precision == PRECISION_FP32;
    cuda_queue(s);
    CUBLAS_CHECK(cublasGemmStridedBatchedEx(
        ((CudaStream *)s)->blas, operation(b), operation(a), N, M, K, &one, b.at, CUDA_R_32F, b.ld,
        (long long)K * N, a.at, CUDA_R_32F, a.ld, (long long)M * K, &zero, c, CUDA_R_32F, N,
        (long long)M * N, count, exact ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_32F_FAST_TF32,
        CUBLAS_GEMM_DEFAULT));
}
