/* ledger.h: what a device's memory is used for: bytes now, and the most at any moment, counted from
 * the tensors that are made and freed (memory_hook in backend.h).
 */
#ifndef LEDGER_H
#define LEDGER_H
#include "backend.h"

typedef enum {
    LEDGER_PARAMS,
    LEDGER_GRADS,
    LEDGER_STATE, /* the optimiser's */
    LEDGER_ACTIVATIONS,
    LEDGER_OTHER,
    LEDGER_KINDS
} LedgerKind;

enum { LEDGER_MOST = 4096 };

typedef struct LedgerEntry {
    const Buffer *buf;
    size_t bytes;
    LedgerKind kind;
} LedgerEntry;

typedef struct Ledger {
    LedgerKind kind; /* of what is made from now on */
    double now[LEDGER_KINDS], most[LEDGER_KINDS];
    double all, most_all;
    LedgerEntry entry[LEDGER_MOST];
    int entries;
} Ledger;

/* Count what is made on be from now on; one ledger at a time. NULL: count nothing any more. */
void ledger_open(Ledger *l, Backend *be);
/* Counts t as this kind from now on; NO_TENSOR is fine. */
void ledger_claim(Ledger *l, Tensor t, LedgerKind kind);
/* The most is what there is now. */
void ledger_restart(Ledger *l);
#endif
