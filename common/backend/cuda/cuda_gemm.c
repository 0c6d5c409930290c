/* cuda_gemm.c: matrix products by cuBLAS, which is column-major: a row-major matrix is its
 * transpose there, so c = a b is computed as c^T = b^T a^T, with the operands swapped. */
#include "cuda_backend.h"

static cudaDataType_t type_of(DType t)
{
    ASSERT(t == F32 || t == BF16);
    return t == F32 ? CUDA_R_32F : CUDA_R_16BF;
}

static cublasOperation_t operation(Operand o) { return o.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

void cuda_gemm(Stream *s, void *c, DType c_type, int ldc, float beta, Operand a, Operand b,
               DType ab_type, int M, int N, int K)
{
    const float one = 1;
    bool tf32 = ab_type == F32 && s->be->precision == PRECISION_TF32;
    cublasComputeType_t how = tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    cuda_queue(s);
    cudaDataType_t in = type_of(ab_type), out = type_of(c_type);
    CUBLAS_CHECK(cublasGemmEx(((CudaStream *)s)->blas, operation(b), operation(a), N, M, K, &one,
                              b.at, in, b.ld, a.at, in, a.ld, &beta, c, out, ldc, how,
                              CUBLAS_GEMM_DEFAULT));
}
