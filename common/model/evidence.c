/* evidence.c: see evidence.h. One socket per process, static: the backward pass is called from
 * everywhere, and no caller should pass it around. */
#include "evidence.h"
#include "check.h"
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
    int socket;       /* -1: off */
    float *gradient;  /* [params]: before the pass, then what it added */
    size_t params;    /* that `gradient` has room for */
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

bool evidence_on(void)
{
    pthread_once(&evidence.once, connect_once);
    return evidence.socket >= 0;
}

uint64_t evidence_digest(const float *v, size_t n)
{
    uint64_t digest = n;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, v + i, sizeof bits);
        digest = (digest ^ bits) * 0x9E3779B97F4A7C15ULL;
        digest ^= digest >> 29;
    }
    return digest;
}

/* ---- which images a batch is made of ---- */

enum { BATCHES = 64 }; /* buffers that loaders reuse */

static struct {
    pthread_mutex_t lock;
    struct {
        Buffer *buf;
        int n, epoch;
        Augment *picks;
    } batch[BATCHES];
    int next; /* the oldest one */
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int find(const Buffer *buf)
{
    for (int i = 0; i < BATCHES; i++)
        if (known.batch[i].buf == buf)
            return i;
    return -1;
}

void evidence_batch(Tensor x, const Augment *picks, int epoch)
{
    if (!evidence_on())
        return;
    pthread_mutex_lock(&known.lock);
    int at = find(x.buf);
    if (at < 0 && picks) {
        at = known.next;
        known.next = (known.next + 1) % BATCHES;
    }
    if (at >= 0) {
        free(known.batch[at].picks);
        known.batch[at].picks = NULL;
        known.batch[at].buf = NULL;
    }
    if (picks) {
        known.batch[at].buf = x.buf;
        known.batch[at].n = x.n;
        known.batch[at].epoch = epoch;
        known.batch[at].picks = alloc((size_t)x.n, sizeof *picks);
        memcpy(known.batch[at].picks, picks, (size_t)x.n * sizeof *picks);
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
        picks = alloc((size_t)x.n, sizeof *picks);
        memcpy(picks, known.batch[at].picks, (size_t)x.n * sizeof *picks);
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

void evidence_begin(Model *m)
{
    if (!evidence_on())
        return;
    size_t count = tensor_count(m->grads);
    if (count > evidence.params) {
        free(evidence.gradient);
        evidence.gradient = alloc(count, sizeof(float));
        evidence.params = count;
    }
    m->be->op->download(m->s, evidence.gradient, m->grads);
}

void evidence_slice(Model *m, size_t first, int count)
{
    if (evidence.socket < 0 || !evidence.gradient)
        return;
    float *now = alloc((size_t)count, sizeof *now), *was = evidence.gradient + first;
    m->be->op->download(m->s, now, tensor_slice(m->grads, first, count));
    for (int i = 0; i < count; i++)
        was[i] = now[i] - was[i];
    free(now);
}

/* A tensor's elements on the host, dense; free() them. */
static void *host(Model *m, Tensor t)
{
    void *copy = alloc(tensor_count(t), dtype_size(t.dtype));
    m->be->op->download(m->s, copy, t);
    return copy;
}

static void head_network(EvidenceHead *head, const ModelSpec *spec)
{
    snprintf(head->name, sizeof head->name, "%s", spec->name);
    head->classes = spec->classes;
    for (int i = 0; i < 8; i++)
        head->hidden[i] = spec->hidden[i];
    head->no_skip = spec->no_skip;
    head->no_batchnorm = spec->no_batchnorm;
    head->ghost = spec->ghost;
}

void evidence_end(Model *m, Tensor x, Tensor label, Tensor weight)
{
    if (evidence.socket < 0 || !evidence.gradient)
        return;
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    int epoch = 0;
    Augment *picks = picks_of(x, &epoch);
    float *w = host(m, m->params), *pixels = host(m, x);
    int32_t *labels = host(m, label);
    EvidenceHead head = {.magic = EVIDENCE_MAGIC,
                         .params = m->params.n,
                         .rank = rank ? atoi(rank) : 0,
                         .n = x.n,
                         .h = x.h,
                         .w = x.w,
                         .c = x.c,
                         .weighted = weight.buf != NULL,
                         .picked = picks != NULL,
                         .epoch = epoch,
                         .stats_ranks = m->stats_hook ? m->stats_ranks : 1,
                         .x_digest = evidence_digest(pixels, tensor_count(x))};
    head_network(&head, &m->spec);
    put(&head, sizeof head);
    put(w, tensor_count(m->params) * sizeof *w);
    put(evidence.gradient, tensor_count(m->params) * sizeof *w);
    put(labels, (size_t)x.n * sizeof *labels);
    if (weight.buf) {
        float *weights = host(m, weight);
        put(weights, (size_t)x.n * sizeof *weights);
        free(weights);
    }
    if (picks)
        put(picks, (size_t)x.n * sizeof *picks);
    else
        put(pixels, tensor_count(x) * sizeof *pixels);
    free(labels), free(pixels), free(w), free(picks);
}
