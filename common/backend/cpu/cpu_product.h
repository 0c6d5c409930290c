/* cpu_product.h: the CPU's matrix product, private to cpu_*.c. */
#ifndef CPU_PRODUCT_H
#define CPU_PRODUCT_H
#include "cpu.h"
#include "cpu_amx.h"

/* Element (i, j) of a matrix is at[i * row + j * column]; one of the two steps is 1. */
typedef struct Matrix {
    const float *at;
    long row, column;
} Matrix;

/* A matrix whose rows are `apart` floats apart; and the transpose of a matrix. */
static inline Matrix rows_of(const float *at, long apart) { return (Matrix){at, apart, 1}; }
static inline Matrix transposed(Matrix m) { return (Matrix){m.at, m.column, m.row}; }

/* May the matrix unit be used? And are the factors of a product rounded, the narrower of which is
 * `narrow` wide? With --precision bf16, from 32 on, if the processor multiplies bfloat16. */
static inline bool cpu_by_amx(const Stream *s) { return AMX && ((CpuBackend *)s->be)->amx; }
static inline bool cpu_rounds(const Stream *s, int narrow)
{
    return (DOTS || cpu_by_amx(s)) && s->be->precision == PRECISION_BF16 && narrow >= 32;
}

/* Rows [i0, i1) of c [m,n] (+)= a [m,k] b [k,n]; c's rows are ldc apart. Sums are in float32, in an
 * order that depends on k alone; k > 0. rounded: a and b are rounded to bfloat16 (cpu_rounds). */
void cpu_product(const Stream *s, float *c, long ldc, Matrix a, Matrix b, int i0, int i1, int n,
                 int k, bool add, bool rounded);
#endif
