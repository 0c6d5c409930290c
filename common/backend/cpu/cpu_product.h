/* cpu_product.h: a matrix product of factors that are rounded to bfloat16: private to cpu_*.c. */
#ifndef CPU_PRODUCT_H
#define CPU_PRODUCT_H
#include "cpu.h"
#include "cpu_amx.h"

/* Element (i, j) of a matrix is at[i * row + j * column]; one of the two steps is 1. */
typedef struct Matrix {
    const float *at;
    long row, column;
} Matrix;

/* Is the matrix unit used? And is a product of which neither factor is narrower than `narrow` made
 * by cpu_product? */
static inline bool cpu_by_amx(const Stream *s) { return AMX && ((CpuBackend *)s->be)->amx; }
static inline bool cpu_rounds(const Stream *s, int narrow)
{
    return (DOTS || cpu_by_amx(s)) && s->be->precision == PRECISION_BF16 && narrow >= 32;
}

/* Rows [i0, i1) of c [m,n] (+)= a [m,k] b [k,n]; c's rows are ldc apart. Sums are in float32, in an
 * order that depends on k alone. Only where the processor has DOTS or a matrix unit. */
void cpu_product(const Stream *s, float *c, long ldc, Matrix a, Matrix b, int i0, int i1, int n,
                 int k, bool add);
#endif
