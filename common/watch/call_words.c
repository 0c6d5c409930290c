/* call_words.c: what the board shows, as text: which call, from which line of source, and what a
 * mistake like this usually is.
 */
#include "call_inside.h"
#include "check.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the line of source ---- */

/* "3_train.c:151", from the compiler's own tool (binutils' addr2line); "" where it is missing.
 * Of a function that was inlined also the line that it stands in. */
static void source_line(char *text, size_t room, const Seat *seat, uint64_t site)
{
    char command[400], line[128];
    *text = 0;
    if (strchr(seat->program, '\''))
        return;
    snprintf(command, sizeof command, "addr2line -s -i -e '%s' 0x%llx 2>/dev/null", seat->program,
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

/* " of 235146 float from rank 0" */
static void what_moves(char *text, size_t room, const Line *l)
{
    char rank[40] = "", tag[24] = "";
    bool collective = l->kind >= CALL_BARRIER,
         sized = l->kind != CALL_BARRIER && l->kind < CALL_CREATE && l->kind != CALL_WAIT;
    if (collective && l->peer >= 0)
        snprintf(rank, sizeof rank, " with root %d", l->peer);
    else if (l->kind == CALL_SEND_RECV)
        snprintf(rank, sizeof rank, " to rank %d and from rank %d", l->peer, l->from);
    else if (l->kind == CALL_SEND)
        snprintf(rank, sizeof rank, " to rank %d", l->peer);
    else if (l->kind == CALL_RECV && l->from >= 0)
        snprintf(rank, sizeof rank, " from rank %d", l->from);
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

char *words_of_line(const Line *l, const Seat *seat)
{
    char moves[160], source[300];
    what_moves(moves, sizeof moves, l);
    source_line(source, sizeof source, seat, l->site);
    return format_new("%s%s%s%s%s", l->name, moves, *source ? " (" : "", source,
                      *source ? ")" : "");
}

/* ---- a mismatch ---- */

static bool same_size(const Line *a, const Line *b)
{
    return a->count == b->count && !strcmp(a->type, b->type);
}

static const char *hint_of(const Line *a, const Line *b)
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

char *words_of_mismatch(const Line *mine, int rank, const Line *theirs, int other)
{
    const char *hint = hint_of(mine, theirs);
    if (!hint)
        return NULL;
    const Seat *seats = board()->seats;
    char *here = words_of_line(mine, &seats[rank]), *there = words_of_line(theirs, &seats[other]);
    const Line *low = rank < other ? mine : theirs;
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

bool seat_stopped(const Seat *seat)
{
    char state = process_state(seat->pid);
    return state == 'T' || state == 't';
}

bool seat_runs(const Seat *seat) { return process_state(seat->pid) == 'R'; }

double seat_processor(const Seat *seat)
{
    char path[64];
    long long ns = 0;
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)seat->pid);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%lld", &ns) != 1)
        ns = 0;
    if (file)
        fclose(file);
    return 1e-9 * (double)ns;
}

/* "collective 12, " */
static void number_text(char text[32], const Line *l)
{
    *text = 0;
    if (l->number)
        snprintf(text, 32, "collective %ld, ", l->number);
}

/* What it was in last, or "" */
static char *last_words(const Seat *seat)
{
    Line l;
    uint64_t key;
    char number[32];
    if (!slot_read(&seat->last, &l, &key))
        return format_new("before its first collective");
    char *words = words_of_line(&l, seat);
    number_text(number, &l);
    char *text = format_new("after %s%s", number, words);
    free(words);
    return text;
}

/* The test of which a rank makes a loop; NULL: none. */
static char *poll_words(const Seat *seat)
{
    Line l;
    uint64_t key;
    if (!atomic_load(&seat->polls) || !slot_read(&seat->now, &l, &key))
        return NULL;
    char *call = words_of_line(&l, seat),
         *text = format_new("polls with %s, and completes nothing", call);
    free(call);
    return text;
}

/* A rank that is in no call, or no longer there. */
static char *words_outside(int r, const Seat *seat, double seconds)
{
    char process = process_state(seat->pid);
    char *polls = poll_words(seat);
    const char *now = polls ? polls : "makes no call: it computes, or hangs outside MPI";
    if (atomic_load(&seat->state) == SEAT_LEFT)
        now = "has left the run (MPI_Finalize)";
    else if (!process || process == 'Z')
        now = "has ended";
    else if (seat_stopped(seat))
        now = "is stopped, by a signal or a debugger";
    char *last = last_words(seat);
    char *text = format_new("rank %d %s, for %.0f s, %s", r, now, seconds, last);
    free(last);
    free(polls);
    return text;
}

char *words_of_seat(int r)
{
    const Seat *seat = &board()->seats[r];
    double seconds = 1e-9 * (double)(board_clock() - atomic_load(&seat->since));
    char number[32];
    Line l;
    uint64_t key;
    if (atomic_load(&seat->state) == SEAT_EMPTY)
        return format_new("rank %d is on another machine", r);
    if (atomic_load(&seat->state) != SEAT_IN_CALL || !slot_read(&seat->now, &l, &key))
        return words_outside(r, seat, seconds);
    char *words = words_of_line(&l, seat);
    number_text(number, &l);
    char *text = format_new("rank %d has been in %s%s for %.0f s%s", r, number, words, seconds,
                            seat_stopped(seat) ? ", and is stopped" : "");
    free(words);
    return text;
}

char *words_of_hang(const char *why)
{
    enum { MOST = 6 }; /* ranks; the other lines are no help */
    const Board *b = board();
    char *text = format_new("%s", why);
    for (int i = 0; i < b->locals; i++) {
        char *before = text, *words = i < MOST ? words_of_seat(b->here[i]) : NULL;
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
