/* call_board.c: see call_board.h. The board lies in a file that all ranks of the machine map, and
 * that has no name any more once they have.
 */
#include "call_inside.h"
#include "check.h"
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* The process's own, as MPI is. */
static Board all;
static pid_t opened_in; /* a forked child has no board */
static size_t bytes;
static _Thread_local struct {
    const char *name;
    const void *site;
} label;

/* Not by getpid(): a system call, four times in each call of MPI. */
Board *board(void) { return all.seats && opened_in ? &all : NULL; }

static void in_child(void) { opened_in = 0; }

int64_t board_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

void call_for(const char *name, const void *site)
{
    label.name = name;
    label.site = site;
}

/* ---- lines ---- */

static void slot_write(Slot *slot, uint64_t key, const Line *line)
{
    atomic_store(&slot->key, 0);
    atomic_thread_fence(memory_order_seq_cst);
    slot->line = *line;
    atomic_store(&slot->key, key);
}

bool slot_read(const Slot *slot, Line *line, uint64_t *key)
{
    for (int tries = 0; tries < 100; tries++) {
        uint64_t before = atomic_load(&slot->key);
        if (!before)
            return false;
        memcpy(line, &slot->line, sizeof *line);
        atomic_thread_fence(memory_order_seq_cst);
        if (atomic_load(&slot->key) == before) {
            *key = before;
            return true;
        }
    }
    return false;
}

static uint64_t line_key(const Line *l) { return (l->comm + (uint64_t)l->number) | 1ull << 63; }

static Slot *line_slot(const Seat *seat, const Line *l)
{
    return (Slot *)&seat->lines[line_key(l) % LINES];
}

bool seat_line(const Seat *seat, const Line *like, Line *found)
{
    uint64_t key;
    return slot_read(line_slot(seat, like), found, &key) && key == line_key(like);
}

/* ---- one call ---- */

/* The types that come often, without asking MPI. */
static void set_type(char text[12], MPI_Datatype type)
{
    const struct {
        MPI_Datatype type;
        const char *name;
    } known[] = {{MPI_FLOAT, "float"},
                 {MPI_DOUBLE, "double"},
                 {MPI_BYTE, "byte"},
                 {MPI_INT, "int"},
                 {MPI_CHAR, "char"}};
    char name[MPI_MAX_OBJECT_NAME] = "";
    for (int i = 0; i < (int)(sizeof known / sizeof *known); i++)
        if (type == known[i].type) {
            strcpy(text, known[i].name);
            return;
        }
    int length;
    PMPI_Type_get_name(type, name, &length);
    snprintf(text, 12, "%.11s", *name ? name : "elements");
}

static const char *op_name(MPI_Op op)
{
    return op == MPI_SUM ? "sum" : op == MPI_MAX ? "max" : op == MPI_MIN ? "min" : "";
}

/* In the world; -1: none or any. */
static int in_world(const CallComm *c, int rank)
{
    return c && rank >= 0 && rank < c->size ? c->world[rank] : -1;
}

/* Where the linker put the program's first byte, which is its ELF header. */
extern const Elf64_Ehdr __executable_start __attribute__((weak));

/* As in the program's file, whatever address it was loaded at. */
static uint64_t from_start(const void *site)
{
    bool moved = &__executable_start && __executable_start.e_type == ET_DYN;
    return (uint64_t)site - (moved ? (uint64_t)&__executable_start : 0);
}

static uint64_t site_of(const Call *call)
{
    return from_start(label.site ? label.site : call->site);
}

static Line line_of(const Call *call, CallComm *c)
{
    Line l = {.kind = call->kind,
              .starts = call->starts,
              .comm = c ? c->id : 0,
              .count = call->count,
              .peer = call->peer,
              .from = call->from,
              .tag = call->tag,
              .to_world = in_world(c, call->peer),
              .from_world = in_world(c, call->from),
              .site = site_of(call)};
    strncpy(l.name, label.name ? label.name : call->name, sizeof l.name - 1);
    set_type(l.type, call->type);
    strcpy(l.op, op_name(call->op));
    if (c)
        memcpy(l.members, c->members, sizeof l.members);
    return l;
}

void board_alive(void)
{
    if (!board())
        return;
    Seat *me = &all.seats[all.rank];
    atomic_store(&me->polls, 0);
    atomic_store(&me->since, board_clock());
    atomic_fetch_add(&me->beats, 1);
}

void call_polls(const Call *call, bool completes)
{
    if (!board())
        return;
    Seat *me = &all.seats[all.rank];
    if (completes) {
        board_alive();
        return;
    }
    if (atomic_fetch_add(&me->polls, 1) == 0 || me->now.line.site != site_of(call)) {
        Line l = line_of(call, call_comm(call->comm));
        slot_write(&me->now, 1, &l);
    }
}

/* Compares with those that have come to this collective already. */
static void compare(const Line *mine)
{
    Line theirs;
    for (int i = 0; i < all.locals; i++) {
        int r = all.here[i];
        if (r == all.rank || !seat_line(&all.seats[r], mine, &theirs))
            continue;
        char *fault = words_of_mismatch(mine, all.rank, &theirs, r);
        if (fault)
            die(EXIT_WRONG, "%s", fault);
    }
}

void call_begin(const Call *call)
{
    if (!board())
        return;
    Seat *me = &all.seats[all.rank];
    CallComm *c = call_comm(call->comm);
    Line l = line_of(call, c);
    bool together = c && call->kind >= CALL_BARRIER;
    if (together)
        l.number = ++c->calls;
    slot_write(&me->now, 1, &l);
    if (together)
        slot_write(line_slot(me, &l), line_key(&l), &l);
    if (!call->starts) { /* what only starts has completed nothing yet */
        board_alive();
        atomic_store(&me->state, SEAT_IN_CALL);
    }
    atomic_thread_fence(memory_order_seq_cst); /* of two that come at once one sees the other */
    if (together)
        compare(&l);
}

void call_end(const Call *call)
{
    if (!board())
        return;
    Seat *me = &all.seats[all.rank];
    if (call->kind >= CALL_BARRIER)
        slot_write(&me->last, 1, &me->now.line);
    atomic_store(&me->state, SEAT_OUTSIDE);
    if (!call->starts)
        board_alive();
}

/* ---- open and close ---- */

/* A file of `bytes` bytes in memory, with a name that the others can open. false: none. */
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

static void sit_down(void)
{
    Seat *me = &all.seats[all.rank];
    me->pid = getpid();
    ssize_t length = readlink("/proc/self/exe", me->program, sizeof me->program - 1);
    me->program[length > 0 ? length : 0] = 0;
    board_alive();
    atomic_store(&me->state, SEAT_OUTSIDE);
}

void board_open(void)
{
    MPI_Comm machine;
    PMPI_Comm_rank(MPI_COMM_WORLD, &all.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &all.size);
    if (all.size == 1 || all.size > MOST_WORLD)
        return;
    bytes = (size_t)all.size * sizeof(Seat) + sizeof *all.told;
    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    all.seats = map_together(machine);
    if (all.seats) {
        all.told = (void *)(all.seats + all.size);
        opened_in = getpid();
        pthread_atfork(NULL, NULL, in_child);
        find_locals(machine);
        sit_down();
        die_register(all.rank, all.size, end_all);
        PMPI_Barrier(machine);
        call_watch_begin();
    }
    PMPI_Comm_free(&machine);
}

void board_close(void)
{
    if (!board())
        return;
    atomic_store(&all.seats[all.rank].state, SEAT_LEFT);
    call_watch_end();
    die_register(all.rank, all.size, NULL);
    opened_in = 0; /* the memory stays: others still look at it, and it goes with the process */
    free(all.here);
    all.here = NULL;
}
