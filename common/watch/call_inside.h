/* call_inside.h: the board's memory: call_write.c writes it, call_watch.c reads it,
 * call_text.c composes the messages. */
#ifndef CALL_INSIDE_H
#define CALL_INSIDE_H
#include "call_board.h"
#include <stdatomic.h>
#include <sys/types.h>

enum { RECORDS = 64 };

/* One call, as on the board. */
typedef struct CallRecord {
    CallKind kind;
    bool starts;
    uint64_t comm;                     /* 0: unknown */
    long number;                       /* of the collective on this communicator, from 1; 0: none */
    uint64_t members[MOST_WORLD / 64]; /* as in CallComm */
    long count;                        /* elements */
    int peer, from, tag;               /* ranks in the communicator */
    int to_world, from_world;          /* the same in the world; -1: none, any, or unknown */
    char name[32], type[12], op[8];
    uint64_t site; /* the address it was called from, from the program's start */
} CallRecord;

/* A record that is replaced while others read. */
typedef struct Slot {
    _Atomic uint64_t key; /* of what is written here, 0: nothing, or being written */
    CallRecord record;
} Slot;

typedef enum { STATE_ABSENT, STATE_OUTSIDE, STATE_IN_CALL, STATE_LEFT } CallState;

/* A rank's part of the board; only this rank writes it. */
typedef struct RankCalls {
    _Atomic int state;
    _Atomic long beats;    /* grows whenever the rank makes progress */
    _Atomic int64_t since; /* of the last beat, ns of CLOCK_MONOTONIC */
    _Atomic long polls;    /* tests since then that completed nothing */
    pid_t pid;
    char program[256];
    Slot now;              /* the call it is in, or was in last, tests included */
    Slot last;             /* the last collective that ended */
    Slot records[RECORDS]; /* the last collectives, by their key */
} RankCalls;

typedef struct Board {
    RankCalls *ranks; /* [size], in shared memory, by rank in the world */
    int rank, size;   /* in the world */
    int *here;        /* [locals]: the ranks of this machine */
    int locals;
    _Atomic int64_t *reported; /* when a rank last printed where all are, ns; shared */
} Board;

Board *board(void);          /* NULL: no board */
RankCalls *board_mine(void); /* this rank's; NULL: no board */
int64_t board_clock(void);   /* ns */
void slot_write(Slot *slot, uint64_t key, const CallRecord *record);
/* A copy; false: empty, or not readable just now. */
bool slot_read(const Slot *slot, CallRecord *record, uint64_t *key);
/* A collective's key, and its slot among a rank's records. */
uint64_t record_key(const CallRecord *l);
Slot *record_slot(const RankCalls *entry, const CallRecord *l);
/* The same collective of another rank, if it is still on the board. */
bool find_record(const RankCalls *entry, const CallRecord *like, CallRecord *found);

/* ---- call_text.c; all return new strings ---- */
/* "all-reduce of 235146 floats (3_train.c:151)" */
char *describe_call(const CallRecord *l, const RankCalls *entry);
/* Two collectives with the same number that do not match; NULL: they do. */
char *describe_mismatch(const CallRecord *mine, int rank, const CallRecord *theirs, int other);
/* Where rank r is, since when. */
char *describe_rank(int r);
/* `why`, and where all ranks of the machine are. */
char *describe_hang(const char *why);
bool rank_stopped(const RankCalls *entry);    /* by a signal or a debugger */
bool rank_runs(const RankCalls *entry);       /* or would, if it got a processor */
double rank_cpu_time(const RankCalls *entry); /* its first thread's, s; 0: unknown */
#endif
