/* link_inside.h: what the files of the link share: link.c (the text, the model, the choice),
 * link_clock.c, link_card.c, link_calls.c (collectives), link_messages.c, link_requests.c and
 * link_any.c.
 */
#ifndef LINK_INSIDE_H
#define LINK_INSIDE_H
#include "link.h"
#include "link_calls.h"

/* ---- link.c ---- */

/* What LABS_LINK and LABS_CLOCK say; a bad value ends the run (exit 2). */
Link link_chosen(bool *virtual);

/* ---- link_calls.c ---- */

/* Is anything to be done: a link, or a virtual clock? */
bool link_on(void);

/* ---- link_clock.c: this rank's clock ---- */

/* Counts: from here on timer_now() is the virtual clock, which begins with the real one's time. */
void clock_begin(bool counts);
/* A call of MPI begins: the virtual clock stands. Returns the time. The clock is then that of the
 * thread that calls: it follows the last that did. */
double clock_enter(void);
/* It ends, not before `due`: the real clock waits, the virtual one jumps. */
void clock_leave(double due);
/* It ends, and the processor time it took counts. */
void clock_resume(void);

/* ---- link_card.c: this rank's network card ---- */

void card_reset(Link link);
Link card_link(void);
/* The moment from which on it is free to send. */
double card_free(void);
/* A message is sent at `now`; returns when its first byte leaves. */
double card_send(double now, double bytes);
/* A message whose first byte left at `left`; returns when its last byte is here. */
double card_receive(double left, double bytes);

/* When it would return for this message; nothing changes. */
double card_would_receive(double left, double bytes);

/* ---- link_any.c: who receives what, and who waits for whom, known to all ranks of a machine.
 * Without a virtual clock, or on several machines, all this does nothing. ---- */

void letters_begin(void);
void letters_end(void);
/* This rank sends a message, and has received one; ranks are those in comm. */
void letter_send(MPI_Comm comm, int to, int tag, double stamp, double bytes);
void letter_take(MPI_Comm comm, int source, int tag);

/* This rank waits in a call, from here on until post_goes_on: for a message `from` a rank (of comm;
 * -1: any), for requests, for the others in a collective, or to be rid of a message. */
typedef enum { WAITS_FOR_MESSAGE, WAITS_FOR_REQUEST, WAITS_TOGETHER, WAITS_TO_SEND } Waits;
void post_waits(Waits kind, MPI_Comm comm, int from, int tag);
/* Before letter_take of what it waited for. */
void post_goes_on(void);
void post_clock(double now);
void post_polls(bool polls);
/* The rank in comm whose message a receive from MPI_ANY_SOURCE shall take; waits until that is
 * known. MPI_ANY_SOURCE: what MPI finds. If nothing at all happens for a second (ranks that poll,
 * messages that nobody receives) it takes the earliest that is here. */
int earliest_source(MPI_Comm comm, int tag);
/* Between two looks at something that is to come, the first of which is look 0. */
void nap(int looks);

/* ---- link_messages.c ---- */

/* *status is that of a message with its stamp: makes it that of the data alone, whose bytes it
 * returns. */
double stamp_off(MPI_Status *status);
/* When the last byte of the message with this status on `comm` is here, which takes the card's next
 * gap: once per message. Makes *status that of the data alone. */
double message_due(double stamp, MPI_Comm comm, MPI_Status *status);
/* Messages that this rank has sent, less those that it has received or begun to receive. */
long messages_under_way(void);

/* ---- link_requests.c: what is in flight ---- */

typedef enum { PENDING_SEND, PENDING_RECV, PENDING_COLLECTIVE } PendingKind;

typedef struct Pending {
    PendingKind kind;
    MPI_Request request; /* the program's handle */
    MPI_Comm comm;
    double stamp;    /* of a message */
    bool known;      /* when it is due is known: */
    double due;      /* the clock at its end */
    bool waited_for; /* by the call that is being made */
    /* of a collective: */
    CallComm *notes;   /* NULL: its communicator is gone */
    double start[2];   /* the start and the seconds, on their way to all ranks' maximum, */
    MPI_Request agree; /* which this brings */
} Pending;

/* A new one, the last of those in flight; then start it and call pending_started. */
Pending *pending_new(PendingKind kind, MPI_Comm comm);
void pending_started(Pending *p, int error, const MPI_Request *request);
/* The link makes a collective of all ranks' latest start and its seconds; returns when it ends. */
double collective_due(CallComm *notes, const double start[2]);
/* Before that: those in flight on the same communicator, which began earlier. Waits for the other
 * ranks to start them. */
void pending_settle(CallComm *notes);
#endif
