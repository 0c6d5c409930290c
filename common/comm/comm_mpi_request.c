/* comm_mpi_request.c: an MPI operation in flight, its tensors staged through host memory. See
 * comm_mpi_request.h. */
#include "comm_mpi_request.h"
#include "mpi_check.h"
#include <stdlib.h>

CommRequest *request_begin(RequestPool *pool, Stream *s)
{
    CommRequest *r = pool->spare;
    if (r)
        pool->spare = r->next;
    else
        r = alloc(1, sizeof *r);
    r->pool = pool;
    r->s = s;
    r->mpi = MPI_REQUEST_NULL;
    r->done = r->receives = false;
    r->lent = 0;
    pool->in_flight++;
    s->be->op->stream_sync(s); /* the queued work has then written the tensors */
    return r;
}

/* Host memory of at least `bytes` bytes, page-locked where the device has it. */
static void staged_fit(Staged *staged, Backend *be, size_t bytes)
{
    const BackendOps *op = be->op;
    void (*release)(void *) = op->staging_free ? op->staging_free : free;
    if (staged->capacity >= bytes && staged->release == release)
        return;
    if (staged->host)
        staged->release(staged->host);
    staged->host = op->staging_new ? op->staging_new(be, bytes) : alloc(bytes, 1);
    staged->release = release;
    staged->capacity = bytes;
}

void *request_lend(CommRequest *r, Tensor t, int use)
{
    const BackendOps *op = r->s->be->op;
    size_t size = dtype_size(t.dtype), bytes = tensor_count(t) * size;
    if (bytes == 0)
        return NULL;
    char *host = op->buffer_host(t.buf);
    if (host)
        return host + t.at * size;
    Staged *staged = &r->staged[r->lent++];
    staged_fit(staged, r->s->be, bytes);
    if (use & MPI_READS)
        op->download(r->s, staged->host, t);
    staged->upload = use & MPI_WRITES ? t : NO_TENSOR;
    return staged->host;
}

static void check_received(CommRequest *r)
{
    MPI_Count bytes;
    MPI_CHECK(MPI_Get_elements_x, &r->status, MPI_BYTE, &bytes);
    if ((size_t)bytes != r->expected)
        die(EXIT_WRONG, "comm_recv: rank %d sent %lld bytes, expected %zu", r->status.MPI_SOURCE,
            (long long)bytes, r->expected);
}

/* Upload the received elements from staging memory. */
static void upload(CommRequest *r)
{
    const BackendOps *op = r->s->be->op;
    bool uploads = false;
    for (int i = 0; i < r->lent; i++)
        if (r->staged[i].upload.buf) {
            op->upload(r->s, r->staged[i].upload, r->staged[i].host);
            uploads = true;
        }
    if (uploads)
        op->stream_sync(r->s); /* the next operation may reuse the staging memory at once */
}

int request_wait(CommRequest *r)
{
    if (!r->done)
        MPI_CHECK(MPI_Wait, &r->mpi, &r->status);
    if (r->receives)
        check_received(r);
    upload(r);
    r->pool->in_flight--;
    r->next = r->pool->spare;
    r->pool->spare = r;
    return r->receives ? r->status.MPI_SOURCE : -1;
}

bool request_test(CommRequest *r)
{
    int done = r->done;
    if (!done)
        MPI_CHECK(MPI_Test, &r->mpi, &done, &r->status);
    return r->done = done;
}

void request_end(CommRequest *r, CommRequest **request)
{
    if (request)
        *request = r;
    else
        request_wait(r);
}

void request_pool_free(RequestPool *pool)
{
    if (pool->in_flight)
        die(EXIT_WRONG,
            "comm_close: %d operations were started and never waited for: call comm_wait",
            pool->in_flight);
    for (CommRequest *r = pool->spare, *next; r; r = next) {
        next = r->next;
        for (int i = 0; i < 2; i++)
            if (r->staged[i].host)
                r->staged[i].release(r->staged[i].host);
        free(r);
    }
}
