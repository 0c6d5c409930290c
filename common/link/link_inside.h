/* link_inside.h: what the files of the link share: link.c (the text, the model, the choice),
 * link_clock.c, link_card.c, link_pending.c, link_messages.c, link_requests.c (waits and tests) and
 * link_calls.c (collectives). Their static variables are per process, as MPI's state is.
 */
#ifndef LINK_INSIDE_H
#define LINK_INSIDE_H
#include "link.h"
#include "link_calls.h"

/* ---- link.c ---- */

/* From LABS_LINK and LABS_CLOCK; a bad value ends the run (exit 2). */
Link link_chosen(bool *virtual);

/* ---- link_clock.c: this rank's clock ---- */

/* virtual: from here on timer_now() is the virtual clock, which starts at the real one's time. */
void clock_begin(bool virtual);
/* An MPI call begins: stops the virtual clock, which from now on follows the calling thread.
 * Returns the time. */
double clock_enter(void);
/* The call ends, not before `due`: the real clock waits, the virtual one jumps. */
void clock_leave(double due);
/* The call ends, and its processor time counts. */
void clock_resume(void);
/* Waits between two polls, of which `polls` came before: yields at first, then sleeps. */
void poll_wait(int polls);

/* ---- link_card.c: this rank's network card ---- */

void card_reset(Link link);
/* Is there a link, or a virtual clock? */
bool link_on(void);
/* When it is free to send. */
double card_free(void);
/* A message is sent at `now`; returns when its first byte leaves. */
double card_send(double now, double bytes);
/* A message whose first byte left at `left`; returns when its last byte arrives. */
double card_receive(double left, double bytes);

/* ---- link_messages.c ---- */

/* Removes the stamp from the size in *status; returns the bytes of data. */
double stamp_off(MPI_Status *status);
/* When the last byte of the message with this status arrives; takes a gap of the card, so call it
 * once per message. Removes the stamp from *status. */
double message_due(double stamp, MPI_Comm comm, MPI_Status *status);
/* Messages sent by this rank minus those received, or being received. */
long messages_in_flight(void);

/* ---- link_pending.c: operations in flight ---- */

typedef enum { PENDING_SEND, PENDING_RECV, PENDING_COLLECTIVE } PendingKind;

typedef struct Pending {
    PendingKind kind;
    MPI_Request request; /* the program's handle */
    MPI_Comm comm;
    double stamp;    /* of a message */
    bool known;      /* `due` is known */
    double due;      /* the clock at its end */
    bool waited_for; /* by the current call */
    /* of a collective: */
    CallComm *notes;   /* NULL: its communicator was freed */
    double start[2];   /* start and seconds: the maximum over ranks … */
    MPI_Request agree; /* … once this all-reduce is done */
} Pending;

/* Appends one to those in flight; then start it and call pending_started. */
Pending *pending_new(PendingKind kind, MPI_Comm comm);
void pending_started(Pending *p, int error, const MPI_Request *request);
/* That of a request, or NULL. */
Pending *pending_of(MPI_Request request);
/* Takes it out of those in flight; pending_end also frees it. */
void pending_unlink(const Pending *p);
void pending_end(Pending *p);
/* The communicator of these notes is freed. */
void pending_forget(const CallComm *notes);
/* Is it known when this collective is due? wait: wait for ranks that have not started it. */
bool pending_known(Pending *p, bool wait);
/* When a collective ends, from the latest start of all ranks and its seconds. */
double collective_due(CallComm *notes, const double start[2]);
/* Before that: the same for earlier ones in flight on the same communicator. Waits until the other
 * ranks have started them. */
void pending_settle(CallComm *notes);
#endif
