/* 10g_recompute.c: the check of recompute: passes that compute nothing but keep the books. */
#include "exercise.h"
#include "lab2.h"
#include "rng.h"
#include <stdio.h>
#include <string.h>

enum { MOST = 12 };

typedef struct Books {
    int L, parts, cut[MOST + 1];
    bool there[MOST + 1]; /* has memory */
    bool known[MOST + 1]; /* and is computed */
    int first_runs[MOST], runs[MOST];
    bool lost; /* the loss is computed */
    int next;  /* the layer whose backward pass comes next, + 1 */
    int now, most;
    char at[96];
} Books;

static int part_of(const Books *b, int layer)
{
    int k = 0;
    while (b->cut[k + 1] <= layer)
        k++;
    return k;
}

static void take(void *context, int a)
{
    Books *b = context;
    bool known = a >= 1 && a <= b->L;
    WRONG_UNLESS(known, "%s: it takes activation %d%s", b->at, a,
                 a == 0 ? ": the images are there as they are" : "");
    WRONG_UNLESS(!b->there[a], "%s: it takes activation %d, which has memory", b->at, a);
    b->there[a] = true;
    b->known[a] = false;
    b->now++;
    b->most = b->now > b->most ? b->now : b->most;
}

static void drop(void *context, int a)
{
    Books *b = context;
    bool known = a >= 1 && a <= b->L;
    WRONG_UNLESS(known, "%s: it drops activation %d%s", b->at, a,
                 a == 0 ? ": the images stay" : "");
    WRONG_UNLESS(b->there[a], "%s: it drops activation %d, which has no memory", b->at, a);
    b->there[a] = b->known[a] = false;
    b->now--;
}

static void forward(void *context, int first, int end, bool again)
{
    Books *b = context;
    WRONG_UNLESS(first >= 0 && first < end && end <= b->L, "%s: forward pass of layers %d … %d",
                 b->at, first, end - 1);
    WRONG_UNLESS(
        first == 0 || b->known[first],
        "%s: forward pass from layer %d: activation %d, which it reads, is not there: was a "
        "cut dropped?",
        b->at, first, first);
    for (int i = first; i < end; i++) {
        WRONG_UNLESS(b->there[i + 1], "%s: layer %d writes activation %d, which has no memory",
                     b->at, i, i + 1);
        b->known[i + 1] = true;
        WRONG_UNLESS(again || b->first_runs[i] == 0,
                     "%s: layer %d a second time, without `again`: batch norm's running statistics "
                     "would move twice",
                     b->at, i);
        WRONG_UNLESS(!again || b->first_runs[i] > 0, "%s: layer %d for the first time, as `again`",
                     b->at, i);
        b->first_runs[i] += !again;
        b->runs[i]++;
        WRONG_UNLESS(
            b->runs[i] == 1 || part_of(b, i) < b->parts - 1,
            "%s: layer %d is in the last part, and computed twice: its backward pass comes "
            "next, so keep its activations",
            b->at, i);
        WRONG_UNLESS(b->runs[i] <= 2, "%s: layer %d is computed %d times", b->at, i, b->runs[i]);
    }
}

static void loss(void *context)
{
    Books *b = context;
    WRONG_UNLESS(b->known[b->L], "%s: the loss before the last layer's output is there", b->at);
    WRONG_UNLESS(!b->lost, "%s: the loss twice", b->at);
    b->lost = true;
}

static void backward(void *context, int first, int end)
{
    Books *b = context;
    WRONG_UNLESS(b->lost, "%s: a backward pass before the loss", b->at);
    WRONG_UNLESS(
        end == b->next && first >= 0 && first < end,
        "%s: backward pass of layers %d … %d, expected one that ends with layer %d: from the "
        "last part to the first",
        b->at, first, end - 1, b->next - 1);
    for (int a = first; a <= end; a++)
        WRONG_UNLESS(a == 0 || b->known[a],
                     "%s: backward pass of layers %d … %d: activation %d is not there: compute the "
                     "part's forward pass again first",
                     b->at, first, end - 1, a);
    b->next = first;
}

static int most_there(const Books *b)
{
    int most = 0;
    for (int k = 0; k < b->parts; k++) {
        int now = k + b->cut[k + 1] - b->cut[k];
        most = now > most ? now : most;
    }
    return most;
}

static void judge_one(const int *cut, int parts)
{
    static Books b;
    b = (Books){.L = cut[parts], .parts = parts, .next = cut[parts]};
    memcpy(b.cut, cut, (size_t)(parts + 1) * sizeof *cut);
    strcpy(b.at, "cut = {");
    for (int k = 0; k <= parts; k++)
        snprintf(b.at + strlen(b.at), sizeof b.at - strlen(b.at), "%s%d%s", k ? ", " : "", cut[k],
                 k == parts ? "}" : "");
    recompute(&(Passes){&b, take, drop, forward, loss, backward}, cut, parts);
    WRONG_UNLESS(b.lost, "%s: the loss was never computed", b.at);
    WRONG_UNLESS(b.next == 0, "%s: no backward pass of layers 0 … %d", b.at, b.next - 1);
    WRONG_UNLESS(
        b.most <= most_there(&b),
        "%s: up to %d activations in memory at once, expected at most %d: only the cuts are "
        "kept in the forward pass, and a part goes after its backward pass",
        b.at, b.most, most_there(&b));
    for (int a = 1; a <= b.L; a++)
        WRONG_UNLESS(!b.there[a], "%s: activation %d is still in memory at the end", b.at, a);
}

static void judge(void *unused)
{
    judge_one((int[]){0, 4}, 1);
    judge_one((int[]){0, 2, 4}, 2);
    judge_one((int[]){0, 3, 5, 8}, 3);
    judge_one((int[]){0, 1, 2, 3}, 3);
    Rng r = rng_at(6, RNG_WEIGHTS, 0, 0);
    for (int round = 0; round < 200; round++) {
        int cut[MOST + 1] = {0}, parts = 0;
        for (int i = 1; i < MOST; i++)
            if (rng_uniform(&r) < 0.3)
                cut[++parts] = i;
        cut[++parts] = MOST;
        judge_one(cut, parts);
    }
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "recompute", 8,
                          "only the cuts kept, each part computed again before its backward pass",
                          judge);
}
