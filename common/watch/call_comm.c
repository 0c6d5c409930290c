/* call_comm.c: what the layer knows of each communicator, kept as an attribute of it. See
 * mpi_call.h. */
#include "check.h"
#include "mpi_call.h"
#include <stdlib.h>

static int key = MPI_KEYVAL_INVALID; /* the process's own: MPI has one per process, too */

static int forget(MPI_Comm comm, int keyval, void *value, void *unused)
{
    CallComm *c = value;
    if (c->on_free)
        c->on_free(c);
    free(c->world);
    free(c);
    return MPI_SUCCESS;
}

/* FNV-1a, 64 bits a step. */
static uint64_t hash(uint64_t parent, uint64_t number, uint64_t first)
{
    const uint64_t prime = 0x100000001b3, parts[] = {parent, number, first};
    uint64_t h = 0xcbf29ce484222325;
    for (int i = 0; i < 3; i++) {
        h = (h ^ parts[i]) * prime;
        h ^= h >> 29;
    }
    return h;
}

static void world_ranks(CallComm *c, MPI_Comm comm)
{
    MPI_Group own, world;
    c->world = alloc((unsigned long)c->size, sizeof *c->world);
    int *ranks = alloc((unsigned long)c->size, sizeof *ranks);
    for (int r = 0; r < c->size; r++)
        ranks[r] = r;
    PMPI_Comm_group(comm, &own);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(own, c->size, ranks, world, c->world);
    PMPI_Group_free(&own);
    PMPI_Group_free(&world);
    free(ranks);
}

/* The first rank in the id tells the parts of one split apart. */
static void note_comm(MPI_Comm comm, uint64_t parent, uint64_t number)
{
    int between;
    PMPI_Comm_test_inter(comm, &between);
    if (between)
        return;
    CallComm *c = alloc(1, sizeof *c);
    PMPI_Comm_rank(comm, &c->rank);
    PMPI_Comm_size(comm, &c->size);
    world_ranks(c, comm);
    for (int r = 0; r < c->size; r++)
        if (c->world[r] >= 0 && c->world[r] < MOST_WORLD)
            c->members[c->world[r] / 64] |= 1ull << c->world[r] % 64;
    c->id = hash(parent, number, (uint64_t)c->world[0]);
    PMPI_Comm_set_attr(comm, key, c);
}

void call_comms_begin(void)
{
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL);
    note_comm(MPI_COMM_WORLD, 0, 0);
    note_comm(MPI_COMM_SELF, 0, 1);
}

void call_comms_end(void)
{
    MPI_Comm given[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    for (int i = 0; i < 2 && key != MPI_KEYVAL_INVALID; i++)
        PMPI_Comm_delete_attr(given[i], key);
    if (key != MPI_KEYVAL_INVALID)
        PMPI_Comm_free_keyval(&key);
}

void call_comm_made(MPI_Comm parent, MPI_Comm made)
{
    CallComm *p = call_comm(parent);
    if (!p)
        return;
    p->made++;
    if (made != MPI_COMM_NULL)
        note_comm(made, p->id, (uint64_t)p->made);
}

void call_group_made(MPI_Comm parent, MPI_Comm made)
{
    CallComm *p = call_comm(parent);
    if (!p || made == MPI_COMM_NULL)
        return;
    int number = ++p->grouped; /* that of the first rank: the parent's ranks count differently */
    PMPI_Bcast(&number, 1, MPI_INT, 0, made);
    note_comm(made, p->id, ~(uint64_t)number);
}

CallComm *call_comm(MPI_Comm comm)
{
    void *value;
    int found = 0;
    if (key == MPI_KEYVAL_INVALID || comm == MPI_COMM_NULL)
        return NULL;
    PMPI_Comm_get_attr(comm, key, &value, &found);
    return found ? value : NULL;
}

double call_bytes(int count, MPI_Datatype type)
{
    int size = 0;
    PMPI_Type_size(type, &size);
    return (double)count * size;
}
