/* call_inside.h: the board's memory, for the files that know it: call_write.c writes it,
 * call_watch.c looks at it, call_words.c says what it found. */
#ifndef CALL_INSIDE_H
#define CALL_INSIDE_H
#include "call_board.h"
#include <stdatomic.h>
#include <sys/types.h>

enum { LINES = 64 };

/* One call, as others can read it. */
typedef struct Line {
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
} Line;

/* A line that is replaced while others read. */
typedef struct Slot {
    _Atomic uint64_t key; /* of what is written here, 0: nothing, or being written */
    Line line;
} Slot;

typedef enum { SEAT_EMPTY, SEAT_OUTSIDE, SEAT_IN_CALL, SEAT_LEFT } SeatState;

/* A rank's part of the board; only this rank writes it. */
typedef struct Seat {
    _Atomic int state;
    _Atomic long beats;    /* grows whenever the rank gets somewhere */
    _Atomic int64_t since; /* of the last beat, ns of CLOCK_MONOTONIC */
    _Atomic long polls;    /* tests since then that completed nothing */
    pid_t pid;
    char program[256];
    Slot now;          /* the call it is in, or was in last, tests included */
    Slot last;         /* the last collective that ended */
    Slot lines[LINES]; /* the last collectives, by their key */
} Seat;

typedef struct Board {
    Seat *seats;    /* [size], in shared memory, by rank in the world */
    int rank, size; /* in the world */
    int *here;      /* [locals]: the ranks of this machine */
    int locals;
    _Atomic int64_t *told; /* when somebody last printed where all are, ns; shared */
} Board;

/* NULL: there is none. */
Board *board(void);
Seat *board_seat(void);    /* this rank's; NULL: there is none */
int64_t board_clock(void); /* ns */
void slot_write(Slot *slot, uint64_t key, const Line *line);
/* A copy; false: empty, or not readable just now. */
bool slot_read(const Slot *slot, Line *line, uint64_t *key);
/* A collective's key, and its slot among a rank's lines. */
uint64_t line_key(const Line *l);
Slot *line_slot(const Seat *seat, const Line *l);
/* The same collective of another rank, if it is still on the board. */
bool seat_line(const Seat *seat, const Line *like, Line *found);

/* ---- call_words.c; all return new strings ---- */
/* "all-reduce of 235146 floats (3_train.c:151)" */
char *words_of_line(const Line *l, const Seat *seat);
/* Two collectives with the same number that do not match; NULL: they do. */
char *words_of_mismatch(const Line *mine, int rank, const Line *theirs, int other);
/* Where rank r is, since when. */
char *words_of_seat(int r);
/* `why`, and where all ranks of the machine are. */
char *words_of_hang(const char *why);
bool seat_stopped(const Seat *seat);     /* by a signal or a debugger */
bool seat_runs(const Seat *seat);        /* or would, if it got a processor */
double seat_processor(const Seat *seat); /* its first thread's, s; 0: unknown */
#endif
