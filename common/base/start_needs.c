/* start_needs.c: the CPU features that the other files are compiled for, as data only. */
#include "start.h"

const char *const start_needs[] = {
#ifdef __AVX512VNNI__
    "avx512vnni",
#endif
#ifdef __AVX512VBMI__
    "avx512vbmi",
#endif
#ifdef __AVX512F__
    "avx512f",
#endif
#ifdef __FMA__
    "fma",
#endif
#ifdef __AVX2__
    "avx2",
#endif
#ifdef __AVX__
    "avx",
#endif
#ifdef __SSE4_2__
    "sse4.2",
#endif
    0};
