/* cgroup.h: the limits of a container or batch system: the lowest of this process's cgroup and of
 * those above it, v2 or v1. */
#ifndef CGROUP_H
#define CGROUP_H

double cgroup_memory(void); /* bytes; infinity: no limit */
double cgroup_cores(void);  /* 0.5: half of a core's time; infinity: no limit */
#endif
