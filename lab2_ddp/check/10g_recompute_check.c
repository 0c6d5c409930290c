/* 10g_recompute_check.c: the check of recompute: passes that compute nothing but keep the books. */
#include "check.h"
#include "exercise.h"
#include "lab2.h"

enum { MOST = 9, FAULTS = 14 };

typedef struct Books {
    int L, last;                           /* the last part's first layer */
    bool there[MOST + 1], known[MOST + 1]; /* has memory; and is computed */
    int runs[MOST], faults[FAULTS], losses, now, most, at_loss;
    int next; /* the layer whose backward pass comes next, + 1 */
    char *first;
} Books;

/* Faults are counted by kind, and the first one is told. */
static bool fault(Books *b, bool wrong, int kind, const char *told, int i)
{
    if (wrong && !b->first)
        b->first = format_new(told, i);
    b->faults[kind] += wrong;
    return wrong;
}

static void take(void *context, int a)
{
    Books *b = context;
    if (fault(b, a < 1 || a > b->L, 0, "takes activation %d", a) ||
        fault(b, b->there[a], 3, "takes activation %d, which has memory", a))
        return;
    b->there[a] = true;
    b->now++;
    b->most = b->now > b->most ? b->now : b->most;
}

static void drop(void *context, int a)
{
    Books *b = context;
    if (fault(b, a < 1 || a > b->L, 1, "drops activation %d", a) ||
        fault(b, !b->there[a], 4, "drops activation %d, which has no memory", a))
        return;
    b->there[a] = b->known[a] = false;
    b->now--;
}

static void forward(void *context, int first, int end, bool again)
{
    Books *b = context;
    if (fault(b, first < 0 || first >= end || end > b->L, 2,
              "asks for a forward pass from layer %d on to one before it, or behind the last",
              first))
        return;
    for (int i = first; i < end; i++) {
        fault(b, i > 0 && !b->known[i], 5, "computes layer %d, whose input is not there", i);
        fault(b, !b->there[i + 1], 6, "computes layer %d, whose output has no memory", i);
        fault(b, b->runs[i] > 0 && !again, 7,
              "computes layer %d again without `again`: running statistics would move twice", i);
        fault(b, !b->runs[i] && again, 8, "computes layer %d first as `again`", i);
        fault(b, b->runs[i] == 1 && i >= b->last, 9,
              "computes layer %d of the last part a second time", i);
        fault(b, b->runs[i] == 2, 10, "computes layer %d a third time", i);
        b->runs[i]++;
        b->known[i + 1] = b->there[i + 1];
    }
}

static void loss(void *context)
{
    Books *b = context;
    fault(b, !b->known[b->L], 5, "computes the loss, and output %d is not there", b->L);
    b->losses++;
    b->at_loss = b->now;
}

static void backward(void *context, int first, int end)
{
    Books *b = context;
    if (fault(b, first < 0 || first >= end || end > b->L, 2,
              "asks for a backward pass to layer %d from one before it, or behind the last", first))
        return;
    fault(b, !b->losses, 11, "goes back to layer %d before the loss", first);
    fault(b, end != b->next, 12, "goes back to layer %d out of turn", first);
    for (int a = end; a >= first; a--)
        fault(b, a > 0 && !b->known[a], 13,
              "goes back through a part whose activation %d is not there", a);
    b->next = first;
}

static void judge(void *unused)
{
    static const struct {
        const char *text;
        int parts, cut[8];
    } asked[] = {{"0, 1", 1, {0, 1}},
                 {"0, 4", 1, {0, 4}},
                 {"0, 2, 4", 2, {0, 2, 4}},
                 {"0, 1, 5", 2, {0, 1, 5}},
                 {"0, 4, 5", 2, {0, 4, 5}},
                 {"0, 1, 2, 3", 3, {0, 1, 2, 3}},
                 {"0, 3, 5, 8", 3, {0, 3, 5, 8}},
                 {"0, 2, 3, 6, 8, 9", 5, {0, 2, 3, 6, 8, 9}}};
    for (unsigned k = 0; k < sizeof asked / sizeof *asked; k++) {
        const int *cut = asked[k].cut, parts = asked[k].parts;
        Books b = {.L = cut[parts], .last = cut[parts - 1], .next = cut[parts]};
        recompute(&(Passes){&b, take, drop, forward, loss, backward}, cut, parts);
        exercise_group(parts == 1 ? "one part" : "several parts");
        exercise_case("cut = {%s}%s%s", asked[k].text, b.first ? ", where it " : "",
                      b.first ? b.first : "");
        int sum = 0;
        for (int f = 0; f < FAULTS; f++)
            sum += b.faults[f];
        exercise_fact("the number of such faults", sum);
        for (int f = 0; f < FAULTS; f++)
            exercise_fact("the number of faults of a kind", b.faults[f]);
        exercise_fact("the number of losses", b.losses);
        exercise_fact("the layer to which the backward pass gets", b.next);
        for (int a = 0; a <= MOST; a++)
            exercise_fact("in memory at the end: activation", b.there[a]);
        exercise_fact("the number of activations in memory at the loss", b.at_loss);
        exercise_fact("the largest number of activations in memory", b.most);
    }
}

const ExerciseCheck exercise_check = {
    __FILE__, "recompute", 8,
    "only the cuts kept, each part computed again before its backward pass", judge};
