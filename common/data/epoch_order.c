/* epoch_order.c: a permutation by sorting: every index gets a random number, and the numbers are
 * sorted. */
#include "epoch_order.h"
#include "check.h"
#include "rng.h"
#include <stdlib.h>

typedef struct Ticket {
    uint64_t number;
    int32_t index;
} Ticket;

/* By number; of equal ones, which are extremely rare, the lower index first. */
static int compare(const void *a, const void *b)
{
    const Ticket *s = a, *t = b;
    if (s->number != t->number)
        return s->number < t->number ? -1 : 1;
    return (s->index > t->index) - (s->index < t->index);
}

void epoch_order(int32_t *order, int count, uint64_t seed, int epoch)
{
    Ticket *tickets = alloc(count, sizeof *tickets);
    Rng r = rng_at(seed, RNG_ORDER, (uint32_t)epoch, 0);
    for (int i = 0; i < count; i++) {
        tickets[i] = (Ticket){.index = i};
        tickets[i].number = (uint64_t)rng_u32(&r) << 32;
        tickets[i].number |= rng_u32(&r);
    }
    qsort(tickets, count, sizeof *tickets, compare);
    for (int i = 0; i < count; i++)
        order[i] = tickets[i].index;
    free(tickets);
}
