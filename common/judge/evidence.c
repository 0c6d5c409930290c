/* evidence.c: see evidence.h. One socket per process, static: the backward pass is called from
 * everywhere, and no caller should pass it around. */
#include "evidence.h"
#include "check.h"
#include "model.h"
#include "observer.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct {
    pthread_once_t once;
    int socket;      /* -1: off */
    float *gradient; /* [params]: before the pass, then what it added */
    size_t params;   /* that `gradient` has room for */
    int world;       /* ranks that comm_open found, 0: not called */
} evidence = {.once = PTHREAD_ONCE_INIT, .socket = -1};

static void connect_once(void)
{
    const char *path = getenv("LABS_EVIDENCE");
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (!path || !*path || strlen(path) >= sizeof name.sun_path)
        return;
    strcpy(name.sun_path, path);
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s >= 0 && connect(s, (struct sockaddr *)&name, sizeof name) == 0)
        evidence.socket = s;
    else if (s >= 0)
        close(s);
}

static bool listened_to(void)
{
    pthread_once(&evidence.once, connect_once);
    return evidence.socket >= 0;
}

static void ranks(int rank, int size) { evidence.world = size; }

/* ---- which images a batch is made of ---- */

enum { BATCHES = 64 }; /* buffers that loaders reuse */

typedef struct Known {
    Buffer *buf;
    int n, epoch;
    Augment *picks;
} Known;

static struct {
    pthread_mutex_t lock;
    Known batch[BATCHES];
    int next; /* the oldest one */
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int find(const Buffer *buf)
{
    for (int i = 0; i < BATCHES; i++)
        if (known.batch[i].buf == buf)
            return i;
    return -1;
}

static Augment *copy_of(const Augment *picks, int n)
{
    return memcpy(alloc((size_t)n, sizeof *picks), picks, (size_t)n * sizeof *picks);
}

static void batch(Tensor x, const Augment *picks, int first, int epoch)
{
    if (!listened_to())
        return;
    pthread_mutex_lock(&known.lock);
    int at = find(x.buf);
    if (at < 0 && picks) {
        at = known.next;
        known.next = (known.next + 1) % BATCHES;
    }
    if (at >= 0) {
        free(known.batch[at].picks);
        known.batch[at] = picks ? (Known){x.buf, x.n, epoch, copy_of(picks, x.n)} : (Known){0};
    }
    pthread_mutex_unlock(&known.lock);
}

/* A copy of the images' list, NULL: no loader made this batch. */
static Augment *picks_of(Tensor x, int *epoch)
{
    Augment *picks = NULL;
    pthread_mutex_lock(&known.lock);
    int at = find(x.buf);
    if (at >= 0 && known.batch[at].n == x.n) {
        picks = copy_of(known.batch[at].picks, x.n);
        *epoch = known.batch[at].epoch;
    }
    pthread_mutex_unlock(&known.lock);
    return picks;
}

/* ---- a message ---- */

static void put(const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes && evidence.socket >= 0) {
        ssize_t sent = send(evidence.socket, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0) { /* the listener has gone */
            close(evidence.socket);
            evidence.socket = -1;
            return;
        }
        at += sent;
        bytes -= (size_t)sent;
    }
}

static void backward_begin(const Model *m)
{
    if (!listened_to())
        return;
    size_t count = tensor_count(m->grads);
    if (count > evidence.params) {
        free(evidence.gradient);
        evidence.gradient = alloc(count, sizeof(float));
        evidence.params = count;
    }
    m->be->op->download(m->s, evidence.gradient, m->grads);
}

static void gradient(const Model *m, size_t first, int count)
{
    if (evidence.socket < 0 || !evidence.gradient)
        return;
    float *now = alloc((size_t)count, sizeof *now), *was = evidence.gradient + first;
    m->be->op->download(m->s, now, tensor_slice(m->grads, first, count));
    for (int i = 0; i < count; i++)
        was[i] = now[i] - was[i];
    free(now);
}

/* Sends a tensor's elements, dense. */
static void put_tensor(const Model *m, Tensor t)
{
    size_t bytes = tensor_count(t) * dtype_size(t.dtype);
    void *copy = alloc(bytes, 1);
    m->be->op->download(m->s, copy, t);
    put(copy, bytes);
    free(copy);
}

static EvidenceHead head_of(const Model *m, Tensor x)
{
    const ModelSpec *spec = &m->spec;
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    EvidenceHead head = {.magic = EVIDENCE_MAGIC,
                         .params = m->params.n,
                         .rank = rank ? atoi(rank) : 0,
                         .n = x.n,
                         .h = x.h,
                         .w = x.w,
                         .c = x.c,
                         .precision = (int32_t)m->be->precision,
                         .world = evidence.world,
                         .smoothing = m->smoothing,
                         .classes = spec->classes,
                         .no_skip = spec->no_skip,
                         .no_batchnorm = spec->no_batchnorm,
                         .ghost = spec->ghost,
                         .stats_ranks = m->stats_hook ? m->stats_ranks : 1};
    snprintf(head.name, sizeof head.name, "%s", spec->name);
    for (int i = 0; i < 8; i++)
        head.hidden[i] = spec->hidden[i];
    return head;
}

static void backward_end(const Model *m, Tensor x, Tensor label, Tensor weight)
{
    if (evidence.socket < 0 || !evidence.gradient)
        return;
    EvidenceHead head = head_of(m, x);
    Augment *picks = picks_of(x, &head.epoch);
    head.weighted = given(weight);
    head.picked = picks != NULL;
    put(&head, sizeof head);
    put_tensor(m, m->params);
    put(evidence.gradient, tensor_count(m->params) * sizeof(float));
    put_tensor(m, label);
    if (given(weight))
        put_tensor(m, weight);
    if (picks)
        put(picks, (size_t)x.n * sizeof *picks);
    put_tensor(m, x);
    free(picks);
}

void evidence_begin(void)
{
    static Observer observer = {.ranks = ranks,
                                .batch = batch,
                                .backward_begin = backward_begin,
                                .gradient = gradient,
                                .backward_end = backward_end};
    if (getenv("LABS_EVIDENCE"))
        observer_add(&observer);
}
