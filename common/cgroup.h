/* cgroup.h: what a container or a batch system allows this process: the least limit of its
 * own cgroup and of those above it, v2 or v1. */
#ifndef CGROUP_H
#define CGROUP_H

double cgroup_memory(void); /* bytes; infinity: no limit */
double cgroup_cores(void);  /* processors' worth of time, 0.5 is half of one; infinity: no limit */
#endif
