/* 4b_synchronise_check.c: the check of synchronise: its hook adds up sums with five ranks that the
 * communicator plays. */
#include "exercise.h"
#include "lab3.h"
#include <math.h>

enum { RANKS = 6, SUMS = 4 };

static int asked;   /* all-reduces */
static bool hooked; /* the hook is called */

static double *host(Stream *s, Tensor t) { return (double *)s->be->op->buffer_host(t.buf) + t.at; }

/* The others' sums are 10, 20, 30 … each. */
static void play_all_reduce(Comm *c, Tensor t, CommOp op, Stream *s, CommRequest **request)
{
    WRONG_UNLESS(t.dtype == F64, "it all-reduces another tensor than `sums`, which is F64");
    double *sum = host(s, t), others = 10;
    for (size_t i = 0; i < tensor_count(t); i++, others += 10)
        sum[i] = op == COMM_SUM ? sum[i] + (RANKS - 1) * others
                                : (op == COMM_MAX ? fmax : fmin)(sum[i], others);
    asked++;
    if (request)
        *request = NULL;
}

static void play_others(Comm *c, Tensor t, CommOp op, Stream *s, CommRequest **request)
{
    WRONG_UNLESS(!hooked,
                 "the hook calls the communicator of a model that was synchronised later: it is "
                 "the hook's context, not a variable outside of it");
}

static void judge(void *unused)
{
    static const CommOps ops = {.name = "played", .all_reduce = play_all_reduce};
    static const CommOps others = {.name = "another's", .all_reduce = play_others};
    static Comm comm = {.op = &ops, .rank = 4, .size = RANKS, .local_rank = 1, .local_size = 3},
                other = {.op = &others, .rank = 0, .size = 2, .local_size = 2};
    Backend *be = backend_open("cpu", 0, 1, 1);
    ModelSpec spec = {.name = "resnet8", .h = 8, .w = 8, .c = 1, .classes = 3};
    Model *m = model_new(be, &spec, 4), *second = model_new(be, &spec, 4);
    Tensor sums = tensor_new(be, F64, 1, 2, SUMS / 2, 1, 0);
    exercise_case("rank 4 of 6, 3 to a machine");
    synchronise(m, &comm);
    exercise_value("m->stats_ranks", m->stats_ranks);
    exercise_value("the number of all-reduces before m calls the hook", asked);
    WRONG_UNLESS(m->stats_hook, "m->stats_hook is not set");
    WRONG_UNLESS(m->stats_context, "m->stats_context is NULL: it is what your hook gets as its "
                                   "context");
    synchronise(second, &other);
    for (int call = 1; call <= 2; call++) {
        for (int i = 0; i < SUMS; i++)
            host(m->s, sums)[i] = call + i;
        hooked = true;
        m->stats_hook(m->stats_context, sums, m->s);
        exercise_case("call %d of the hook with the sums %d, %d, …; the others have 10, 20, …",
                      call, call, call + 1);
        exercise_value("the number of all-reduces so far", asked);
        for (int i = 0; i < SUMS; i++)
            exercise_value("the sum", host(m->s, sums)[i]);
    }
    tensor_free(be, sums);
    model_free(second);
    model_free(m);
    backend_close(be);
}

const ExerciseCheck exercise_check = {
    __FILE__, "synchronise", 5,
    "the hook adds up the sums of all ranks; stats_ranks is their number", judge};
