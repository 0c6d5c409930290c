/* check_tracer.h: numbers that say what is wrong with a sum.
 *
 * Rank r gives the element 10^r. The sum over four ranks is 1111; 1101 says that rank 1's part is
 * missing, 2111 that rank 3's comes twice, 100 that rank 2's overwrote the others. Six digits are
 * exact in a float: of more ranks, six at a time give such numbers, the others 0.
 */
#ifndef CHECK_TRACER_H
#define CHECK_TRACER_H

enum { TRACED = 6 };
typedef struct Tracers {
    int first, count; /* the ranks that give one */
} Tracers;
/* The i-th group of P ranks. */
Tracers tracers_of(int i, int P);
float tracer(Tracers t, int rank); /* 0: it gives none */
float tracer_sum(Tracers t);
/* What `value`, which is not the sum, says, on rank `rank`: "1101: rank 1's part is missing"; a new
 * string. */
char *tracer_words(Tracers t, float value, int rank);
#endif
