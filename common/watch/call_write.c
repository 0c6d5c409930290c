/* call_write.c: writes this rank's calls on the board, and compares them with what the other ranks
 * have written. See call_board.h. */
#include "call_inside.h"
#include "check.h"
#include <elf.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct {
    const char *name;
    const void *site;
} label;

void call_for(const char *name, const void *site)
{
    label.name = name;
    label.site = site;
}

/* ---- a call as a record ---- */

/* Common types by comparison, which is faster than MPI_Type_get_name. */
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

/* The address in the program's file, without the load offset. */
static uint64_t from_start(const void *site)
{
    bool moved = &__executable_start && __executable_start.e_type == ET_DYN;
    return (uint64_t)site - (moved ? (uint64_t)&__executable_start : 0);
}

static uint64_t site_of(const Call *call)
{
    return from_start(label.site ? label.site : call->site);
}

static CallRecord record_of(const Call *call, CallComm *c)
{
    CallRecord l = {.kind = call->kind,
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

void call_polls(const Call *call, bool completes)
{
    RankCalls *me = board_mine();
    if (!me)
        return;
    if (completes) {
        board_alive();
        return;
    }
    if (atomic_fetch_add(&me->polls, 1) == 0 || me->now.record.site != site_of(call)) {
        CallRecord l = record_of(call, call_comm(call->comm));
        slot_write(&me->now, 1, &l);
    }
}

/* Compares with the ranks that have already entered this collective. */
static void compare(const CallRecord *mine)
{
    const Board *b = board();
    CallRecord theirs;
    for (int i = 0; i < b->locals; i++) {
        int r = b->here[i];
        if (r == b->rank || !find_record(&b->ranks[r], mine, &theirs))
            continue;
        char *fault = describe_mismatch(mine, b->rank, &theirs, r);
        if (fault)
            die(EXIT_WRONG, "%s", fault);
    }
}

void call_begin(const Call *call)
{
    RankCalls *me = board_mine();
    if (!me)
        return;
    CallComm *c = call_comm(call->comm);
    CallRecord l = record_of(call, c);
    bool together = c && call->kind >= CALL_BARRIER;
    if (together)
        l.number = ++c->calls;
    slot_write(&me->now, 1, &l);
    if (together)
        slot_write(record_slot(me, &l), record_key(&l), &l);
    if (!call->starts) { /* a nonblocking call has completed nothing yet */
        board_alive();
        atomic_store(&me->state, STATE_IN_CALL);
    }
    atomic_thread_fence(memory_order_seq_cst); /* of two that come at once one sees the other */
    if (together)
        compare(&l);
}

void call_end(const Call *call)
{
    RankCalls *me = board_mine();
    if (!me)
        return;
    if (call->kind >= CALL_BARRIER)
        slot_write(&me->last, 1, &me->now.record);
    atomic_store(&me->state, STATE_OUTSIDE);
    if (!call->starts)
        board_alive();
}
