/* share.h: independent pieces of work, handed out to the ranks as they become free.
 *
 * Rank 0 hands out the items in their order, and works, too. Every other rank has always one item more than the one it
 * works on, so it never waits for rank 0; a slower machine just gets fewer. Who does an item must not change its result.
 */
#ifndef SHARE_H
#define SHARE_H
#include "comm.h"

enum { SHARE_VALUES = 8 };

typedef struct Share {
    int items, values;                                              /* values: numbers per item, at most SHARE_VALUES */
    void *context;                                                  /* given to the functions */
    void (*work)(void *context, int item, double *value);           /* any rank: value[values] of an item */
    void (*found)(void *context, int item, const double *value);    /* rank 0: an item is done, here or elsewhere */
    bool (*goes_on)(void *context);                                 /* rank 0, before each item; false: no more. It may wait:
                                                                     * the others then wait, too */
} Share;

/* Collective. On every rank: true when all items are done, false when goes_on ended it; what was handed out by then is
 * done and found. */
bool share_work(Comm *c, Backend *be, const Share *share);
#endif
