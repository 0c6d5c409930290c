/* fake_backend.c: see fake_backend.h. */
#include "fake_backend.h"
#include "check.h"
#include <stdlib.h>
#include <string.h>

struct Buffer {
    bool hidden;
    char *bytes;
};

typedef struct FakeBackend {
    Backend base;
    bool hidden;
} FakeBackend;

typedef struct Work {
    Tensor out, in;   /* in: a copy's source */
    const void *host; /* an upload's source */
    float factor;     /* otherwise */
} Work;

enum { QUEUE = 64 };

typedef struct FakeStream {
    Stream base;
    Work queue[QUEUE];
    int queued;
} FakeStream;

static void *at(Tensor t) { return t.buf->bytes + t.at * dtype_size(t.dtype); }
static size_t bytes_of(Tensor t) { return tensor_count(t) * dtype_size(t.dtype); }

void scale_elements(void *data, size_t n, DType type, float factor)
{
    for (size_t i = 0; i < n; i++)
        if (type == F32)
            ((float *)data)[i] *= factor;
        else if (type == F64)
            ((double *)data)[i] *= factor;
        else
            ((int32_t *)data)[i] *= (int32_t)factor;
}

static void fake_sync(Stream *base)
{
    FakeStream *s = (FakeStream *)base;
    for (int i = 0; i < s->queued; i++) {
        Work *w = &s->queue[i];
        if (w->host)
            memcpy(at(w->out), w->host, bytes_of(w->out));
        else if (w->in.buf)
            memmove(at(w->out), at(w->in), bytes_of(w->out));
        else
            scale_elements(at(w->out), tensor_count(w->out), w->out.dtype, w->factor);
    }
    s->queued = 0;
}

static void later(Stream *base, Work w)
{
    FakeStream *s = (FakeStream *)base;
    ASSERT(s->queued < QUEUE);
    s->queue[s->queued++] = w;
}

static void fake_upload(Stream *s, Tensor out, const void *in)
{
    later(s, (Work){.out = out, .host = in});
}
static void fake_copy(Stream *s, Tensor out, Tensor in) { later(s, (Work){.out = out, .in = in}); }
static void fake_scale(Stream *s, Tensor t, float factor)
{
    later(s, (Work){.out = t, .factor = factor});
}

static void fake_download(Stream *s, void *out, Tensor in)
{
    fake_sync(s);
    memcpy(out, at(in), bytes_of(in));
}

static Buffer *fake_buffer_new(Backend *be, size_t bytes)
{
    Buffer *b = alloc(1, sizeof *b);
    b->hidden = ((FakeBackend *)be)->hidden;
    b->bytes = alloc(bytes, 1);
    return b;
}

static void fake_buffer_free(Buffer *b)
{
    if (b)
        free(b->bytes);
    free(b);
}

static void *fake_buffer_host(Buffer *b) { return b->hidden ? NULL : b->bytes; }

static Stream *fake_stream_new(Backend *be, int threads)
{
    FakeStream *s = alloc(1, sizeof *s);
    s->base = (Stream){be, threads};
    return &s->base;
}

static void fake_stream_free(Stream *s) { free(s); }
static void fake_close(Backend *be) { free(be); }

Backend *fake_backend_open(bool hidden)
{
    static const BackendOps ops = {
        .name = "fake",
        .buffer_new = fake_buffer_new,
        .buffer_free = fake_buffer_free,
        .buffer_host = fake_buffer_host,
        .upload = fake_upload,
        .download = fake_download,
        .copy = fake_copy,
        .scale = fake_scale,
        .stream_new = fake_stream_new,
        .stream_free = fake_stream_free,
        .stream_sync = fake_sync,
        .close = fake_close,
    };
    FakeBackend *be = alloc(1, sizeof *be);
    be->base = (Backend){.op = &ops, .threads = 1, .description = "fake"};
    be->hidden = hidden;
    return &be->base;
}
