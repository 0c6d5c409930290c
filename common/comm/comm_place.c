/* comm_place.c: see comm_place.h. */
#include "comm_place.h"
#include "check.h"
#include <string.h>

/* The first rank whose tensors are (on_gpu) or are not on a GPU; none: `ranks`. */
static int first_rank(const Place *place, int ranks, bool on_gpu)
{
    int r = 0;
    while (r < ranks && (place[r].gpu[0] != 0) != on_gpu)
        r++;
    return r;
}

Places places_judge(const Place *place, int ranks, char **why)
{
    int with = first_rank(place, ranks, true), without = first_rank(place, ranks, false);
    *why = NULL;
    if (with == ranks) {
        *why = format_new("the tensors are in host memory");
        return PLACES_ON_HOST;
    }
    if (without < ranks) {
        *why = format_new("rank %d on %s has its tensors on a GPU, rank %d on %s in host memory",
                          with, place[with].host, without, place[without].host);
        return PLACES_MIXED;
    }
    for (int b = 1; b < ranks; b++)
        for (int a = 0; a < b; a++)
            if (!strcmp(place[a].machine, place[b].machine) &&
                !strcmp(place[a].gpu, place[b].gpu)) {
                *why = format_new("ranks %d and %d share GPU %s of %s", a, b, place[a].gpu,
                                  place[a].host);
                return PLACES_MIXED;
            }
    return PLACES_APART;
}
