/* call_text.c: messages from the board: which call, from which line of source, and the usual cause
 * of such a mistake.
 */
#include "call_inside.h"
#include "check.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the line of source ---- */

/* "3_train.c:151", by binutils' addr2line; "" where it is missing. For an inlined
 * function also the line that calls it. */
static void source_line(char *text, size_t room, const RankCalls *entry, uint64_t site)
{
    char command[400], line[128];
    *text = 0;
    if (strchr(entry->program, '\''))
        return;
    snprintf(command, sizeof command, "addr2line -s -i -e '%s' 0x%llx 2>/dev/null", entry->program,
             (unsigned long long)site - 1); /* - 1: the call, not what follows it */
    FILE *from = popen(command, "r");
    for (int n = 0; from && fgets(line, sizeof line, from); n++) {
        line[strcspn(line, " \n")] = 0; /* also "(discriminator 2)" */
        size_t used = strlen(text);
        if (n < 2 && *line != '?')
            snprintf(text + used, room - used, "%s%s", used ? ", from " : "", line);
    }
    if (from)
        pclose(from);
}

/* ---- one call ---- */

/* " of 235146 float from rank 0": ranks of the world, as the one that makes the call. */
static void what_moves(char *text, size_t room, const CallRecord *l)
{
    char rank[40] = "", tag[24] = "";
    int to = l->to_world >= 0 ? l->to_world : l->peer,
        from = l->from_world >= 0 ? l->from_world : l->from;
    bool collective = l->kind >= CALL_BARRIER,
         sized = l->kind != CALL_BARRIER && l->kind < CALL_CREATE && l->kind != CALL_WAIT;
    if (collective && l->peer >= 0)
        snprintf(rank, sizeof rank, " with root %d", to);
    else if (l->kind == CALL_SEND_RECV)
        snprintf(rank, sizeof rank, " to rank %d and from rank %d", to, from);
    else if (l->kind == CALL_SEND)
        snprintf(rank, sizeof rank, " to rank %d", to);
    else if (l->kind == CALL_RECV && from >= 0)
        snprintf(rank, sizeof rank, " from rank %d", from);
    else if (l->kind == CALL_RECV)
        snprintf(rank, sizeof rank, " from any rank");
    if (!collective && l->kind != CALL_WAIT)
        snprintf(tag, sizeof tag, ", tag %d", l->tag);
    if (sized)
        snprintf(text, room, " of %ld %s%s%s%s", l->count, l->type, *l->op ? " " : "", l->op, rank);
    else
        snprintf(text, room, "%s", rank);
    size_t used = strlen(text);
    snprintf(text + used, room - used, "%s", tag);
}

char *describe_call(const CallRecord *l, const RankCalls *entry)
{
    char moves[160], source[300];
    what_moves(moves, sizeof moves, l);
    source_line(source, sizeof source, entry, l->site);
    return format_new("%s%s%s%s%s", l->name, moves, *source ? " (" : "", source,
                      *source ? ")" : "");
}

/* ---- a mismatch ---- */

static bool same_size(const CallRecord *a, const CallRecord *b)
{
    return a->count == b->count && !strcmp(a->type, b->type);
}

static const char *hint_of(const CallRecord *a, const CallRecord *b)
{
    bool by_name = a->kind == CALL_UNEQUAL || a->kind == CALL_SCAN;
    if (a->kind != b->kind || a->starts != b->starts || (by_name && strcmp(a->name, b->name)))
        return "every rank must make the same calls in the same order: does one make more updates, "
               "or is a call inside 'if (rank == …)'?";
    if (a->peer != b->peer)
        return "every rank must name the same root";
    if (!same_size(a, b))
        return a->site == b->site ? "every rank must give the same number of elements"
                                  : "every rank must make the same calls in the same order: is one "
                                    "rank a call ahead of the others?";
    if (strcmp(a->op, b->op) != 0)
        return "every rank must name the same operation";
    return NULL;
}

char *describe_mismatch(const CallRecord *mine, int rank, const CallRecord *theirs, int other)
{
    const char *hint = hint_of(mine, theirs);
    if (!hint)
        return NULL;
    const RankCalls *ranks = board()->ranks;
    char *here = describe_call(mine, &ranks[rank]), *there = describe_call(theirs, &ranks[other]);
    const CallRecord *low = rank < other ? mine : theirs;
    char *text = format_new("collective %ld: rank %d calls %s, but rank %d %s: %s", low->number,
                            rank < other ? rank : other, rank < other ? here : there,
                            rank < other ? other : rank, rank < other ? there : here, hint);
    free(here);
    free(there);
    return text;
}

/* ---- where a rank is ---- */

/* 'T' of a stopped process, 'Z' or 0 of one that has ended. */
static char process_state(pid_t pid)
{
    char path[64], text[400] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return kill(pid, 0) != 0 && errno == ESRCH ? 0 : '?';
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    const char *end = length ? strrchr(text, ')') : NULL;
    return end && end[1] && end[2] ? end[2] : '?';
}

bool rank_stopped(const RankCalls *entry)
{
    char state = process_state(entry->pid);
    return state == 'T' || state == 't';
}

bool rank_runs(const RankCalls *entry) { return process_state(entry->pid) == 'R'; }

double rank_cpu_time(const RankCalls *entry)
{
    char path[64];
    long long ns = 0;
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)entry->pid);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%lld", &ns) != 1)
        ns = 0;
    if (file)
        fclose(file);
    return 1e-9 * (double)ns;
}

/* "collective 12, " */
static void number_text(char text[32], const CallRecord *l)
{
    *text = 0;
    if (l->number)
        snprintf(text, 32, "collective %ld, ", l->number);
}

/* The last collective that it completed. */
static char *describe_last(const RankCalls *entry)
{
    CallRecord l;
    uint64_t key;
    char number[32];
    if (!slot_read(&entry->last, &l, &key))
        return format_new("before its first collective");
    char *words = describe_call(&l, entry);
    number_text(number, &l);
    char *text = format_new("after %s%s", number, words);
    free(words);
    return text;
}

/* The test that a rank calls in a loop; NULL: it does not. */
static char *describe_polling(const RankCalls *entry)
{
    CallRecord l;
    uint64_t key;
    if (!atomic_load(&entry->polls) || !slot_read(&entry->now, &l, &key))
        return NULL;
    char *call = describe_call(&l, entry),
         *text = format_new("polls with %s, and completes nothing", call);
    free(call);
    return text;
}

/* A rank outside MPI, or one that has ended. */
static char *describe_outside(int r, const RankCalls *entry, double seconds)
{
    char process = process_state(entry->pid);
    char *polls = describe_polling(entry);
    const char *now = polls ? polls : "makes no call: it computes, or hangs outside MPI";
    if (atomic_load(&entry->state) == STATE_LEFT)
        now = "has left the run (MPI_Finalize)";
    else if (!process || process == 'Z')
        now = "has ended";
    else if (rank_stopped(entry))
        now = "is stopped, by a signal or a debugger";
    char *last = describe_last(entry);
    char *text = format_new("rank %d %s, for %.0f s, %s", r, now, seconds, last);
    free(last);
    free(polls);
    return text;
}

char *describe_rank(int r)
{
    const RankCalls *entry = &board()->ranks[r];
    double seconds = 1e-9 * (double)(board_clock() - atomic_load(&entry->since));
    char number[32];
    CallRecord l;
    uint64_t key;
    if (atomic_load(&entry->state) == STATE_ABSENT)
        return format_new("rank %d is on another machine", r);
    if (atomic_load(&entry->state) != STATE_IN_CALL || !slot_read(&entry->now, &l, &key))
        return describe_outside(r, entry, seconds);
    char *words = describe_call(&l, entry);
    number_text(number, &l);
    char *text = format_new("rank %d has been in %s%s for %.0f s%s", r, number, words, seconds,
                            rank_stopped(entry) ? ", and is stopped" : "");
    free(words);
    return text;
}

char *board_call(void)
{
    const RankCalls *mine = board_mine();
    CallRecord l;
    uint64_t key;
    return mine && slot_read(&mine->now, &l, &key) ? describe_call(&l, mine) : NULL;
}

char *describe_hang(const char *why)
{
    enum { MOST = 6 }; /* ranks named */
    const Board *b = board();
    char *text = format_new("%s", why);
    for (int i = 0; i < b->locals; i++) {
        char *before = text, *words = i < MOST ? describe_rank(b->here[i]) : NULL;
        if (i < MOST)
            text = format_new("%s%s%s", before, i ? "; " : ": ", words);
        else if (i == MOST)
            text = format_new("%s; and %d more ranks", before, b->locals - MOST);
        else
            continue;
        free(before);
        free(words);
    }
    return text;
}
