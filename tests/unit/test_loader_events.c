/* test_loader_events.c: the loader's promises to a device that runs behind its queues.
 *
 * On a CPU work is done when the call returns, so a missing event would never show. Here the
 * backend's operations are wrapped, and what was queued is written down: a slot may be filled again
 * only on a stream that waited for the mark that the training loop's stream left when it was done
 * with the slot, and may be read only on a stream that waited for the mark behind its filling.
 */
#include "check.h"
#include "loader.h"
#include "net.h"
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 64 };

/* What a stream did last, and what is known of each event and each slot. */
typedef struct Mark {
    Event *event;
    Stream *recorded_on;
    int recorded; /* how often */
} Mark;
typedef struct SlotSeen {
    Buffer *buf;
    Event *used, *filled;
    int gathers, handed;
} SlotSeen;

static struct Spy {
    const BackendOps *real;
    pthread_mutex_t lock;
    Mark marks[MOST];
    SlotSeen slots[MOST];
    Stream *loop, *loader;
    Event *loop_waited, *loader_waited; /* the last event that each waited for */
    SlotSeen *just_gathered;            /* the next mark of the loader's stream belongs to it */
    const char *fault;
} spy = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void expect_that(bool holds, const char *fault)
{
    if (!holds && !spy.fault)
        spy.fault = fault;
}

static Mark *mark_of(Event *e)
{
    Mark *m = spy.marks;
    while (m->event && m->event != e)
        m++;
    m->event = e;
    return m;
}

static SlotSeen *slot_of(Buffer *buf)
{
    SlotSeen *s = spy.slots;
    while (s->buf && s->buf != buf)
        s++;
    s->buf = buf;
    return s;
}

static void spy_record(Event *e, Stream *s)
{
    pthread_mutex_lock(&spy.lock);
    Mark *m = mark_of(e);
    m->recorded_on = s;
    m->recorded++;
    if (spy.just_gathered && s != spy.loop) {
        spy.just_gathered->filled = e;
        spy.just_gathered = NULL;
    }
    pthread_mutex_unlock(&spy.lock);
    spy.real->event_record(e, s);
}

static void spy_wait(Stream *s, Event *e)
{
    pthread_mutex_lock(&spy.lock);
    *(s == spy.loop ? &spy.loop_waited : &spy.loader_waited) = e;
    pthread_mutex_unlock(&spy.lock);
    spy.real->event_wait(s, e);
}

static void spy_gather(Stream *s, Tensor x, Tensor label, Tensor images, Tensor labels,
                       const Augment *pick, const float *mean, const float *istd)
{
    pthread_mutex_lock(&spy.lock);
    SlotSeen *slot = slot_of(x.buf);
    expect_that(!spy.just_gathered, "a slot was filled and no mark left behind it");
    expect_that(s != spy.loop, "the loader's work lies on the training loop's stream");
    expect_that(slot->gathers == 0 || slot->used == spy.loader_waited,
                "a slot is filled again without waiting for its mark");
    slot->used = spy.loader_waited;
    expect_that(slot->handed == 0 || mark_of(slot->used)->recorded == slot->handed,
                "a slot is filled again while it is read");
    expect_that(slot->handed == 0 || mark_of(slot->used)->recorded_on == spy.loop,
                "the mark lies on a wrong stream");
    slot->gathers++;
    spy.just_gathered = slot;
    pthread_mutex_unlock(&spy.lock);
    spy.real->gather(s, x, label, images, labels, pick, mean, istd);
}

DEVICE_TEST(slots_wait_for_each_other)
{
    BackendOps spied = *d->be->op;
    spy.real = d->op;
    spy.loop = d->s;
    spied.event_record = spy_record;
    spied.event_wait = spy_wait;
    spied.gather = spy_gather;
    d->be->op = &spied;
    Images images = images_blank(100, 2, 2, 1);
    int32_t order[100];
    for (int i = 0; i < 100; i++)
        order[i] = i;
    Loader *l = loader_new(d->be, &images, (float[]){0}, (float[]){1}, 3, 0, (AugmentSpec){0}, 1);
    Batch b;
    for (int round = 0; round < 4; round++) {
        loader_start(l, order, 100, round);
        /* round 1 is left early */
        for (int t = 0; (round != 1 || t < 5) && loader_next(l, d->s, &b); t++) {
            if (round == 3)
                usleep(2000); /* a slow network: the loader runs as far ahead as it may */
            pthread_mutex_lock(&spy.lock);
            SlotSeen *slot = slot_of(b.x.buf);
            expect_that(spy.loop_waited == slot->filled,
                        "a batch is handed over without waiting for its filling");
            slot->handed++;
            pthread_mutex_unlock(&spy.lock);
        }
    }
    loader_free(l);
    if (spy.fault)
        fail_msg("%s", spy.fault);
    int slots = 0;
    while (spy.slots[slots].buf)
        slots++;
    assert_int_equal(slots, 4); /* the one in hand and three ahead */
    d->be->op = spy.real;
}
