/* 8_busy.c: exercise: how long was a thread busy? */
#include "check.h"
#include "lab1.h"

/* How long was a thread busy? It worked in the spans [start[i], end[i]], i < n, in seconds, with
 * start <= end. They come in any order, and may overlap, be nested or be empty. Return how many
 * seconds of [from, to], from <= to, they cover together: what is covered twice counts once, and
 * what lies outside does not count. n = 0 gives 0. Do not change the arrays; you may copy them into
 * your own memory (alloc in check.h; free it). n is at most a few hundred, so a loop within a
 * loop over the spans is fast enough. The check asks for 1e-12 seconds, absolute. */
double busy(const double *start, const double *end, int n, double from, double to)
{
    TODO("how much of [from, to] the spans cover together; what is covered twice counts once");
}
