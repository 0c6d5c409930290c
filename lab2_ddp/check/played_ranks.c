/* played_ranks.c: see played_ranks.h. A rank is a context with a stack of its own (ucontext.h). */
#include "played_ranks.h"
#include "check.h"
#include "exercise.h"
#include <string.h>
#include <ucontext.h>

enum { STACK = 1 << 20, MOST = 4096 /* numbers in a call */ };
typedef enum { NO_CALL, ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER, PASS_ON } Kind;
static const char *const names[] = {"makes no more calls", "is in split_all_reduce",
                                    "is in split_reduce_scatter", "is in split_all_gather",
                                    "is in split_pass_on"};
typedef struct Played {
    Split split; /* first */
    ucontext_t context;
    char *stack;
    Kind kind; /* of the call that it waits in; NO_CALL: it has returned */
    float *out;
    const float *in;
    int n;
} Played;
static Played ranks[PLAYED_RANKS];
static ucontext_t outside;
static PlayedRank *play;
static void *play_context;
static double calls;

static void call(Split *s, Kind kind, float *out, const float *in, int n)
{
    Played *p = (Played *)s;
    p->kind = kind, p->out = out, p->in = in, p->n = n;
    swapcontext(&p->context, &outside);
}
static void all_reduce(Split *s, float *v, int n) { call(s, ALL_REDUCE, v, v, n); }
static void reduce_scatter(Split *s, float *part, const float *whole, int n)
{
    call(s, REDUCE_SCATTER, part, whole, n);
}
static void all_gather(Split *s, float *whole, const float *part, int n)
{
    call(s, ALL_GATHER, whole, part, n);
}
static void pass_on(Split *s, float *v, int n) { call(s, PASS_ON, v, v, n); }
static const SplitCalls played = {all_reduce, reduce_scatter, all_gather, pass_on};

static void begin(int rank)
{
    play(&ranks[rank].split, play_context);
    ranks[rank].kind = NO_CALL; /* and back to `outside` */
}

/* All ranks' arguments, put together: [P, count] in, [P, count] summed and back. */
static void carry_out(int P)
{
    Kind kind = ranks[0].kind;
    int n = ranks[0].n, count = kind == REDUCE_SCATTER ? P * n : n;
    float *all = alloc(P * count + 1, sizeof *all);
    for (int r = 0; r < P; r++)
        memcpy(all + r * count, ranks[r].in, (size_t)count * sizeof *all);
    for (int r = 1; r < P && (kind == ALL_REDUCE || kind == REDUCE_SCATTER); r++)
        for (int i = 0; i < count; i++)
            all[i] += all[r * count + i];
    for (int r = 0; r < P; r++) {
        const float *from = kind == REDUCE_SCATTER ? all + r * n
                          : kind == PASS_ON        ? all + (r + P - 1) % P * n
                                                   : all;
        memcpy(ranks[r].out, from, (size_t)(kind == ALL_GATHER ? P * n : n) * sizeof *all);
    }
    free(all);
    if (calls < 1e8)
        calls = 10 * calls + kind;
}

void played_run(int P, PlayedRank *rank, void *context, const char *where)
{
    play = rank, play_context = context, calls = 0;
    for (int r = 0; r < P; r++) {
        Played *p = &ranks[r];
        *p = (Played){.split = {.rank = r, .P = P, .calls = &played}, .stack = alloc(STACK, 1)};
        getcontext(&p->context);
        p->context.uc_stack.ss_sp = p->stack;
        p->context.uc_stack.ss_size = STACK;
        p->context.uc_link = &outside;
        makecontext(&p->context, (void (*)(void))begin, 1, r);
    }
    do {
        for (int r = 0; r < P; r++)
            swapcontext(&outside, &ranks[r].context);
        for (int r = 1; r < P; r++) {
            WRONG_UNLESS(ranks[r].kind == ranks[0].kind, "%s: rank 0 %s while rank %d %s", where,
                         names[ranks[0].kind], r, names[ranks[r].kind]);
            WRONG_UNLESS(ranks[r].kind == NO_CALL || ranks[r].n == ranks[0].n,
                         "%s: rank 0 %s with n = %d, rank %d with n = %d", where,
                         names[ranks[0].kind], ranks[0].n, r, ranks[r].n);
        }
        WRONG_UNLESS(ranks[0].n >= 0 && ranks[0].n <= MOST, "%s: rank 0 %s with n = %d", where,
                     names[ranks[0].kind], ranks[0].n);
        if (ranks[0].kind)
            carry_out(P);
    } while (ranks[0].kind);
    for (int r = 0; r < P; r++)
        free(ranks[r].stack);
}

double played_calls(void) { return calls; }

float played_number(int array, int i)
{
    unsigned x = (unsigned)(array * 7919 + i) * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    return (float)(x >> 8 & 0xffff) / 32768 - 1;
}
