/* ceiling.h: the peak rates of this machine's cores, measured: the two roofs of the roofline
 * (Williams et al., 2009). */
#ifndef CEILING_H
#define CEILING_H
double ceiling_flops(int threads); /* float32 multiply-adds on full vectors, registers only:
                                    * FLOP/s */
/* The same of bfloat16, by the matrix unit or by dots; where there is neither, ceiling_flops. */
double ceiling_bf16(int threads);
double ceiling_bytes(int threads); /* a[i] = b[i] + s c[i] over arrays far larger than the
                                    * caches: bytes/s (3 x 4 per i) */
#endif
