/* 6a_efficiency.c: exercise: what share of an update do P ranks spend computing? */
#include "check.h"
#include "lab2.h"

/* The efficiency of P ranks, 0 … 1: what an update takes one rank alone, which exchanges nothing,
 * over what it takes each of P ranks, of which each has a batch as large as that rank's. So P ranks
 * train P * efficiency times the images per second.
 *
 * An update computes for work.forward seconds, then for work.backward seconds, and exchanges a
 * gradient of work.bytes bytes in work.buckets equal buckets. The backward pass completes one
 * bucket after the other, at equal intervals, the last at its end. An all-reduce of n bytes takes
 * the network link_seconds(LINK_ALL_REDUCE, P, n, link) (link.h). It makes one at a time, each as
 * soon as its bucket is complete and the one before is done; meanwhile the processor continues. The
 * update is over when both are done.
 *
 * Follow the buckets, or look for what is longest: either the network never waits from the first
 * bucket on, or it waits for the last. P = 1 exchanges nothing; work.buckets >= 1. */
double efficiency(int P, UpdateWork work, Link link)
{
    TODO("computing / (when the network and the processor are both done)");
}
