/* link_inside.h: what the files of the link share: link.c (the text, the model, the choice),
 * link_clock.c, link_card.c, link_pending.c, link_messages.c, link_requests.c (waits and tests) and
 * link_calls.c (collectives).
 */
#ifndef LINK_INSIDE_H
#define LINK_INSIDE_H
#include "link.h"
#include "link_calls.h"

/* ---- link.c ---- */

/* What LABS_LINK and LABS_CLOCK say; a bad value ends the run (exit 2). */
Link link_chosen(bool *virtual);

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
/* Between two looks at something that is to come, the first of which is look 0. */
void nap(int looks);

/* ---- link_card.c: this rank's network card ---- */

void card_reset(Link link);
/* Is anything to be done: a link, or a virtual clock? */
bool link_on(void);
/* The moment from which on it is free to send. */
double card_free(void);
/* A message is sent at `now`; returns when its first byte leaves. */
double card_send(double now, double bytes);
/* A message whose first byte left at `left`; returns when its last byte is here. */
double card_receive(double left, double bytes);

/* ---- link_messages.c ---- */

/* *status is that of a message with its stamp: makes it that of the data alone, whose bytes it
 * returns. */
double stamp_off(MPI_Status *status);
/* When the last byte of the message with this status on `comm` is here, which takes the card's next
 * gap: once per message. Makes *status that of the data alone. */
double message_due(double stamp, MPI_Comm comm, MPI_Status *status);
/* Messages that this rank has sent, less those that it has received or begun to receive. */
long messages_under_way(void);

/* ---- link_pending.c: what is in flight ---- */

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
/* That of a request; NULL: it has none. */
Pending *pending_of(MPI_Request request);
/* It is no longer in flight; pending_end also frees it. */
void pending_unlink(const Pending *p);
void pending_end(Pending *p);
/* A communicator is freed, of which these are the notes. */
void pending_forget(const CallComm *notes);
/* Is it known when this collective is due? wait: for ranks that have not started it. */
bool pending_known(Pending *p, bool wait);
/* The link makes a collective of all ranks' latest start and its seconds; returns when it ends. */
double collective_due(CallComm *notes, const double start[2]);
/* Before that: those in flight on the same communicator, which began earlier. Waits for the other
 * ranks to start them. */
void pending_settle(CallComm *notes);
#endif
