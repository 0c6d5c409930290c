/* wire.h: what a rank sends and receives in an update: the packets, and an exact account of them.
 */
#ifndef WIRE_H
#define WIRE_H
#include "lab2.h"

enum { WIRE_CALLS = 12 };

/* One communication: how long it takes on a link follows from these. */
typedef struct WireCall {
    enum { WIRE_SUM, WIRE_GATHER, WIRE_SWAP } kind;
    double bytes; /* WIRE_SUM: of the vector; WIRE_GATHER: of all packets; WIRE_SWAP: of the longer
                   * of the two messages */
} WireCall;

typedef struct Wire {
    Comm *comm;
    Backend *be;
    Stream *s;
    size_t room;            /* bytes of a packet, at most */
    Tensor packet, packets; /* U8 [room], [ranks * room] */
    uint8_t *mine, *all;    /* the same, where the host reads and writes them */
    /* This update: */
    WireCall call[WIRE_CALLS];
    int calls;
    double sent;    /* bytes that this rank handed to the network */
    double seconds; /* in these calls, on this rank's clock */
} Wire;

Wire wire_new(Comm *comm, Backend *be, Stream *s, size_t room);
void wire_free(Wire *w);
void wire_begin(Wire *w); /* an update: the account is empty */

/* Every rank's packet, `bytes` of mine: rank r's at all + r * bytes. The same size on all. */
void wire_gather(Wire *w, size_t bytes);
/* The sum over the ranks of an F32 vector, in place. */
void wire_sum(Wire *w, Tensor vector);
/* The mean over the ranks of v [count], in place: a Mean (remedy.h), context a Wire. */
void wire_mean(void *wire, float *v, int count);
/* `bytes` of mine to a partner, its message to all; *tag is the sent one's, then the received
 * one's. Returns the received bytes. */
size_t wire_swap(Wire *w, int partner, size_t bytes, int *tag);

/* What the calls take on P ranks. */
double wire_seconds(const WireCall *call, int calls, int P, Link link);
#endif
