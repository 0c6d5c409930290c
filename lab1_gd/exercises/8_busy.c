/* 8_busy.c: exercise: for how long somebody was busy. */
#include "check.h"
#include "lab1.h"

/* For how long somebody was busy. start[i], end[i], i < n, are spans in seconds (start <= end), in
 * any order; they may overlap, nest or be empty. Returns how much of [from, to] (from <= to) they
 * cover together: what is covered twice counts once, what lies outside does not count. n = 0: 0.
 * Does not change the arrays. The check asks for 1e-12. */
double busy(const double *start, const double *end, int n, double from, double to)
{
    TODO("how much of [from, to] the spans cover together; what is covered twice counts once");
}
