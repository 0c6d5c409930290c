/* call_board.c: see call_board.h. The board is a file that all ranks of the machine map and
 * then unlink.
 */
#include "call_inside.h"
#include "check.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static Board all;
static pid_t opened_in; /* a forked child has no board */
static size_t bytes;

/* Not by getpid(): a system call, four times in each call of MPI. */
Board *board(void) { return all.ranks && opened_in ? &all : NULL; }
RankCalls *board_mine(void) { return board() ? &all.ranks[all.rank] : NULL; }

static void in_child(void) { opened_in = 0; }

int64_t board_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

/* ---- slots ---- */

void slot_write(Slot *slot, uint64_t key, const CallRecord *record)
{
    atomic_store(&slot->key, 0);
    atomic_thread_fence(memory_order_seq_cst);
    slot->record = *record;
    atomic_store(&slot->key, key);
}

bool slot_read(const Slot *slot, CallRecord *record, uint64_t *key)
{
    for (int tries = 0; tries < 100; tries++) {
        uint64_t before = atomic_load(&slot->key);
        if (!before)
            return false;
        memcpy(record, &slot->record, sizeof *record);
        atomic_thread_fence(memory_order_seq_cst);
        if (atomic_load(&slot->key) == before) {
            *key = before;
            return true;
        }
    }
    return false;
}

uint64_t record_key(const CallRecord *l) { return (l->comm + (uint64_t)l->number) | 1ull << 63; }

Slot *record_slot(const RankCalls *entry, const CallRecord *l)
{
    return (Slot *)&entry->records[record_key(l) % RECORDS];
}

bool find_record(const RankCalls *entry, const CallRecord *like, CallRecord *found)
{
    uint64_t key;
    return slot_read(record_slot(entry, like), found, &key) && key == record_key(like);
}

void board_alive(void)
{
    RankCalls *me = board_mine();
    if (!me)
        return;
    atomic_store(&me->polls, 0);
    atomic_store(&me->since, board_clock());
    atomic_fetch_add(&me->beats, 1);
}

/* ---- open and close ---- */

/* A file of `bytes` bytes in memory, with a name that the others can open. -1: it failed. */
static int board_file(char path[256], bool first)
{
    const char *run = getenv("LABS_RUN");
    if (!first)
        return *path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    snprintf(path, 256, "%s/board.XXXXXX", run && strlen(run) < 200 ? run : "/dev/shm");
    int file = mkstemp(path);
    if (file >= 0 && ftruncate(file, (off_t)bytes) != 0) {
        close(file);
        unlink(path);
        file = -1;
    }
    if (file < 0)
        *path = 0;
    return file;
}

/* Maps the file on all ranks of `machine`, or on none. */
static void *map_together(MPI_Comm machine)
{
    char path[256] = "";
    int rank;
    PMPI_Comm_rank(machine, &rank);
    int file = rank == 0 ? board_file(path, true) : -1;
    PMPI_Bcast(path, sizeof path, MPI_CHAR, 0, machine);
    if (rank != 0)
        file = board_file(path, false);
    void *memory = file < 0 ? MAP_FAILED
                            : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    int works = memory != MAP_FAILED;
    PMPI_Allreduce(MPI_IN_PLACE, &works, 1, MPI_INT, MPI_MIN, machine);
    if (rank == 0 && *path)
        unlink(path);
    if (!works && memory != MAP_FAILED)
        munmap(memory, bytes);
    return works ? memory : NULL;
}

static void find_locals(MPI_Comm machine)
{
    PMPI_Comm_size(machine, &all.locals);
    all.here = alloc((unsigned long)all.locals, sizeof *all.here);
    PMPI_Allgather(&all.rank, 1, MPI_INT, all.here, 1, MPI_INT, machine);
}

static void end_all(int status)
{
    if (opened_in == getpid())
        PMPI_Abort(MPI_COMM_WORLD, status);
}

static void register_rank(void)
{
    RankCalls *me = &all.ranks[all.rank];
    me->pid = getpid();
    ssize_t length = readlink("/proc/self/exe", me->program, sizeof me->program - 1);
    me->program[length > 0 ? length : 0] = 0;
    board_alive();
    atomic_store(&me->state, STATE_OUTSIDE);
}

void board_open(void)
{
    MPI_Comm machine;
    PMPI_Comm_rank(MPI_COMM_WORLD, &all.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &all.size);
    if (all.size == 1 || all.size > MOST_WORLD)
        return;
    bytes = (size_t)all.size * sizeof(RankCalls) + sizeof *all.reported;
    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    all.ranks = map_together(machine);
    if (all.ranks) {
        all.reported = (void *)(all.ranks + all.size);
        opened_in = getpid();
        pthread_atfork(NULL, NULL, in_child);
        find_locals(machine);
        register_rank();
        die_register(all.rank, all.size, end_all);
        PMPI_Barrier(machine);
    }
    PMPI_Comm_free(&machine);
}

void board_close(void)
{
    if (!board())
        return;
    atomic_store(&all.ranks[all.rank].state, STATE_LEFT);
    die_register(all.rank, all.size, NULL);
    opened_in = 0; /* the memory stays mapped: other ranks still read it */
    free(all.here);
    all.here = NULL;
}
