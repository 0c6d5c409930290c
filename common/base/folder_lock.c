/* folder_lock.c: see folder_lock.h. */
#include "folder_lock.h"
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct FolderLock {
    int file;
    FolderLock *next;
};

/* All of this process, static: a fork() tells nobody else, and the child must let go of them. */
static FolderLock *held;

static void let_go(void)
{
    for (FolderLock *l = held; l; l = l->next)
        close(l->file);
    held = NULL;
}

static void forks_let_go(void) { pthread_atfork(NULL, NULL, let_go); }

/* O_NONBLOCK: it might be a pipe. Reading is enough for the lock of another person's file. */
static int open_lock(const char *path)
{
    const int flags = O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int file = open(path, O_RDWR | flags, 0666);
    return file < 0 && errno == EACCES ? open(path, O_RDONLY | flags, 0666) : file;
}

/* "process 1234 on node7 (since 14:02 on 3 Mar: lab1_landscape)"; a file that another person owns
 * (opened to read) keeps its words. */
static void write_holder(int file, const char *path, const char *program)
{
    char host[256] = "", since[64], *text;
    time_t now = time(NULL);
    struct tm local;
    gethostname(host, sizeof host - 1);
    strftime(since, sizeof since, "%H:%M on %e %b", localtime_r(&now, &local));
    text = format_new("process %d on %s (since %s: %s)\n", (int)getpid(), host, since, program);
    bool said = ftruncate(file, 0) == 0 && pwrite(file, text, strlen(text), 0) > 0;
    REQUIRE(said || errno == EBADF || errno == EINVAL, "%s: %s", path, strerror(errno));
    free(text);
}

/* Ends the run, with the words of the holder if they are there already. */
static void refuse(const char *folder, int file)
{
    char text[512] = "";
    ssize_t got = pread(file, text, sizeof text - 1, 0);
    text[got > 0 ? (size_t)got : 0] = 0;
    text[strcspn(text, "\n")] = 0;
    die(EXIT_USAGE, "%s: in use by %s: wait for it, end it, or use another --out", folder,
        *text ? text : "another process");
}

FolderLock *folder_lock(const char *folder, const char *program)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char *path = format_new("%s/.lock", folder);
    struct stat found;
    int file = open_lock(path);
    REQUIRE(file >= 0, "%s: %s", path,
            errno == ELOOP ? "is a symbolic link, expected a file: remove it" : strerror(errno));
    REQUIRE(fstat(file, &found) == 0 && S_ISREG(found.st_mode),
            "%s: is not a regular file: remove it", path);
    if (flock(file, LOCK_EX | LOCK_NB)) {
        if (errno == EWOULDBLOCK)
            refuse(folder, file);
        note("note: %s: %s: do not start a second run in this folder", path, strerror(errno));
        close(file);
        free(path);
        return NULL;
    }
    write_holder(file, path, program);
    free(path);
    pthread_once(&once, forks_let_go);
    FolderLock *l = alloc(1, sizeof *l);
    *l = (FolderLock){file, held};
    held = l;
    return l;
}

void folder_unlock(FolderLock *l)
{
    if (!l)
        return;
    for (FolderLock **at = &held; *at; at = &(*at)->next)
        if (*at == l) {
            *at = l->next;
            close(l->file);
            break;
        }
    free(l);
}
