/* memory.c: see memory.h, and alloc() in check.h. */
#include "memory.h"
#include "cgroup.h"
#include "check.h"
#include "number.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { CACHE_LINE = 64, LARGE = 16 << 20 }; /* bytes */

static double resource_limit(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY ? INFINITY
                                                                          : (double)limit.rlim_cur;
}

static int64_t ranks_here(void)
{
    const char *ranks = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    int64_t n;
    return ranks && number_whole(&n, ranks, 1, 1 << 20) ? n : 1;
}

double memory_limit(void)
{
    double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double shared = fmin(machine > 0 ? machine : INFINITY, cgroup_memory());
    return fmin(shared / (double)ranks_here(),
                fmin(resource_limit(RLIMIT_AS), resource_limit(RLIMIT_DATA)));
}

/* Bytes of this process in memory now, and of its address space. */
static void used(double *resident, double *addresses)
{
    long pages[2] = {0};
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%ld %ld", &pages[0], &pages[1]) != 2)
        pages[0] = pages[1] = 0;
    if (file)
        fclose(file);
    *addresses = (double)pages[0] * (double)sysconf(_SC_PAGESIZE);
    *resident = (double)pages[1] * (double)sysconf(_SC_PAGESIZE);
}

double memory_left(void)
{
    double resident, addresses;
    used(&resident, &addresses);
    return fmax(fmin(memory_limit() - resident, memory_addresses_left()), 0);
}

double memory_addresses_left(void)
{
    double resident, addresses;
    used(&resident, &addresses);
    return fmax(resource_limit(RLIMIT_AS) - addresses, 0);
}

void memory_require(double bytes, const char *what, const char *smaller)
{
    double left = memory_left();
    REQUIRE(bytes <= left, "%s would take %.3g GB, but this process may use %.3g GB more: %s", what,
            bytes / 1e9, left / 1e9, smaller);
}

void *alloc(unsigned long count, unsigned long size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - CACHE_LINE)
        die(EXIT_USAGE,
            "out of memory: %lu x %lu bytes: more than any machine has: check the sizes", count,
            size);
    bytes = bytes ? (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE
                  : CACHE_LINE; /* aligned_alloc's rule */
    /* Asked only for large arrays: it takes longer than a small one. */
    bool fits = bytes < LARGE || (double)bytes <= memory_left();
    void *memory = fits ? aligned_alloc(CACHE_LINE, bytes) : NULL;
    if (!memory)
        die(EXIT_USAGE,
            "out of memory: no room for %.1f MB: use a smaller batch, model or data set",
            bytes / 1e6);
    return memset(memory, 0, bytes);
}

void *grown(void *array, unsigned long count, unsigned long size)
{
    if (count & (count - 1))
        return array;
    void *more = realloc(array, (count ? 2 * count : 1) * size);
    REQUIRE(more, "out of memory: no room for more than %lu entries", count);
    return more;
}
