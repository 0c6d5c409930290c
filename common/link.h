/* link.h: a network of your choice under a program's messages, and the clock that goes with it.
 *
 * On one machine messages take next to no time, and nothing that matters on a network can be seen.
 * With --link 1Gbit/s,50us each rank has a network card of its own: messages leave one after the
 * other at that bandwidth, and arrive that latency later, one after the other. This holds for every
 * MPI call of the program, your own and those behind comm.h, through MPI's profiling interface
 * (link/mpi_calls.c): the data move as fast as always, and the receiver gets them when the link
 * would have delivered them. Every link is full duplex, and no two ranks share one.
 *
 *   a message of n bytes   leaves when the card is free, and occupies it for n/bandwidth;
 *                          arrives when latency has passed and the receiver's card is free,
 *                          n/bandwidth long. MPI_Send ends when the last byte has left; but what
 *                          waits for a receiver in MPI (a long message, MPI_Ssend) really waits
 *                          for it: a deadlock stays one.
 *   a collective of MPI's  ends on all ranks at once: the last rank's start, plus the time that a
 *                          good algorithm takes (link_seconds). Those in flight on one
 *                          communicator follow each other; messages and other communicators do
 *                          not slow them. Making a communicator is a barrier.
 *   what it does not know  windows, files, persistent requests, neighbors, intercommunicators:
 *                          ends the run, with the function's name (link/mpi_refused.c).
 *
 * --clock real waits for it; the ranks must be on one machine. --clock virtual counts it: a rank's
 * clock is the processor time of the thread that calls MPI, outside MPI, and jumps to the moment at
 * which a message arrives. Nothing waits, next to nothing depends on how busy the machine is, and
 * 32 ranks on 2 cores take the time of 32 machines. It needs one thread per rank, on the CPU
 * (backend_open sees to that); what other threads do, such as the loader's, is free. timer_now()
 * and MPI_Wtime() follow the clock; timer_real() does not.
 *
 * On the virtual clock a receive or a probe from MPI_ANY_SOURCE (comm.h: COMM_ANY) ends the run:
 * which message arrives first on that clock is not known as long as an earlier one may come. A
 * program that knows when its messages are sent can name the source (lab2_ddp/asynchrony/server.c).
 * MPI_Waitany takes, of the messages that really came, the first on the clock. A test (MPI_Test,
 * comm_test) finds only what is due.
 *
 * The α-β model: Hockney, "The communication challenge for MPP", 1994; α is the latency, β the
 * seconds per byte.
 */
#ifndef LINK_H
#define LINK_H
#include "args.h"
#include <stdbool.h>

typedef struct Link {
    double bandwidth; /* bytes/s; INFINITY: no link, messages are as fast as MPI */
    double latency;   /* seconds */
} Link;

/* "1Gbit/s,50us", "100Mbit/s" (no latency), "12.5GB/s,2us", "none"; 1kbit/s to 100Tbit/s, up to
 * 10s. NULL: understood; else what is wrong, a new string, and *link is untouched. */
char *link_parse(Link *link, const char *text);
/* "1 Gbit/s, 50 µs", "none"; 40 bytes are enough. */
void link_text(char *text, size_t room, Link link);

/* The two options for a program's table, defaults NULL, "none" or "real", or a link; hand their
 * values to link_choose() before comm_open. It puts them into the environment, as LABS_LINK and
 * LABS_CLOCK, which MPI_Init reads: so these do the same for a program without options, such as one
 * in plain MPI. NULL leaves what the environment says; "none" and "real" override it. A bad value
 * ends the run (exit 2). */
#define LINK_OPTIONS(link, clock) \
    {"link", ARG_STRING, &(link), \
     .help = "simulated network between ranks: BANDWIDTH,LATENCY as in 1Gbit/s,50us, or none"}, \
    { \
        "clock", ARG_CHOICE, &(clock), \
            .choices = "real|virtual", \
            .help = "real: wait for the link; virtual: add up processor and link time" \
    }
void link_choose(const char *link, const char *clock);

/* A process without MPI reads LABS_LINK and LABS_CLOCK; comm_open calls it. */
void link_begin_alone(void);
/* The link from here on; every rank calls it, at the same point, with nothing in flight. Implies
 * link_align. */
void link_set(Link link);
Link link_now_used(void);
bool link_virtual(void); /* is the clock virtual? */

/* This rank's clock, in seconds. */
double link_now(void);
/* The virtual clock counts the processor time of one thread: the last that called MPI. A thread
 * that computes for long before it calls MPI, or never does (on one rank), makes the clock its own.
 */
void link_own(void);
/* From here on (on: true) this rank's processor time does not count on the virtual clock, but what
 * link_charge adds: then a run repeats to the bit, and a rank can be as slow as you like. A loop of
 * tests would never end: wait instead. On the real clock both do nothing. */
void link_charge_only(bool on);
void link_charge(double seconds);
/* Every rank's clock becomes that of the latest: a barrier that costs nothing on the link. */
void link_align(void);

/* What this rank has sent in messages (not in MPI's collectives) so far. */
typedef struct LinkSent {
    long messages;
    double bytes;
} LinkSent;
LinkSent link_sent(void);

/* Called before each of this rank's calls that send, receive or wait: `to` is the rank, in its
 * communicator, to which `bytes` bytes at `data` are sent; -1: nothing is. NULL: no longer. */
typedef void LinkObserver(void *context, int to, const void *data, double bytes);
void link_observe(LinkObserver *call, void *context);

/* Seconds that MPI's own collectives are charged on P ranks: with n the bytes of the whole vector,
 * the better of recursive doubling and of halving and doubling. */
typedef enum {
    LINK_BARRIER,        /* ⌈log2 P⌉ α */
    LINK_BROADCAST,      /* as LINK_ALL_REDUCE; also reduce and scan */
    LINK_ALL_REDUCE,     /* min(⌈log2 P⌉ (α + nβ), 2 ⌈log2 P⌉ α + 2 (P-1)/P nβ) */
    LINK_REDUCE_SCATTER, /* ⌈log2 P⌉ α + (P-1)/P nβ; also all-gather, gather and scatter */
    LINK_ALL_TO_ALL      /* (P-1) α + (P-1)/P nβ */
} LinkCollective;
double link_seconds(LinkCollective what, int P, double bytes, Link link);
#endif
