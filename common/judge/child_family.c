/* child_family.c: see child_family.h. */
#include "child_family.h"
#include "check.h"
#include "file.h"
#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

void family_adopt(bool adopt) { prctl(PR_SET_CHILD_SUBREAPER, adopt); }

typedef struct Member {
    pid_t pid, parent;
    char state;
    long pages;
} Member;

/* From /proc/PID/stat: "PID (any name) state parent …", the 24th field the resident pages. */
static bool read_member(Member *m, const char *pid)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    char *end = strrchr(file_head(line, sizeof line, path), ')');
    m->pid = atoi(pid);
    return end && sscanf(end + 1,
                         " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
                         "%*d %*u %*u %ld",
                         &m->state, &m->parent, &m->pages) == 3;
}

static int by_pid(const void *a, const void *b)
{
    pid_t p = ((const Member *)a)->pid, q = ((const Member *)b)->pid;
    return (p > q) - (p < q);
}

/* All processes of the machine, by pid; free() them. */
static Member *all_new(int *count)
{
    Member *all = NULL;
    DIR *folder = opendir("/proc");
    *count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        all = grown(all, (unsigned long)*count, sizeof *all);
        *count += read_member(&all[*count], entry->d_name);
    }
    if (folder)
        closedir(folder);
    if (all)
        qsort(all, (size_t)*count, sizeof *all, by_pid);
    return all;
}

/* Is this process among the ancestors of m? */
static bool descends(const Member *m, const Member *all, int count)
{
    for (int steps = 0; m && steps < count; steps++) {
        if (m->parent == getpid())
            return true;
        m = bsearch(&(Member){.pid = m->parent}, all, (size_t)count, sizeof *all, by_pid);
    }
    return false;
}

Family family_now(void)
{
    Family f = {0};
    int count;
    Member *all = all_new(&count);
    for (const Member *m = all; m < all + count; m++)
        if (descends(m, all, count)) {
            f.processes++;
            f.bytes += (double)m->pages * (double)sysconf(_SC_PAGESIZE);
            f.stopped |= m->state == 'T';
        }
    free(all);
    return f;
}

double family_bytes_of(pid_t process)
{
    char pid[24];
    Member m;
    snprintf(pid, sizeof pid, "%d", process);
    return read_member(&m, pid) ? (double)m.pages * (double)sysconf(_SC_PAGESIZE) : 0;
}

double family_shared(void)
{
    char text[8192], *line = strstr(file_head(text, sizeof text, "/proc/meminfo"), "Shmem:");
    return line ? 1024 * strtod(line + strlen("Shmem:"), NULL) : 0; /* KiB */
}

static bool is_parent(pid_t pid, const Member *all, int count)
{
    for (int i = 0; i < count; i++)
        if (all[i].parent == pid)
            return true;
    return false;
}

static void kill_those(bool youngest)
{
    int count;
    Member *all = all_new(&count);
    for (const Member *m = all; m < all + count; m++)
        if (descends(m, all, count) && !(youngest && is_parent(m->pid, all, count)))
            kill(m->pid, SIGKILL);
    free(all);
}

void family_kill(void) { kill_those(false); }

void family_kill_youngest(void) { kill_those(true); }
