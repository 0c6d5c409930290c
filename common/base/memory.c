/* memory.c: see memory.h. */
#include "memory.h"
#include "check.h"
#include "number.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The number in a file of one line; infinity where there is none ("max"). */
static double number_in(const char *path)
{
    char line[64];
    double value = INFINITY;
    FILE *file = fopen(path, "re");
    if (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        number_real(&value, line, 0, 1e300);
    }
    if (file)
        fclose(file);
    return value;
}

/* Where a container or a batch system holds this process. Its own cgroup is the root of what it
 * sees. */
static double cgroup_limit(void)
{
    return fmin(number_in("/sys/fs/cgroup/memory.max"),
                number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
}

static double resource_limit(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY ? INFINITY
                                                                          : (double)limit.rlim_cur;
}

double memory_limit(void)
{
    double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return fmin(fmin(machine > 0 ? machine : INFINITY, cgroup_limit()),
                fmin(resource_limit(RLIMIT_AS), resource_limit(RLIMIT_DATA)));
}

/* Bytes of this process that lie in memory now. */
static double resident(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%*s %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

double memory_left(void) { return fmax(memory_limit() - resident(), 0); }

void memory_require(double bytes, const char *what, const char *smaller)
{
    double left = memory_left();
    REQUIRE(bytes <= left, "%s would take %.3g GB, and this process may use %.3g GB more: %s", what,
            bytes / 1e9, left / 1e9, smaller);
}
