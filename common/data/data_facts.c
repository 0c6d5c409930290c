/* data_facts.c: a text of facts, of which a model can learn as many as it has room for and has seen
 * often enough: a text whose loss falls as a power of both.
 *
 *     q3fKzobAq3fKaa7C…      "q3f" is a name, K what is to be known about it
 *
 * Each of 32,768 names (three characters of 32) has one value, a letter of 16, drawn once. A text
 * is a row of facts, drawn independently: the k-th most frequent one has probability
 *
 *     p_k = k^-1.3 / sum over j of j^-1.3
 *
 * as words in a language have (Zipf's law). A model that knows the n most frequent facts loses
 * ln 16 on the rest, whose share falls as n^-0.3, and faster towards the last fact (Hutter, arXiv
 * 2102.04074; Michaud et al., arXiv 2303.13506).
 *
 * The entropy rate: which fact comes next is all that cannot be known, so it is the entropy of p,
 * divided by a fact's four characters.
 */
#include "check.h"
#include "data.h"
#include "epoch_order.h"
#include "rng.h"
#include <math.h>
#include <stdlib.h>

enum { FACTS = 32768, LETTERS = 32, NAME = 3, VALUES = 16, FACT = NAME + 1 };
static const double STEEPNESS = 1.3;

/* cumulative [FACTS + 1]: the share of the facts before the k-th, from 0 to 1. */
static void shares(double *cumulative)
{
    cumulative[0] = 0;
    for (int k = 0; k < FACTS; k++)
        cumulative[k + 1] = cumulative[k] + pow(k + 1, -STEEPNESS);
    for (int k = 0; k <= FACTS; k++)
        cumulative[k] /= cumulative[FACTS];
}

/* The fact at `share` of all of them, the most frequent first. */
static int fact_at(const double *cumulative, double share)
{
    int low = 0, high = FACTS;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(cumulative[middle] <= share ? &low : &high) = middle;
    }
    return low;
}

/* Which name the k-th fact has, and its value: name, value [FACTS]. */
static void invent(int32_t *name, int32_t *value, uint64_t seed)
{
    Rng r = rng_at(seed, RNG_TEXT, 1, 0);
    for (int k = 0; k < FACTS; k++)
        value[k] = (int32_t)rng_below(&r, VALUES);
    epoch_order(name, FACTS, seed, 0);
}

void facts_draw(uint8_t *text, size_t count, uint64_t seed)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    double *cumulative = alloc(FACTS + 1, sizeof *cumulative);
    int32_t *name = alloc(2 * FACTS, sizeof *name), *value = name + FACTS;
    shares(cumulative);
    invent(name, value, seed);
    for (size_t i = 0; i < count; i += FACT) {
        Rng r = rng_at(seed, RNG_TEXT, 2, i / FACT);
        int k = fact_at(cumulative, (rng_u32(&r) + 0.5) / 4294967296.0), rest = name[k];
        for (size_t j = i; j < i + FACT && j < count; j++, rest /= LETTERS)
            text[j] = (uint8_t)(j - i < NAME ? letters[rest % LETTERS] : 'A' + value[k]);
    }
    free(cumulative), free(name);
}

double facts_rate(void)
{
    double *cumulative = alloc(FACTS + 1, sizeof *cumulative), nats = 0;
    shares(cumulative);
    for (int k = 0; k < FACTS; k++) {
        double p = cumulative[k + 1] - cumulative[k];
        nats -= p * log(p);
    }
    free(cumulative);
    return nats / FACT;
}
