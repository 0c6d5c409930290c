/* cgroup.c: see cgroup.h. A container may see its own cgroup as the root of all. */
#include "cgroup.h"
#include "number.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The first two numbers of a file; infinity for "max" or a missing one. */
static void numbers_in(const char *folder, const char *name, double *first, double *second)
{
    char path[4300], line[64], *rest;
    *first = *second = INFINITY;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    if (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        rest = strchr(line, ' ');
        if (rest)
            *rest++ = 0;
        number_real(first, line, 0, 1e300);
        if (rest)
            number_real(second, rest, 0, 1e300);
    }
    if (file)
        fclose(file);
}

static double memory_in(const char *folder)
{
    double v2, v1, none;
    numbers_in(folder, "memory.max", &v2, &none);
    numbers_in(folder, "memory.limit_in_bytes", &v1, &none);
    return fmin(v2, v1);
}

static double cores_in(const char *folder)
{
    double quota, period, none;
    numbers_in(folder, "cpu.max", &quota, &period);
    if (isinf(quota)) {
        numbers_in(folder, "cpu.cfs_quota_us", &quota, &none);
        numbers_in(folder, "cpu.cfs_period_us", &period, &none);
    }
    return isinf(quota) || isinf(period) || period <= 0 ? INFINITY : quota / period;
}

/* Lines such as 0::/user/job (v2) and 4:cpu,cpuacct:/user/job (v1). */
static double least(double (*limit)(const char *folder))
{
    char line[4200], folder[4200];
    double value = INFINITY;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *name = strchr(line, ':'), *path = name ? strchr(name + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = 0;
        int root = snprintf(folder, sizeof folder, "/sys/fs/cgroup/%s", name + 1);
        snprintf(folder + root, sizeof folder - root, "%s", path);
        for (char *end; (end = strrchr(folder + root, '/')); *end = 0)
            value = fmin(value, limit(folder));
        value = fmin(value, limit(folder));
    }
    if (file)
        fclose(file);
    return value;
}

double cgroup_memory(void) { return least(memory_in); }
double cgroup_cores(void) { return least(cores_in); }
