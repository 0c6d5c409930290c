/* 5c_batch_warm_up.c: a batch that begins small. */
#include "lab3.h"

int batch_warm_up(int small, int large, double share)
{
    int sizes = 0;
    for (int64_t size = small; size < large; size *= 2)
        sizes++;
    int now = (int)(2 * share * sizes);
    return share < 0.5 && now < sizes ? small << now : large;
}
