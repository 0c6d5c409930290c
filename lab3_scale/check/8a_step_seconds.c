/* 8a_step_seconds.c: the check of step_seconds: one cost at a time, then all at once. */
#include "exercise.h"
#include "lab3.h"
#include <math.h>

static void expect_seconds(const char *what, Cluster c, double expected, const char *hint)
{
    double found = step_seconds(&c);
    WRONG_UNLESS(fabs(found - expected) <= 1e-9 * (1 + fabs(expected)),
                 "%s, %d devices, %d per machine: %.9g s, expected %.9g%s%s", what, c.devices,
                 c.per_node, found, expected, *hint ? ": " : "", hint);
}

/* Count the messages of a ring: reduce-scatter and all-gather, P - 1 steps of a chunk each. */
static double counted(int P, double bytes, double alpha, double beta)
{
    double seconds = 0;
    for (int step = 0; step < 2 * (P - 1); step++)
        seconds += alpha + beta * bytes / P;
    return seconds;
}

static void judge_all(int devices, int per_node, bool hierarchical, double overlap)
{
    Cluster c = {devices, per_node, 0.2, 1e8, 2e-5, 1e-9, 3e-6, 1e-10, overlap, hierarchical};
    int inside = devices < per_node ? devices : per_node, machines = 1;
    while (machines * inside < devices)
        machines++;
    double wire = counted(inside, c.bytes, c.alpha_in, c.beta_in);
    if (machines > 1)
        wire = (hierarchical ? wire : 0) +
               counted(hierarchical ? machines : devices, c.bytes, c.alpha, c.beta);
    double hidden = overlap * c.compute;
    expect_seconds(hierarchical ? "hierarchical" : "flat", c,
                   c.compute + (wire > hidden ? wire - hidden : 0), "");
}

static void judge(void *unused)
{
    expect_seconds("no network costs", (Cluster){8, 1, .compute = 3}, 3,
                   "every device computes its own batch: the compute is not divided");
    expect_seconds("one device", (Cluster){1, 8, 3, 1e6, 1, 1, 1, 1, 0, false}, 3,
                   "nothing is exchanged");
    expect_seconds("latency alone", (Cluster){5, 1, .alpha = 1}, 8,
                   "2 (P - 1) messages follow each other");
    expect_seconds("bytes alone", (Cluster){4, 1, .bytes = 8, .beta = 1}, 12,
                   "each of 2 (P - 1) messages has bytes / P");
    expect_seconds("inside one machine", (Cluster){4, 4, .alpha = 1, .alpha_in = 10}, 60,
                   "alpha_in and beta_in, since no link leaves it");
    expect_seconds("two machines, flat", (Cluster){8, 4, .alpha = 1, .alpha_in = 10}, 14,
                   "one ring over all devices, at alpha and beta");
    expect_seconds("two machines, hierarchical",
                   (Cluster){8, 4, .alpha = 1, .alpha_in = 10, .hierarchical = true}, 62,
                   "a ring inside, and one over the machines");
    expect_seconds("two machines, hierarchical",
                   (Cluster){8, 4, .bytes = 8, .beta = 1, .hierarchical = true}, 8,
                   "the card carries the whole vector: ring(M, bytes, …), not bytes / G");
    expect_seconds("overlap 0.5 of 4 s, exchange 3 s",
                   (Cluster){2, 1, 4, 3, .beta = 1, .overlap = 0.5}, 5,
                   "only what does not fit into overlap * compute is waited for");
    expect_seconds("overlap 0.5 of 4 s, exchange 1 s",
                   (Cluster){2, 1, 4, 1, .beta = 1, .overlap = 0.5}, 4,
                   "a short exchange is hidden, and no time is won by it");
    expect_seconds("9 devices, hierarchical", (Cluster){9, 4, .alpha = 1, .hierarchical = true}, 4,
                   "⌈devices / G⌉ machines: the last may have fewer");
    for (int devices = 1; devices <= 1536; devices = devices * 3 / 2 + 1)
        for (int per_node = 1; per_node <= 16; per_node *= 2)
            for (int k = 0; k < 6; k++)
                judge_all(devices, per_node, k % 2, 0.5 * (k / 2));
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "step_seconds", 6,
                          "flat and hierarchical rings, overlap; 1 to 1,536 devices, to 1e-9",
                          judge);
}
