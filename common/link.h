/* link.h: a simulated network between ranks, and its clock.
 *
 * On one machine messages take almost no time. With --link 1Gbit/s,50us each rank has a simulated
 * network card: messages leave one after the other at that bandwidth, and arrive one after the
 * other, that latency later. This holds for every MPI call of the program, yours and those behind
 * comm.h, through MPI's profiling interface (link/mpi_calls.c): the data move at full speed, and
 * the receiver gets them when the link would have delivered them. Every link is full duplex, and no
 * two ranks share one.
 *
 *   a message of n bytes   leaves when the card is free, and occupies it for n/bandwidth;
 *                          arrives when latency has passed and the receiver's card is free,
 *                          n/bandwidth long. MPI_Send returns when the last byte has left; but a
 *                          call that waits for a receiver in MPI (a long message, MPI_Ssend)
 *                          waits for it here: a deadlock remains one.
 *   an MPI collective      returns on all ranks at once: the last rank's start, plus the time that
 *                          a good algorithm takes (link_seconds). Those in flight on one
 *                          communicator follow each other; messages and other communicators do
 *                          not slow them. Creating a communicator is a barrier.
 *   any other call         (windows, files, persistent requests, neighbors, intercommunicators)
 *                          ends the run, with the function's name (link/mpi_refused.c).
 *
 * --clock real waits for it; the ranks must be on one machine. --clock virtual counts it: a rank's
 * clock is the processor time of the thread that calls MPI, outside MPI, and jumps to the time at
 * which a message arrives. Nothing waits, the load of the machine hardly matters, and 32 ranks on 2
 * cores take the time of 32 machines. It needs one thread per rank, on the CPU (backend_open
 * ensures it); the work of other threads, such as the loader's, is free. timer_now()
 * and MPI_Wtime() follow the clock; timer_real() does not.
 *
 * On the virtual clock a receive or a probe from MPI_ANY_SOURCE (comm.h: COMM_ANY) ends the run:
 * an earlier message may still arrive on that clock. A program that knows when its messages are
 * sent can name the source (lab2_ddp/parts/9_asynchrony/server.c). MPI_Waitany takes, of the
 * messages that MPI has received, the first on the clock. A test (MPI_Test, comm_test) finds only
 * what is due.
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
 * 10s. Returns NULL, or an error message (free() it), with *link unchanged. */
char *link_parse(Link *link, const char *text);
/* The same of an option's value; a bad one ends the run (exit 2): "FROM" "TEXT: what is wrong". */
Link link_read(const char *from, const char *text);
/* "1 Gbit/s, 50 µs", "none"; 40 bytes are enough. */
void link_text(char *text, size_t room, Link link);

/* The two options for a program's table, defaults NULL, "none" or "real", or a link; pass their
 * values to link_choose() before comm_open. It sets LABS_LINK and LABS_CLOCK, which MPI_Init reads;
 * for a program without options, such as one in plain MPI, set them yourself. NULL keeps the
 * environment's value; "none" and "real" override it. A bad value
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

/* Reads LABS_LINK and LABS_CLOCK in a process without MPI; comm_open calls it. */
void link_begin_alone(void);
/* Changes the link; every rank calls it, at the same point, with nothing in flight. Implies
 * link_align. */
void link_set(Link link);
Link link_now_used(void);
bool link_virtual(void); /* is the clock virtual? */

/* This rank's clock, in seconds. */
double link_now(void);
/* The virtual clock counts the processor time of one thread: the last that called MPI. A thread
 * that computes for long before it calls MPI, or never does (on one rank), calls link_own first. */
void link_own(void);
/* on: the virtual clock advances by link_charge, not by this rank's processor time: a run then
 * repeats bit for bit, and a rank can be as slow as you like. A loop of tests would never end: wait
 * instead. On the real clock both do nothing. */
void link_charge_only(bool on);
void link_charge(double seconds);
/* Sets every rank's clock to the latest one: a barrier that is free on the link. */
void link_align(void);

/* Sent by this rank so far in messages (not in MPI's collectives). */
typedef struct LinkSent {
    long messages;
    double bytes;
} LinkSent;
LinkSent link_sent(void);

/* Called before each of this rank's calls that send, receive or wait: `to` is the rank, in its
 * communicator, to which `bytes` bytes at `data` are sent; -1: nothing is. NULL: no longer. */
typedef void LinkObserver(void *context, int to, const void *data, double bytes);
void link_observe(LinkObserver *call, void *context);
/* How many of the requests that this rank started since link_observe() (MPI_Isend, MPI_Irecv, …)
 * it has neither completed nor freed; *function: what started them, NULL: it started none. */
int link_active(const char **function);
/* The call that this rank is in, or was in last: "MPI_Send of 8 float to rank 4, tag 0
 * (ring.c:31)"; a new string. NULL: unknown. */
char *link_call_text(void);

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
