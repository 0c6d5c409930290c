/* 12d_ring_attention_check.c: the check of ring_attention. */
#include "check.h"
#include "exercise.h"
#include "played_ranks.h"

typedef struct Head {
    int n, d;
    float scale; /* of q: large exponents need the running maximum */
    float *out[PLAYED_RANKS];
} Head;

static void run(Split *s, void *context)
{
    Head *h = context;
    int size = h->n * h->d;
    float *q = alloc(size, sizeof *q), *kv = alloc(2 * size, sizeof *kv);
    for (int i = 0; i < size; i++) {
        q[i] = h->scale * played_number(0, s->rank * size + i);
        kv[i] = played_number(1, s->rank * size + i);
        kv[size + i] = played_number(2, s->rank * size + i);
    }
    ring_attention(s, h->out[s->rank], q, kv, h->n, h->d);
    free(q), free(kv);
}

static void judge(void *unused)
{
    static const struct {
        int P, n, d;
        float scale;
    } asked[] = {{1, 1, 1, 1}, {1, 3, 2, 1}, {2, 1, 2, 1},   {2, 2, 3, 1},
                 {3, 2, 4, 1}, {4, 1, 3, 1}, {1, 3, 2, 300}, {3, 2, 2, 300}};
    exercise_tolerance(1e-5, 1e-4);
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        int P = asked[k].P, size = asked[k].n * asked[k].d;
        Head h = {.n = asked[k].n, .d = asked[k].d, .scale = asked[k].scale};
        char where[64];
        snprintf(where, sizeof where, "P = %d, n = %d, d = %d%s", P, h.n, h.d,
                 h.scale > 1 ? ", exponents in the hundreds" : "");
        for (int r = 0; r < P; r++) {
            h.out[r] = alloc(size + 1, sizeof *h.out[r]);
            h.out[r][size] = PLAYED_BEHIND;
            for (int i = 0; i < size; i++)
                h.out[r][i] = (float)EXERCISE_UNSET;
        }
        played_run(P, run, &h, where);
        exercise_group(h.scale > 1 ? "exponents in the hundreds" : P == 1 ? "P = 1" : NULL);
        for (int r = 0; r < P; r++) {
            exercise_case("%s, rank %d", where, r);
            WRONG_UNLESS(h.out[r][size] == PLAYED_BEHIND, "%s: it writes past out [%d]", where,
                         size);
            exercise_values("out", h.out[r], size);
            free(h.out[r]);
        }
        exercise_fact("the calls between ranks (4: split_pass_on)", played_calls());
    }
}

const ExerciseCheck exercise_check = {__FILE__, "ring_attention", 9,
                                      "causal attention over all positions, by P - 1 passes",
                                      judge};
