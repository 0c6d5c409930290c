/* evidence_read.c: messages of common/evidence.h from the ranks' sockets. Their sizes are checked
 * before anything is allocated; a malformed message ends the collection. */
#include "check.h"
#include "inspection.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct Sockets {
    int listener, np;
    const Images *given;
    int rank[EVIDENCE_RANKS]; /* -1: none; they are closed one by one */
    int who[EVIDENCE_RANKS];  /* the rank of each, -1: unknown yet */
    int count, next;          /* next: who is asked first, so that all get their turn */
};

void pass_free(Pass *p)
{
    if (!p)
        return;
    free(p->w), free(p->g), free(p->labels), free(p->weights), free(p->picks), free(p->marked);
    free(p->x);
    free(p);
}

Sockets *sockets_open(const char *path, int np, const Images *given)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof name.sun_path)
        return NULL;
    strcpy(name.sun_path, path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&name, sizeof name) ||
        chmod(path, 0666) || /* the sandbox runs the submission as another user */
        listen(listener, EVIDENCE_RANKS)) {
        if (listener >= 0)
            close(listener);
        return NULL;
    }
    Sockets *s = alloc(1, sizeof *s);
    s->listener = listener;
    s->np = np;
    s->given = given;
    return s;
}

void sockets_close(Sockets *s)
{
    for (int i = 0; i < s->count; i++)
        close(s->rank[i]);
    close(s->listener);
    free(s);
}

/* Exactly `size` bytes; false: the other end has gone. */
static bool take(int fd, void *to, size_t bytes)
{
    for (char *at = to; bytes;) {
        ssize_t got = read(fd, at, bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

static bool between(int64_t value, int64_t low, int64_t high)
{
    return value >= low && value <= high;
}

static bool are_sizes(const int32_t *hidden)
{
    for (int i = 0; i < 8; i++)
        if (!between(hidden[i], 0, 1 << 14))
            return false;
    return true;
}

static bool is_head(const EvidenceHead *h, int np, const Images *given)
{
    return h->magic == EVIDENCE_MAGIC && between(h->params, 1, EVIDENCE_PARAMS) &&
           between(h->rank, 0, np - 1) && between(h->n, 1, given->count) && h->h == given->h &&
           h->w == given->w && h->c == given->c && between(h->weighted, 0, 1) &&
           between(h->picked, 0, 1) && between(h->stats_ranks, 1, np) &&
           between(h->epoch, 0, 1 << 24) && memchr(h->name, 0, sizeof h->name) &&
           between(h->classes, 2, 1000) && are_sizes(h->hidden) && between(h->no_skip, 0, 1) &&
           between(h->no_batchnorm, 0, 1) && between(h->ghost, 0, EVIDENCE_IMAGES) &&
           h->smoothing >= 0 && h->smoothing < 1 &&
           between(h->precision, PRECISION_FP32, PRECISION_FP16);
}

static void *room(bool wanted, size_t count, size_t size)
{
    return wanted ? alloc(count, size) : NULL;
}

/* The rest of a message; NULL: the rank ended in the middle of it. */
static Pass *take_rest(int fd, const EvidenceHead *head)
{
    size_t params = (size_t)head->params, n = (size_t)head->n;
    size_t pixels = n * (size_t)head->h * (size_t)head->w * (size_t)head->c;
    Pass *p = alloc(1, sizeof *p);
    *p = (Pass){.head = *head,
                .w = alloc(params, sizeof *p->w),
                .g = alloc(params, sizeof *p->g),
                .labels = alloc(n, sizeof *p->labels),
                .weights = room(head->weighted, n, sizeof *p->weights),
                .picks = room(head->picked, n, sizeof *p->picks),
                .x = alloc(pixels, sizeof *p->x)};
    bool whole = take(fd, p->w, params * sizeof *p->w) && take(fd, p->g, params * sizeof *p->g) &&
                 take(fd, p->labels, n * sizeof *p->labels) &&
                 (!p->weights || take(fd, p->weights, n * sizeof *p->weights)) &&
                 (!p->picks || take(fd, p->picks, n * sizeof *p->picks)) &&
                 take(fd, p->x, pixels * sizeof *p->x);
    if (whole)
        return p;
    pass_free(p);
    return NULL;
}

Pass *pass_read(int fd, int np, const Images *given, char **fault)
{
    EvidenceHead head;
    if (!take(fd, &head, sizeof head))
        return NULL;
    if (!is_head(&head, np, given)) {
        *fault = format_new("malformed evidence from a process");
        return NULL;
    }
    return take_rest(fd, &head);
}

static void drop(Sockets *s, int i)
{
    close(s->rank[i]);
    s->rank[i] = s->rank[--s->count];
    s->who[i] = s->who[s->count];
}

/* Waits for a rank with a message: its place; -1: a new one came or left; -2: all is over.
 */
static int wait_for(Sockets *s, int stop)
{
    struct pollfd asked[EVIDENCE_RANKS + 2];
    for (int i = 0; i < s->count; i++)
        asked[i] = (struct pollfd){s->rank[i], POLLIN, 0};
    int places = s->count;
    asked[places] = (struct pollfd){s->count < s->np ? s->listener : -1, POLLIN, 0};
    asked[places + 1] = (struct pollfd){stop, POLLIN, 0};
    if (poll(asked, (nfds_t)places + 2, -1) < 0)
        return errno == EINTR ? -1 : -2;
    for (int k = 0; k < places; k++) {
        int i = (s->next + k) % places;
        if (asked[i].revents) {
            s->next = i + 1;
            return i;
        }
    }
    if (asked[places].revents) {
        int fd = accept(s->listener, NULL, NULL);
        if (fd >= 0) {
            s->who[s->count] = -1;
            s->rank[s->count++] = fd;
        }
        return -1;
    }
    return asked[places + 1].revents && !places ? -2 : -1;
}

Pass *sockets_next(Sockets *s, int stop, char **fault)
{
    for (;;) {
        int i = wait_for(s, stop);
        if (i == -2)
            return NULL;
        if (i == -1)
            continue;
        Pass *p = pass_read(s->rank[i], s->np, s->given, fault);
        if (p && (s->who[i] < 0 || s->who[i] == p->head.rank)) {
            s->who[i] = p->head.rank;
            return p;
        }
        if (p)
            *fault = format_new("one process sends evidence as ranks %d and %d", s->who[i],
                                p->head.rank);
        pass_free(p);
        drop(s, i);
        if (*fault)
            return NULL;
    }
}
