/* 6b_bandwidth_for.c: exercise: how fast a network is enough? */
#include "check.h"
#include "lab2.h"

/* The least bandwidth, in bytes per second, at which P ranks reach the efficiency `wanted`
 * (0 < wanted < 1; 6a_efficiency.c) with this latency, if all of the gradient is exchanged after
 * the backward pass (as with work.buckets = 1, which you ignore). 0 if P = 1 exchanges nothing;
 * INFINITY if, with both algorithms below, latency alone takes all of the time allowed, or more.
 *
 * With wanted = 0.5 communication takes as long as computation: below this bandwidth it takes over.
 * With wanted = 1.0 / P the P ranks are as fast as one: below it they are slower.
 *
 * How long may the all-reduce take? link_seconds charges the faster of two algorithms (link.h):
 * recursive doubling, ⌈log2 P⌉ (α + nβ), and halving and doubling, 2 ⌈log2 P⌉ α + 2 (P-1)/P nβ,
 * with n bytes and β = 1 / bandwidth. Each needs a different bandwidth; it is enough if one of
 * them is in time. */
double bandwidth_for(int P, UpdateWork work, double latency, double wanted)
{
    TODO("solve seconds(bandwidth) = the time allowed, for both algorithms");
}
