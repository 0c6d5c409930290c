/* audit.h: what a run really did, for self-checks and the grader. Off unless the environment
 * variable LABS_AUDIT names a folder.
 *
 * A self-check must not believe what a program prints. With LABS_AUDIT=DIR each process appends to
 * DIR/rank-R.jsonl, one JSON object per line: {"fact": NAME, ...}.
 *
 *   fact                                members
 *   "comm"                              rank, size
 *   "backend"                           device, local_rank, local_size, cores
 *   "batch"                             epoch, first, images (indices in the data set)
 *   "all_reduce", "broadcast" …,
 *     "all_reduce_host"                 count, dtype
 *   "broadcast_host", "gather_host"     bytes
 *   "barrier"
 *   "update"                            step, rate, before, after (the first 16 digits of the
 *                                       parameters' SHA-256)
 *   "evaluate"                          first, count, correct
 *   "checkpoint", "resume"              path, step
 *   "to_do"                             step (of lab 2 that is still a TODO)
 */
#ifndef AUDIT_H
#define AUDIT_H
#include <stddef.h>
#include <stdint.h>

/* Becomes an observer (observer.h), if LABS_AUDIT is set: called before main, and in tests. */
void audit_begin(void) __attribute__((constructor));

/* ---- read back: one rank's facts ---- */

typedef struct AuditImages {
    int count;
    int32_t *at; /* [count]: indices in the data set */
} AuditImages;

typedef struct AuditUpdate {
    int epoch;
    AuditImages images; /* of the batch before it; test batches are not counted */
    AuditImages all;    /* of all batches since the update or test before: micro-batches */
    double rate;
    char before[17], after[17]; /* digests of the parameters; "": not recorded */
} AuditUpdate;

typedef struct AuditTest {
    AuditImages images; /* all images loaded since the last update */
    double correct;
} AuditTest;

/* What a rank did, in order. */
typedef enum {
    AUDIT_BATCH,
    AUDIT_UPDATE,
    AUDIT_TEST,
    AUDIT_CHECKPOINT,
    AUDIT_RESUME,
    AUDIT_ALL_REDUCE,
    AUDIT_ALL_REDUCE_HOST,
    AUDIT_BROADCAST,
    AUDIT_COLLECTIVE /* any other */
} AuditKind;

typedef struct AuditEvent {
    AuditKind kind;
    double count; /* elements of the three collectives that are named above; else 0 */
} AuditEvent;

typedef struct AuditRank {
    int rank, size;             /* as reported by comm_open; -1: never opened */
    int local_rank, local_size; /* of the opened device; -1: none */
    AuditUpdate *update;        /* [updates] */
    AuditTest *test;            /* [tests] */
    AuditEvent *event;          /* [events] */
    AuditImages handed;         /* of the batches after the last update or test */
    int updates, tests, events;
    int checkpoints, resumes; /* written, read */
    double reduced;           /* elements all-reduced */
    unsigned to_do;           /* bit k < 32: the program reports step k as TODO */
} AuditRank;

/* The facts in folder/rank-R.jsonl; none where there is no such file. A submission may have written
 * anything into it: lines that are no fact, or one with a member out of range, are skipped. */
AuditRank audit_read(const char *folder, int rank);
AuditRank audit_parse(const char *bytes, size_t size); /* the same from memory */
void audit_read_free(AuditRank *r);
#endif
