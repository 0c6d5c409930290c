/* audit_read.h: what one rank of a run really did: its facts (audit.h), read back by those who
 * check it. */
#ifndef AUDIT_READ_H
#define AUDIT_READ_H
#include <stdint.h>

typedef struct AuditImages {
    int count;
    int32_t *at; /* [count]: indices in the data set */
} AuditImages;

typedef struct AuditUpdate {
    int epoch;
    AuditImages images; /* of the batch before it; the batches of a test are no update's */
    double rate;
    char before[17], after[17]; /* digests of the parameters; "": not noted */
} AuditUpdate;

typedef struct AuditTest {
    AuditImages images; /* all that were handed out since the update before it */
    double correct;
} AuditTest;

typedef struct AuditRank {
    int rank, size;             /* as the communication library told it; -1: it was not started */
    int local_rank, local_size; /* of the device that it opened; -1: none */
    AuditUpdate *update;        /* [updates] */
    AuditTest *test;            /* [tests] */
    int updates, tests;
    int checkpoints, resumes; /* written, read */
    double reduced;           /* elements that went through all-reduces */
    unsigned to_do;           /* bit k: the program says that step k is still to do */
} AuditRank;

/* The facts in folder/rank-R.jsonl. No file: no facts. A line that is not one is passed over. */
AuditRank audit_read(const char *folder, int rank);
void audit_read_free(AuditRank *r);
#endif
