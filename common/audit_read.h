/* audit_read.h: one rank's facts (audit.h), read back by self-checks and the grader. */
#ifndef AUDIT_READ_H
#define AUDIT_READ_H
#include <stddef.h>
#include <stdint.h>

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
