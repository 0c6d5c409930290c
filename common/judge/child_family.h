/* child_family.h: all descendants of this process. Linux only: elsewhere there are none. */
#ifndef CHILD_FAMILY_H
#define CHILD_FAMILY_H
#include <stdbool.h>
#include <sys/types.h>

typedef struct Family {
    int processes;
    double bytes; /* of memory; what two of them share counts twice */
    bool stopped; /* one of them, by a signal */
} Family;

/* Orphans among the descendants become this process's children: so they stay descendants. */
void family_adopt(bool adopt);
Family family_now(void);
double family_bytes_of(pid_t process); /* its memory; 0: gone */
/* Bytes of the machine's shared memory: mapped, in memory files (memfd), in /dev/shm. */
double family_shared(void);
void family_kill(void);
/* Only those that have no children themselves: a launcher survives its ranks, and tidies up. */
void family_kill_youngest(void);
#endif
