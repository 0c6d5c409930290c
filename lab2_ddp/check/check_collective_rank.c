/* check_collective_rank.c: one rank of the check of an all-reduce.
 *
 * Each case is one communicator and one length. The ranks that are not in it wait aside, and see to
 * it that no message reaches them: it can only have been sent to a rank of MPI_COMM_WORLD.
 */
#include "check.h"
#include "check_collective.h"
#include "check_tracer.h"
#include "link.h"
#include "rng.h"
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

enum { GUARD = 4, MOST_TEXT = 512 };
/* KiB of stack for a call: enough for MPI, too little for a chunk of the longest vector. */
enum { STACK = 256, LONGEST = 300007 };
static const float UNTOUCHED = 7;
static const double TOLERANCE = 0.05; /* of the time on the link */
static const Link slow = {.bandwidth = 100e6 / 8, .latency = 200e-6},
                  none = {.bandwidth = INFINITY};

typedef struct Judge {
    const Collective *c;
    const char *file; /* of the verdict */
    MPI_Comm aside;   /* all ranks */
    int world_rank, world_size;
    pid_t self;
    MPI_Errhandler on_error;
    /* the case */
    MPI_Comm comm; /* MPI_COMM_NULL: this rank is not in it */
    int P, rank;
    bool reversed; /* the last ranks of the world, in reverse order */
    bool divided;  /* it was right where P > 1 divides count */
} Judge;

/* What the exercise sends in a call, and v halfway. */
typedef struct Sends {
    const Judge *j;
    const float *v;
    int count, messages;
    int wrong_to;        /* the first message's receiver, if not j->c->next; else -1 */
    float *halfway;      /* NULL: it did not get there */
    int active;          /* requests that it did not complete, */
    const char *started; /* and the function that started them */
} Sends;

/* Where handlers write to. */
static const Judge *judging;

static const char *order(const Judge *j)
{
    return j->reversed ? " (the last ranks of MPI_COMM_WORLD, in reverse order)" : "";
}

static void write_line(const Judge *j, const char *before, const char *text)
{
    FILE *file = fopen(j->file, "a");
    REQUIRE(file, "%s: cannot be written", j->file);
    fprintf(file, "%s%s\n", before, text);
    fclose(file);
}

/* ---- the vectors ---- */

/* A vector of count elements, with guards around it. */
static float *guarded_new(int count)
{
    float *v = alloc((unsigned long)count + 2 * GUARD, sizeof *v);
    for (int i = 0; i < GUARD; i++)
        v[i] = v[GUARD + count + i] = UNTOUCHED;
    return v + GUARD;
}

static void guarded_free(float *v) { free(v - GUARD); }

static char *guards_fault(const float *v, int count)
{
    bool before = false, behind = false;
    for (int i = 1; i <= GUARD; i++) {
        before |= v[-i] != UNTOUCHED;
        behind |= v[count + i - 1] != UNTOUCHED;
    }
    return before || behind
             ? format_new("it writes outside of v, %s it", before ? "before" : "after")
             : NULL;
}

/* Element i of rank r's vector, where positions matter. */
static float element(int r, int i)
{
    Rng draw = rng_at(5, RNG_TEST, (uint32_t)r, (uint64_t)i);
    return rng_uniform(&draw) - 0.5f;
}

static void note_send(void *context, int to, const void *data, double bytes)
{
    Sends *s = context;
    const Collective *c = s->j->c;
    if (to < 0)
        return;
    if (s->messages == 0 && c->next && to != c->next(s->j->rank, s->j->P))
        s->wrong_to = to;
    if (c->halves && s->messages++ == c->first_half(s->j->rank, s->j->P))
        s->halfway = memcpy(alloc((unsigned long)s->count + 1, sizeof *s->v), s->v,
                            (unsigned long)s->count * sizeof *s->v);
}

/* ---- its stack ---- */

/* What to say if it overflows: the handler below may not make it. */
static char overflow[MOST_TEXT];

/* Linux leaves room for at least 128 MiB below a stack. */
static void on_fault(int number, siginfo_t *about, void *unused)
{
    uintptr_t top = getauxval(AT_EXECFN), at = (uintptr_t)about->si_addr;
    int file = at < top && top - at < 128 << 20 ? open(judging->file, O_WRONLY | O_APPEND) : -1;
    if (file >= 0 && write(file, overflow, strlen(overflow)) > 0)
        close(file);
    signal(number, SIG_DFL); /* and the instruction is repeated */
}

static void watch_stack(void)
{
    static char room[64 << 10];
    struct sigaction on = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaltstack(&(stack_t){.ss_sp = room, .ss_size = sizeof room}, NULL);
    sigaction(SIGSEGV, &on, NULL);
}

/* Its limit, which holds at once: STACK above what is used. Returns what it was. */
static struct rlimit limit_stack(const Judge *j, int count)
{
    struct rlimit before, now;
    getrlimit(RLIMIT_STACK, &before);
    now = before;
    now.rlim_cur = getauxval(AT_EXECFN) - (uintptr_t)&now + (STACK << 10);
    if (now.rlim_cur < before.rlim_cur)
        setrlimit(RLIMIT_STACK, &now);
    snprintf(overflow, sizeof overflow,
             "P = %d%s, count = %d, rank %d: it needs more than %d KiB of stack: any count must "
             "fit, so a vector belongs on the heap (alloc, free)\n",
             j->P, order(j), count, j->rank, STACK);
    return before;
}

/* Returns what it sent; free() its halfway. */
static Sends call(const Judge *j, float *v, int count)
{
    Sends sends = {.j = j, .v = v, .count = count, .wrong_to = -1};
    struct rlimit stack = limit_stack(j, count);
    link_observe(note_send, &sends);
    j->c->all_reduce(v, count, j->comm);
    setrlimit(RLIMIT_STACK, &stack);
    sends.active = link_active(&sends.started);
    link_observe(NULL, NULL);
    if (getpid() != j->self) {
        write_line(j, "", "it started a process, which came back: a rank is one process");
        _exit(EXIT_WRONG);
    }
    return sends;
}

/* ---- what is wrong, on this rank; NULL: nothing ---- */

/* Chunks that are right where P divides count. */
static bool remainder_alone(const Judge *j, int count)
{
    return j->c->halves && j->divided && count % j->P;
}

/* Where the mistake is, as text. All ranks of the case call it. */
static const char *wrong_half(const Judge *j, const float *v, int count, float sum)
{
    int complete = 1;
    if (!j->c->halves)
        return "";
    if (remainder_alone(j, count))
        return "; right where P divides count: those left over must be in a chunk, too";
    for (int i = 0; i < count; i++)
        complete &= v[i] == sum || !j->c->complete(i, count, j->rank, j->P);
    MPI_Allreduce(MPI_IN_PLACE, &complete, 1, MPI_INT, MPI_MIN, j->comm);
    return j->c->halves[complete];
}

static char *requests_fault(const Sends *s)
{
    return s->active > 0 ? format_new("%d request%s of %s %s not completed: MPI_Wait or "
                                      "MPI_Waitall for each, or v may change while it is sent or "
                                      "received",
                                      s->active, s->active > 1 ? "s" : "", s->started,
                                      s->active > 1 ? "are" : "is")
                         : NULL;
}

/* Tracer numbers, as they say most. */
static char *tracer_fault(const Judge *j, int count, Tracers t)
{
    float *v = guarded_new(count), sum = tracer_sum(t);
    int wrong = 0, first = -1;
    for (int i = 0; i < count; i++)
        v[i] = tracer(t, j->rank);
    Sends sends = call(j, v, count);
    for (int i = count - 1; i >= 0; i--)
        if (v[i] != sum) {
            first = i;
            wrong++;
        }
    int any = wrong > 0;
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, j->comm);
    const char *half = any ? wrong_half(j, sends.halfway ? sends.halfway : v, count, sum) : "";
    char *fault = requests_fault(&sends);
    fault = fault ? fault : guards_fault(v, count);
    if (wrong && !sends.active) {
        char *words = remainder_alone(j, count)
                        ? format_new("%g, expected %g", (double)v[first], (double)sum)
                        : tracer_words(t, v[first], j->rank);
        int expected = j->c->messages(j->rank, j->P);
        char few[64] = "";
        if (j->c->halves && count >= j->P && sends.messages < expected)
            snprintf(few, sizeof few, "; it sends %d messages, expected %d", sends.messages,
                     expected);
        free(fault);
        fault = format_new("element %d is %s (%d of %d elements are wrong)%s%s", first, words,
                           wrong, count, few, half);
        free(words);
    }
    free(sends.halfway);
    guarded_free(v);
    return fault;
}

static char *sent_fault(const Judge *j, int count, LinkSent sent)
{
    int messages = j->c->messages(j->rank, j->P);
    double elements = sent.bytes / sizeof(float),
           whole = count * (j->c->vectors ? j->c->vectors(j->rank, j->P) : messages);
    /* an empty message need not be sent */
    bool as_many = count >= j->P ? sent.messages == messages : sent.messages <= messages;
    if (fabs(elements - whole) <= j->c->slack && as_many)
        return NULL;
    const char *hint = elements > whole + j->c->slack ? "too many elements"
                     : elements < whole - j->c->slack
                         ? "too few elements (MPI's own collectives do "
                           "not count here)"
                     : sent.messages > messages ? "too many messages"
                                                : "too few messages";
    return format_new("it sends %g elements in %ld messages, expected %s%g in %d: %s", elements,
                      sent.messages, j->c->slack && count % j->P ? "about " : "", whole, messages,
                      hint);
}

/* Each element different: chunks in the wrong place show. And what it sends. */
static char *positions_fault(const Judge *j, int count)
{
    float *v = guarded_new(count), *first = alloc((unsigned long)count + 1, sizeof *first);
    char *fault = NULL;
    for (int i = 0; i < count; i++)
        v[i] = element(j->rank, i);
    LinkSent before = link_sent();
    Sends sends = call(j, v, count);
    LinkSent after = link_sent(),
             sent = {after.messages - before.messages, after.bytes - before.bytes};
    for (int i = 0; i < count && !fault; i++) {
        double sum = 0;
        for (int r = 0; r < j->P; r++)
            sum += element(r, i);
        if (!(fabs(v[i] - sum) <= 1e-6 * j->P))
            fault = sends.wrong_to >= 0
                      ? format_new("element %d is %g, expected %g: its first message goes to rank "
                                   "%d, expected rank %d",
                                   i, v[i], sum, sends.wrong_to, j->c->next(j->rank, j->P))
                      : format_new("element %d is %g, expected %g: the sum has every rank's part, "
                                   "but of other elements: is a chunk put in another place?",
                                   i, v[i], sum);
    }
    free(sends.halfway);
    fault = fault ? fault : guards_fault(v, count);
    memcpy(first, v, (unsigned long)count * sizeof *v);
    MPI_Bcast(first, count, MPI_FLOAT, 0, j->comm);
    if (!fault && memcmp(first, v, (unsigned long)count * sizeof *v))
        fault = format_new("its bits differ from those on rank 0: the ranks add in different "
                           "orders");
    fault = fault ? fault : sent_fault(j, count, sent);
    free(first);
    guarded_free(v);
    return fault;
}

static char *left_over(const Judge *j)
{
    int there = 0;
    MPI_Barrier(j->comm);
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, j->comm, &there, MPI_STATUS_IGNORE);
    return there ? format_new("a message to it is left that it did not receive") : NULL;
}

static char *case_fault(const Judge *j, int count)
{
    char *fault = NULL;
    int groups = (j->P + TRACED - 1) / TRACED, any = 0;
    for (int i = 0; i <= groups && !any; i++) {
        fault = i < groups ? tracer_fault(j, count, tracers_of(i, j->P))
                           : positions_fault(j, count);
        char *left = left_over(j);
        fault = fault ? fault : left;
        any = fault != NULL;
        MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, j->comm);
    }
    return fault;
}

/* ---- the time on the link ---- */

static char *time_fault(const Judge *j, const PathCost *cost)
{
    enum { COUNT = 1 << 16, TIMES = 3 };
    float *v = alloc(COUNT, sizeof *v);
    double seconds = INFINITY, bytes = COUNT * sizeof *v,
           expected = cost->latencies * slow.latency + cost->vectors * bytes / slow.bandwidth;
    /* The shortest counts: the clock adds processor time, which grows on a busy machine. */
    for (int i = 0; i < TIMES && seconds > (1 + TOLERANCE) * expected; i++) {
        double began = link_now();
        free(call(j, v, COUNT).halfway);
        double now = link_now() - began;
        MPI_Allreduce(MPI_IN_PLACE, &now, 1, MPI_DOUBLE, MPI_MAX, j->comm);
        seconds = fmin(seconds, now);
    }
    free(v);
    if (fabs(seconds - expected) <= TOLERANCE * expected || j->rank != 0)
        return NULL;
    char link[80];
    link_text(link, sizeof link, slow);
    return format_new(
        "on a link of %s %d elements take %.1f ms, expected %.1f (%g latencies, and the time that "
        "a card sends %g vectors): %s",
        link, COUNT, 1e3 * seconds, 1e3 * expected, cost->latencies, cost->vectors,
        seconds > expected ? "do ranks wait for each other where they could send at once?"
                           : "less than the algorithm allows");
}

/* ---- cases ---- */

/* MPI refuses a call of the exercise's. */
static void on_error(MPI_Comm *comm, int *code, ...)
{
    char words[MPI_MAX_ERROR_STRING], text[MPI_MAX_ERROR_STRING + 400], *call = link_call_text();
    int length;
    MPI_Error_string(*code, words, &length);
    snprintf(text, sizeof text, "P = %d%s, rank %d: MPI refuses %.300s: %.*s", judging->P,
             order(judging), judging->rank, call ? call : "a call", length, words);
    write_line(judging, "", text);
    MPI_Abort(MPI_COMM_WORLD, EXIT_WRONG);
}

/* The communicator of P ranks. */
static void enter(Judge *j, int P, bool reversed)
{
    int place = reversed ? j->world_size - 1 - j->world_rank : j->world_rank;
    j->P = P;
    j->reversed = reversed;
    MPI_Comm_split(j->aside, place < P ? 1 : MPI_UNDEFINED, place, &j->comm);
    j->rank = j->comm == MPI_COMM_NULL ? -1 : place;
    if (j->comm != MPI_COMM_NULL)
        MPI_Comm_set_errhandler(j->comm, j->on_error);
}

static void leave(Judge *j)
{
    if (j->comm != MPI_COMM_NULL)
        MPI_Comm_free(&j->comm);
}

/* On a rank that is not in the case, until it is over: first it looks for messages, then it waits,
 * so that the watch (README) can tell when nobody gets anywhere. */
static void wait_aside(const Judge *j, MPI_Request over)
{
    int done = 0, there = 0;
    for (int i = 0; i < 5000 && !done; i++) {
        MPI_Test(&over, &done, MPI_STATUS_IGNORE);
        PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        if (there) {
            write_line(j, "",
                       "on a communicator of some of MPI_COMM_WORLD's ranks it sends to one that "
                       "is not in it: is MPI_COMM_WORLD used in place of comm?");
            MPI_Abort(MPI_COMM_WORLD, EXIT_WRONG);
        }
        usleep(100);
    }
    MPI_Wait(&over, MPI_STATUS_IGNORE);
}

/* The lowest rank's fault, if there is one, becomes the verdict. False: there is one. */
static bool agree(const Judge *j, int count, char *fault)
{
    typedef struct Said {
        int rank;
        char text[MOST_TEXT];
    } Said;
    Said mine = {fault ? j->rank : 1 << 20, ""}, *all;
    if (fault)
        snprintf(mine.text, sizeof mine.text, "P = %d%s, count = %d, rank %d: %s", j->P, order(j),
                 count, j->rank, fault);
    free(fault);
    all = alloc((unsigned long)j->world_size, sizeof *all);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, j->aside);
    const Said *lowest = &all[0];
    for (int r = 1; r < j->world_size; r++)
        lowest = all[r].rank < lowest->rank ? &all[r] : lowest;
    bool right = !*lowest->text;
    if (!right && j->world_rank == 0)
        write_line(j, "", lowest->text);
    free(all);
    return right;
}

/* cost: judge the time on the link instead; else NULL. */
static bool try_case(const Judge *j, int count, const PathCost *cost)
{
    char *fault = NULL, text[120];
    MPI_Request over;
    snprintf(text, sizeof text, "P = %d%s, count = %d", j->P, order(j), count);
    if (j->world_rank == 0)
        write_line(j, TRYING, text);
    if (cost)
        link_set(slow);
    if (j->comm != MPI_COMM_NULL)
        fault = cost ? time_fault(j, cost) : case_fault(j, count);
    MPI_Ibarrier(j->aside, &over);
    if (j->comm == MPI_COMM_NULL && !link_virtual())
        wait_aside(j, over);
    else
        MPI_Wait(&over, MPI_STATUS_IGNORE);
    if (cost)
        link_set(none);
    return agree(j, count, fault);
}

static bool try_counts(Judge *j, int P, bool reversed, const int *counts) /* -1 ends them */
{
    bool right = true;
    enter(j, P, reversed);
    for (int i = 0; counts[i] >= 0 && right; i++) {
        right = try_case(j, counts[i], NULL);
        j->divided |= right && P > 1 && counts[i] > 0 && counts[i] % P == 0;
    }
    leave(j);
    return right;
}

static bool try_time(Judge *j)
{
    bool right = true;
    for (int i = 0; i < 4 && right; i++) {
        enter(j, path_ranks[i], false);
        right = try_case(j, 1 << 16, &path_costs[j->c->algorithm][i]);
        leave(j);
    }
    return right;
}

/* The longer of 16 P + 1 elements' chunks needs a line of alloc()'s more. */
static bool try_few(Judge *j, int P)
{
    int counts[] = {6, 0, 1, 2, 5, 7, 13, 16 * P + 1, -1};
    return try_counts(j, P, false, counts);
}

/* First the kindest case; then a communicator that is not the world; then what is uneven; then what
 * is long. */
static bool try_all(Judge *j)
{
    static const int kind[] = {8, -1}, two[] = {7, 1001, -1}, large[] = {1000, LONGEST, -1};
    bool right = true;
    if (j->world_size == 1)
        return try_few(j, 1) && try_counts(j, 1, false, large);
    if (j->world_size == 4) {
        right = try_counts(j, 4, false, kind) && try_counts(j, 2, true, kind);
        for (int P = 3; right && P >= 1; P--)
            right = try_few(j, P);
        return right && try_few(j, 4) && try_counts(j, 4, true, large);
    }
    for (int P = 5; right && P <= 9; P++)
        right = try_counts(j, P, P % 2 != 0, two);
    return right && try_time(j);
}

void check_collective_rank(const Collective *c, const char *file)
{
    Judge j = {.c = c, .file = file, .self = getpid()};
    const char *np = getenv("OMPI_COMM_WORLD_SIZE");
    link_choose("none", np && atoi(np) > 4 ? "virtual" : "real");
    Comm *comm = comm_open("mpi");
    MPI_Comm_dup(MPI_COMM_WORLD, &j.aside);
    MPI_Comm_rank(j.aside, &j.world_rank);
    MPI_Comm_size(j.aside, &j.world_size);
    MPI_Comm_create_errhandler(on_error, &j.on_error);
    judging = &j;
    watch_stack();
    if (try_all(&j) && j.world_rank == 0)
        write_line(&j, "", RIGHT);
    MPI_Errhandler_free(&j.on_error);
    MPI_Comm_free(&j.aside);
    comm_close(comm);
}
