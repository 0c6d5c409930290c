/* wire.c: see wire.h. */
#include "wire.h"
#include "check.h"
#include <math.h>
#include <string.h>

Wire wire_new(Comm *comm, Backend *be, Stream *s, size_t room)
{
    Wire w = {.comm = comm, .be = be, .s = s, .room = room};
    REQUIRE(room * comm->size < 1ul << 31, "packets of %d ranks with %zu bytes each are too much",
            comm->size, room);
    w.packet = tensor_new(be, U8, (int)room, 1, 1, 1, 0);
    w.packets = tensor_new(be, U8, (int)room * comm->size, 1, 1, 1, 0);
    w.mine = be->op->buffer_host(w.packet.buf);
    w.all = be->op->buffer_host(w.packets.buf);
    REQUIRE(w.mine && w.all, "this part computes on the CPU: give --device cpu");
    return w;
}

void wire_free(Wire *w)
{
    tensor_free(w->be, w->packets);
    tensor_free(w->be, w->packet);
}

void wire_begin(Wire *w)
{
    w->calls = 0;
    w->sent = w->seconds = 0;
}

static void enter(Wire *w, WireCall call, double sent, double began)
{
    if (w->calls == WIRE_CALLS)
        die(EXIT_USAGE, "more than %d communications in an update: take a smaller network",
            WIRE_CALLS);
    w->call[w->calls++] = call;
    w->sent += sent;
    w->seconds += link_now() - began;
}

void wire_gather(Wire *w, size_t bytes)
{
    double began = link_now();
    int P = w->comm->size;
    ASSERT(bytes <= w->room);
    comm_all_gather(w->comm, tensor_slice(w->packets, 0, (int)bytes * P),
                    tensor_slice(w->packet, 0, (int)bytes), w->s);
    enter(w, (WireCall){WIRE_GATHER, (double)bytes * P}, (double)bytes, began);
}

void wire_sum(Wire *w, Tensor vector)
{
    double began = link_now(), bytes = 4.0 * (double)tensor_count(vector);
    comm_all_reduce(w->comm, vector, COMM_SUM, w->s);
    enter(w, (WireCall){WIRE_SUM, bytes}, bytes, began);
}

void wire_mean(void *wire, float *v, int count)
{
    Wire *w = wire;
    ASSERT(4 * (size_t)count <= w->room);
    float *packet = (float *)w->mine, factor = 1.0f / (float)w->comm->size;
    memcpy(packet, v, 4 * (size_t)count);
    wire_sum(w, tensor_vector(w->packet.buf, 0, F32, count));
    for (int i = 0; i < count; i++)
        v[i] = factor * packet[i];
}

size_t wire_swap(Wire *w, int partner, size_t bytes, int *tag)
{
    double began = link_now();
    MPI_Status status;
    int received;
    ASSERT(bytes <= w->room);
    MPI_Sendrecv(w->mine, (int)bytes, MPI_BYTE, partner, *tag, w->all, (int)w->room, MPI_BYTE,
                 partner, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &received);
    *tag = status.MPI_TAG;
    enter(w, (WireCall){WIRE_SWAP, fmax((double)bytes, received)}, (double)bytes, began);
    return (size_t)received;
}

double wire_seconds(const WireCall *call, int calls, int P, Link link)
{
    double seconds = 0;
    for (int i = 0; i < calls && P > 1; i++)
        seconds += call[i].kind == WIRE_SUM ? link_seconds(LINK_ALL_REDUCE, P, call[i].bytes, link)
                 : call[i].kind == WIRE_GATHER
                     ? link_seconds(LINK_REDUCE_SCATTER, P, call[i].bytes, link)
                     : link.latency + call[i].bytes / link.bandwidth;
    return seconds;
}
