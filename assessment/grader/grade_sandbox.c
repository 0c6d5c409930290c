/* grade_sandbox.c: the commands that run in the sandbox of sandbox.sh, and what comes out of it. */
#include "check.h"
#include "child.h"
#include "file.h"
#include "grade.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

static const char script[] = "assessment/grader/sandbox.sh";

char *sandbox_missing(char **kind)
{
    ChildEnd end = child_run(&(Child){.command = (const char *[]){script, "works", NULL},
                                      .streams = CHILD_OUT | CHILD_ERR,
                                      .seconds = 20,
                                      .confined = true});
    end.text[strcspn(end.text, "\n")] = 0;
    char *said = format_new("%.1000s", *end.text ? end.text : "it does not answer");
    free(end.text);
    *kind = end.status ? NULL : said;
    return end.status ? said : NULL;
}

char *sandbox_text(const Paths *at)
{
    if (at->no_sandbox)
        return format_new("no sandbox (%s): it ran with the rights of the grader, by --trust",
                          at->no_sandbox);
    return format_new("in a sandbox (%s; limits by rlimits and a watcher: %d GiB, %d processes)",
                      at->sandbox, MOST_GIB, MOST_STARTED);
}

/* ---- commands ---- */

void words_add(Words *w, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    ASSERT(w->count < (int)(sizeof w->word / sizeof *w->word) - 1);
    w->word[w->count++] = format_list(format, values);
    va_end(values);
}

void words_put(Words *w, ...)
{
    va_list words;
    va_start(words, w);
    for (const char *word; (word = va_arg(words, const char *));)
        words_add(w, "%s", word);
    va_end(words);
}

void words_free(Words *w)
{
    for (int i = 0; i < w->count; i++)
        free(w->word[i]);
    *w = (Words){0};
}

void sandbox_begin(Words *w, const Paths *at)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    /* their shadow memory needs the whole address space */
    words_put(w, "env", "SANDBOX_MEMORY=unlimited", NULL);
#endif
    words_put(w, script, at->hand, NULL);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "UBSAN_OPTIONS" : "ASAN_OPTIONS", *value = getenv(name);
        if (value)
            words_put(w, "--setenv", name, value, NULL);
    }
}

void sandbox_show(Words *w, const char *path, const char *inside)
{
    words_put(w, "--ro-bind", path, inside, NULL);
}

/* The path from the file system's root, without following its last link. */
static char *whole_path(const char *path)
{
    char *here = realpath(".", NULL);
    REQUIRE(here, "cannot tell this folder's name");
    char *whole = *path == '/' ? format_new("%s", path) : format_new("%s/%s", here, path);
    free(here);
    return whole;
}

void sandbox_show_there(Words *w, const char *path)
{
    char *whole = whole_path(path);
    if (access(whole, R_OK) == 0)
        sandbox_show(w, whole, whole);
    free(whole);
}

void sandbox_stay(Words *w)
{
    char *here = whole_path("");
    words_put(w, "--chdir", here, NULL);
    free(here);
}

void sandbox_end(Words *w) { words_add(w, "--"); }

/* ---- what comes out ---- */

char *sandbox_take(const char *from, const char *to)
{
    struct stat info;
    /* A link could lead to another user's file, and a pipe would block. */
    int fd = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return format_new("%s: %s", from, strerror(errno));
    char *wrong = NULL;
    if (fstat(fd, &info) || !S_ISREG(info.st_mode) || info.st_nlink != 1)
        wrong = format_new("%s: is a link, or has several names", from);
    else if (info.st_size > MOST_FILE)
        wrong = format_new("%s: %lld bytes, at most %d are taken", from, (long long)info.st_size,
                           MOST_FILE);
    if (!wrong) {
        NewFile *copy = file_begin(to);
        char bytes[1 << 16];
        ssize_t got, all = 0;
        while (all <= MOST_FILE && (got = read(fd, bytes, sizeof bytes)) > 0) {
            file_put(copy, bytes, (size_t)got);
            all += got;
        }
        wrong = file_commit(copy);
        REQUIRE(!wrong, "%s", wrong);
    }
    close(fd);
    return wrong;
}

bool sandbox_started(const Paths *at)
{
    char *path = format_new("%s/%s", at->hand, SANDBOX_STARTED);
    bool there = access(path, F_OK) == 0;
    file_remove(path);
    free(path);
    return there;
}

/* ---- how much it writes ---- */

enum {
    MOST_ENTRIES = 2000,
    MORE_ENTRIES = 100,
    MORE_BYTES = 64 << 20
}; /* MORE: until it is seen */
static const long MOST_BYTES = 4L * MOST_FILE;

static void put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write(fd, text, strlen(text)) < 0)
        note("note: %s: %s", path, strerror(errno));
    close(fd);
}

/* Root makes the mount itself, another user in a user namespace. */
void sandbox_limit_files(const Paths *at)
{
    char size[100], users[64], groups[64];
    uid_t user = geteuid();
    snprintf(size, sizeof size, "mode=0755,size=%ld,nr_inodes=%d", MOST_BYTES + MORE_BYTES,
             MOST_ENTRIES + MORE_ENTRIES);
    snprintf(users, sizeof users, "%u %u 1", user, user);
    snprintf(groups, sizeof groups, "%u %u 1", getegid(), getegid());
    if (!at->sandbox || strcmp(at->sandbox, "bubblewrap") ||
        unshare(CLONE_NEWNS | (user ? CLONE_NEWUSER : 0)))
        return;
    if (user) {
        put("/proc/self/setgroups", "deny");
        put("/proc/self/uid_map", users);
        put("/proc/self/gid_map", groups);
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
        mount("tmpfs", at->hand, "tmpfs", MS_NOSUID | MS_NODEV, size);
}

static long entries, bytes; /* nftw passes no context */

static int count(const char *path, const struct stat *info, int type, struct FTW *at)
{
    entries++;
    bytes += type == FTW_F ? (long)info->st_blocks * 512 : 0;
    return entries > MOST_ENTRIES || bytes > MOST_BYTES || type == FTW_DNR;
}

bool sandbox_is_full(const char *hand)
{
    char *inside = format_new("%s/.", hand); /* it may be a link: sandbox.sh */
    struct statfs all;
    entries = bytes = 0;
    bool full = false;
    if (statfs(inside, &all) == 0 && all.f_type == TMPFS_MAGIC &&
        all.f_files == MOST_ENTRIES + MORE_ENTRIES)
        full = (long)((all.f_blocks - all.f_bfree) * (unsigned long)all.f_bsize) > MOST_BYTES ||
               all.f_files - all.f_ffree > MOST_ENTRIES;
    else {
        int walked = nftw(inside, count, 16, FTW_PHYS | FTW_MOUNT);
        full = walked > 0 || (walked < 0 && errno == ENAMETOOLONG);
    }
    free(inside);
    return full;
}
