/* 8a_step_seconds.c: exercise: how long is an update on P devices? */
#include "check.h"
#include "lab3.h"

/* How long does an update take, in seconds? Every device computes c->compute seconds; then the
 * gradient, c->bytes, is all-reduced by rings. A ring of P devices takes
 *
 *     ring(P, bytes, alpha, beta) = 2 (P - 1) (alpha + bytes / P * beta)         0 if P = 1
 *
 * Flat (not c->hierarchical): one ring over all devices. It is as slow as its slowest link: between
 * machines, alpha and beta, if there is more than one machine (devices > per_node), else inside,
 * alpha_in and beta_in.
 *
 * Hierarchical: in each machine of G = min(devices, per_node) devices a ring inside, but half of it
 * before (a reduce-scatter) and half after (an all-gather), so that it costs one whole
 * ring(G, bytes, alpha_in, beta_in). Between, every device has bytes / G to all-reduce with its
 * partners in the other machines: M = ⌈devices / G⌉ machines, all G devices of one over one network
 * card: so the card carries the whole vector, ring(M, bytes, alpha, beta).
 *
 * Of the exchange, what fits into c->overlap * c->compute seconds is hidden behind the backward
 * pass; the rest is waited for. */
double step_seconds(const Cluster *c)
{
    TODO("the ring or the rings; what overlap does not hide is added to the computing time");
}
