/* ledger.c: see ledger.h. */
#include "ledger.h"
#include "check.h"
#include <math.h>
#include <string.h>

static void add(Ledger *l, LedgerKind kind, double bytes)
{
    l->now[kind] += bytes;
    l->all += bytes;
    l->most[kind] = fmax(l->most[kind], l->now[kind]);
    l->most_all = fmax(l->most_all, l->all);
}

static LedgerEntry *find(Ledger *l, const Buffer *buf)
{
    for (int i = l->entries - 1; i >= 0; i--)
        if (l->entry[i].buf == buf)
            return &l->entry[i];
    return NULL;
}

/* What was made before the ledger was opened is not in it. */
static void hook(void *context, const Buffer *buf, size_t bytes)
{
    Ledger *l = context;
    if (bytes > 0) {
        ASSERT(l->entries < LEDGER_MOST);
        l->entry[l->entries++] = (LedgerEntry){buf, bytes, l->kind};
        add(l, l->kind, (double)bytes);
        return;
    }
    LedgerEntry *e = find(l, buf);
    if (e) {
        add(l, e->kind, -(double)e->bytes);
        *e = l->entry[--l->entries];
    }
}

void ledger_open(Ledger *l, Backend *be)
{
    if (l)
        memset(l, 0, sizeof *l);
    be->memory_hook = l ? hook : NULL;
    be->memory_context = l;
}

void ledger_claim(Ledger *l, Tensor t, LedgerKind kind)
{
    LedgerEntry *e = t.buf ? find(l, t.buf) : NULL;
    if (!e)
        return;
    add(l, e->kind, -(double)e->bytes);
    e->kind = kind;
    add(l, kind, (double)e->bytes);
}

void ledger_restart(Ledger *l)
{
    memcpy(l->most, l->now, sizeof l->most);
    l->most_all = l->all;
}
