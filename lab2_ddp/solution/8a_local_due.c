/* 8a_local_due.c: when the ranks average. */
#include "lab2.h"

bool local_due(int64_t step, int64_t steps, int64_t every, int64_t plain)
{
    return step == steps || step <= plain || (step - plain) % every == 0;
}
