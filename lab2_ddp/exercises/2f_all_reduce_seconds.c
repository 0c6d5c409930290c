/* 2f_all_reduce_seconds.c: exercise: how long does an all-reduce take? The prediction, from the
 * network's two numbers.
 */
#include "check.h"
#include "lab2.h"

/* The time, in seconds, that all-reducing a vector of `bytes` bytes over P >= 1 ranks takes with
 * algorithm a, as written in 2a to 2e. Adding up the numbers counts as free.
 *
 * The network, as in link.h: a message of n bytes arrives alpha + n * beta seconds after it left.
 * Every rank has one network card, which sends one message at a time and receives one at a time,
 * but sends and receives at once. It is busy for n * beta seconds with each; the latency alpha is
 * the time on the way, and another message may leave meanwhile. All ranks start at once.
 *
 * Look for the longest chain: who waits for whom, and for how many bytes through one card? With
 * P = 1 nothing is sent. Where P is not a power of two, doubling and halving take the two messages
 * of the extra ranks more than with Q ranks, one before and one after; and the tree takes ⌈log2 P⌉
 * steps each way, in each of which a message travels. (These two are a little too much: some ranks
 * need not wait for the slowest.) Chunks are bytes / P, also where that is not whole.
 *
 * Hockney, "The communication challenge for MPP", 1994; Thakur, Rabenseifner & Gropp, 2005. */
double all_reduce_seconds(Algorithm a, int P, double bytes, double alpha, double beta)
{
    TODO("all_reduce_seconds: for each algorithm, latencies * alpha + bytes on the way * beta");
}
