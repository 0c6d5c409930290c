/* 10f_activation_bytes.c: the check of activation_bytes: by keeping the books, activation by
 * activation. */
#include "exercise.h"
#include "lab2.h"
#include "rng.h"
#include <math.h>
#include <string.h>

enum { MOST = 12 };

static double books(const double *bytes, const int *cut, int parts)
{
    double most = 0;
    for (int k = 0; k < parts; k++) {
        double now = 0;
        bool there[MOST + 1] = {false};
        for (int c = 1; c <= k; c++)
            there[cut[c]] = true;
        for (int a = cut[k] + 1; a <= cut[k + 1]; a++)
            there[a] = true;
        for (int a = 1; a <= MOST; a++)
            now += there[a] ? bytes[a] : 0;
        most = fmax(most, now);
    }
    return most;
}

static const char *hint(double found, const double *bytes, const int *cut, int parts)
{
    double until[MOST + 1] = {0}, part = 0, kept = 0; /* until[a]: of 1 … a together */
    for (int a = 1; a <= MOST; a++)
        until[a] = until[a - 1] + bytes[a];
    double all = until[MOST];
    for (int k = 1; k <= parts; k++) {
        part = fmax(part, until[cut[k]] - until[cut[k - 1]]);
        kept += bytes[cut[k]];
    }
    if (found == all)
        return ": all activations, as without cuts";
    if (found == part)
        return ": the largest part alone: what the cuts before it keep is there, too";
    if (found == all + bytes[0] || found == books(bytes, cut, parts) + bytes[0])
        return ": is activation 0 in it? The images do not count";
    if (found == part + kept || found == part + kept - bytes[cut[parts]])
        return ": not all cuts are there while the largest part is: behind it nothing is";
    return "";
}

static void judge_one(const double *bytes, const int *cut, int parts)
{
    double found = activation_bytes(bytes, cut, parts), expected = books(bytes, cut, parts);
    char text[128] = "";
    for (int k = 0; k <= parts; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", k ? ", " : "", cut[k]);
    WRONG_UNLESS(found == expected, "cut = {%s}: %g bytes, expected %g%s", text, found, expected,
                 hint(found, bytes, cut, parts));
}

static void judge(void *unused)
{
    double bytes[MOST + 1];
    for (int i = 0; i <= MOST; i++)
        bytes[i] = 1 << i;
    judge_one(bytes, (int[]){0, 12}, 1);
    judge_one(bytes, (int[]){0, 8, 12}, 2);
    judge_one(bytes, (int[]){0, 11, 12}, 2);
    Rng r = rng_at(5, RNG_WEIGHTS, 0, 0);
    for (int round = 0; round < 300; round++) {
        int cut[MOST + 1] = {0}, parts = 0;
        for (int i = 0; i <= MOST; i++)
            bytes[i] = floor(1000 * rng_uniform(&r));
        for (int i = 1; i < MOST; i++)
            if (rng_uniform(&r) < 0.3)
                cut[++parts] = i;
        cut[++parts] = MOST;
        judge_one(bytes, cut, parts);
    }
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "activation_bytes", 4,
                          "of all parts the most: what it writes, and what the cuts before it keep",
                          judge);
}
