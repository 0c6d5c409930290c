/* link_card.c: a rank's network card: full duplex, one message after the other each way. See
 * link_inside.h.
 *
 * Messages leave in the order in which they are sent, but the program may receive a late one before
 * an earlier one. So the card keeps the spans in which it receives, and a message takes the first
 * gap that is long enough.
 */
#include "link_inside.h"
#include <math.h>
#include <string.h>

enum { SPANS = 64 };

static Link link = {INFINITY, 0};
static double sends_until;
static struct {
    double from, until;
} receives[SPANS]; /* in order, none touches the next */
static int spans;

void card_reset(Link to)
{
    link = to;
    sends_until = 0;
    spans = 0;
}

Link link_now_used(void) { return link; }
bool link_on(void) { return isfinite(link.bandwidth) || link_virtual(); }
double card_free(void) { return sends_until; }

double card_send(double now, double bytes)
{
    double from = now > sends_until ? now : sends_until;
    sends_until = from + bytes / link.bandwidth;
    return from;
}

static void insert(int at, double from, double until)
{
    if (spans == SPANS) { /* drop the oldest */
        memmove(receives, receives + 1, (SPANS - 1) * sizeof *receives);
        spans--;
        at -= at > 0;
    }
    memmove(receives + at + 1, receives + at, (size_t)(spans - at) * sizeof *receives);
    receives[at].from = from;
    receives[at].until = until;
    spans++;
}

/* Merges spans i and i + 1. */
static void join(int i)
{
    if (i < 0 || i + 1 >= spans || receives[i].until < receives[i + 1].from)
        return;
    receives[i].until = receives[i + 1].until;
    memmove(receives + i + 1, receives + i + 2, (size_t)(spans - i - 2) * sizeof *receives);
    spans--;
}

double card_receive(double left, double bytes)
{
    double from = left + link.latency, lasts = bytes / link.bandwidth;
    int i = 0; /* the span that the first gap of `lasts` seconds comes before */
    for (; i < spans && receives[i].from < from + lasts; i++)
        from = fmax(from, receives[i].until);
    if (lasts > 0) {
        insert(i, from, from + lasts);
        join(i);
        join(i - 1);
    }
    return from + lasts;
}
