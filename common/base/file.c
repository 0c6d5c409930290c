/* file.c: whole files: see file.h. */
#include "file.h"
#include "check.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct NewFile {
    char *path, *folder, *temporary;
    bool named;   /* `temporary` exists */
    FILE *stream; /* NULL: it could not be opened */
    char *error;  /* the first failure, NULL: none so far */
};

static void fail(NewFile *f, const char *what)
{
    if (!f->error)
        f->error = format_new("%s: %s", f->path, what);
}

/* ---- files that are not under their final name yet ---- */

static char *folder_of(const char *path)
{
    char *copy = format_new("%s", path), *folder = format_new("%s", dirname(copy));
    free(copy);
    return folder;
}

static const char *name_in(const char *path)
{
    return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

enum { MOST_NAME = 200 }; /* bytes of it in a temporary name: a name has at most 255 */

/* Is it "<name>.<process>.tmp"? */
static bool is_temporary(const char *entry, const char *name)
{
    size_t length = strnlen(name, MOST_NAME);
    if (strncmp(entry, name, length) || entry[length] != '.')
        return false;
    const char *digits = entry + length + 1, *end = digits + strspn(digits, "0123456789");
    return end > digits && !strcmp(end, ".tmp");
}

/* A writer holds a lock on its temporary file: those without one are left from killed writers. */
static void remove_leftovers(const NewFile *f)
{
    DIR *folder = opendir(f->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (!is_temporary(entry->d_name, name_in(f->path)))
            continue;
        int file = openat(dirfd(folder), entry->d_name,
                          O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
        if (file >= 0)
            close(file);
    }
    if (folder)
        closedir(folder);
}

/* An unnamed file, removed if its writer dies; link_name() names it. -1: not supported here. */
static int open_nameless(const NewFile *f)
{
#ifdef O_TMPFILE
    if (access("/proc/self/fd", X_OK) == 0)
        return open(f->folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
#endif
    return -1;
}

/* Its lock must be there before another writer sees the name and takes it for a leftover. */
static int open_named(NewFile *f)
{
    struct stat found = {0};
    int file;
    do {
        file = open(f->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file >= 0)
            flock(file, LOCK_EX | LOCK_NB);
    } while (file >= 0 && fstat(file, &found) == 0 && found.st_nlink == 0 && close(file) == 0);
    f->named = file >= 0;
    return file;
}

static void link_name(NewFile *f)
{
    char *open_file = format_new("/proc/self/fd/%d", fileno(f->stream));
    flock(fileno(f->stream), LOCK_EX | LOCK_NB);
    unlink(f->temporary);
    if (linkat(AT_FDCWD, open_file, AT_FDCWD, f->temporary, AT_SYMLINK_FOLLOW))
        fail(f, strerror(errno));
    else
        f->named = true;
    free(open_file);
}

/* ---- a new file ---- */

NewFile *file_begin(const char *path)
{
    NewFile *f = alloc(1, sizeof *f);
    f->path = format_new("%s", path);
    f->folder = folder_of(path);
    f->temporary = format_new("%.*s%.*s.%d.tmp", (int)(name_in(path) - path), path, MOST_NAME,
                              name_in(path), (int)getpid());
    struct stat old;
    if (stat(path, &old) == 0 && !S_ISREG(old.st_mode)) { /* rename would replace a device */
        fail(f, S_ISDIR(old.st_mode) ? "is a folder, expected a file name"
                                     : "is not a regular file; choose another name");
        return f;
    }
    remove_leftovers(f);
    int file = open_nameless(f);
    if (file < 0)
        file = open_named(f);
    f->stream = file < 0 ? NULL : fdopen(file, "wb");
    if (!f->stream)
        fail(f, strerror(errno));
    return f;
}

void file_put(NewFile *f, const void *bytes, size_t size)
{
    if (!f->error && fwrite(bytes, 1, size, f->stream) != size)
        fail(f, strerror(errno));
}

void file_print(NewFile *f, const char *format, ...)
{
    if (f->error)
        return;
    va_list arguments;
    va_start(arguments, format);
    if (vfprintf(f->stream, format, arguments) < 0)
        fail(f, strerror(errno));
    va_end(arguments);
}

/* The new name is on the disk when its folder is. Some file systems cannot fsync a folder: rename
 * must then suffice. */
static void sync_folder(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder);
        close(folder);
    }
}

char *file_commit(NewFile *f)
{
    if (f->stream) {
        if (!f->error && (fflush(f->stream) || fsync(fileno(f->stream))))
            fail(f, strerror(errno));
        if (!f->error && !f->named)
            link_name(f); /* a kill between this line and the next leaves the temporary name */
        if (!f->error && rename(f->temporary, f->path))
            fail(f, strerror(errno));
        fclose(f->stream); /* all of it is on the disk */
        if (!f->error)
            sync_folder(f->folder);
        else if (f->named)
            unlink(f->temporary);
    }
    char *error = f->error;
    free(f->temporary);
    free(f->folder);
    free(f->path);
    free(f);
    return error;
}

/* ---- logs and reading ---- */

/* Opened without waiting, as a pipe would; -1 and *error unless it is a regular file. */
static int open_regular(const char *path, int flags, char **error)
{
    struct stat found = {0};
    int file = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    *error = NULL;
    if (file >= 0 && fstat(file, &found) == 0 && S_ISREG(found.st_mode))
        return file;
    bool folder = file >= 0 ? S_ISDIR(found.st_mode) : errno == EISDIR;
    *error = format_new("%s: %s", path,
                        folder                        ? "is a folder, expected a file"
                        : file >= 0 || errno == ENXIO ? "is not a regular file"
                                                      : strerror(errno));
    if (file >= 0)
        close(file);
    return -1;
}

FILE *file_log(const char *path, bool fresh, char **error)
{
    int file = open_regular(path, O_WRONLY | O_CREAT | O_APPEND, error);
    if (file < 0)
        return NULL;
    FILE *log = fresh && ftruncate(file, 0) ? NULL : fdopen(file, "a");
    if (!log) {
        *error = format_new("%s: %s", path, strerror(errno));
        close(file);
    }
    return log;
}

char *file_log_put(FILE *log, const char *text)
{
    struct stat before;
    int file = fileno(log), known = fstat(file, &before);
    for (size_t left = strlen(text); left > 0;) {
        ssize_t put = write(file, text, left);
        if (put >= 0) {
            text += put;
            left -= (size_t)put;
        } else if (errno != EINTR) {
            char *error = format_new("%s", strerror(errno));
            if (known == 0 &&
                ftruncate(file, before.st_size)) /* half a line would be a wrong one */
                note("note: the log's last line is incomplete");
            return error;
        }
    }
    return NULL;
}

FILE *file_open(const char *path, char **error)
{
    int file = open_regular(path, O_RDONLY, error);
    return file < 0 ? NULL : fdopen(file, "rb");
}

FILE *file_try(const char *path)
{
    char *error = NULL;
    FILE *file = file_open(path, &error);
    free(error);
    return file;
}

char *file_read(char **bytes, size_t *size, const char *path, size_t most)
{
    char *error;
    *bytes = NULL;
    *size = 0;
    int file = open_regular(path, O_RDONLY, &error);
    if (file < 0)
        return error;
    struct stat found;
    ssize_t got = fstat(file, &found);
    if (got == 0 && (uint64_t)found.st_size > most)
        error = format_new("%s: file too large: %lld bytes", path, (long long)found.st_size);
    size_t room = error ? 0 : (size_t)found.st_size;
    *bytes = alloc(room + 1, 1);
    while (!error && *size < room && (got = read(file, *bytes + *size, room - *size)) > 0)
        *size += (size_t)got;
    if (got < 0)
        error = format_new("%s: %s", path, strerror(errno));
    close(file);
    if (error) {
        free(*bytes);
        *bytes = NULL;
    }
    return error;
}

char *file_head(char *to, size_t room, const char *path)
{
    FILE *file = file_try(path);
    to[file ? fread(to, 1, room - 1, file) : 0] = 0;
    if (file)
        fclose(file);
    return to;
}

/* ---- folders ---- */

char *file_make_folder(const char *path)
{
    char *part = format_new("%s", path), *error = NULL;
    size_t length = strlen(part);
    for (size_t i = 1; i <= length && !error; i++) {
        if (part[i] != '/' && part[i] != 0)
            continue;
        part[i] = 0;
        struct stat found;
        if (mkdir(part, 0777) && errno != EEXIST)
            error = format_new("%s: cannot make the folder %s: %s", path, part, strerror(errno));
        else if (stat(part, &found) || !S_ISDIR(found.st_mode))
            error = format_new("%s: %s is not a folder; choose another path", path, part);
        if (i < length)
            part[i] = '/';
    }
    free(part);
    return error;
}

/* Removes what can be removed of one folder, given its descriptor, without going further down.
 * Returns a subfolder that is not empty, made accessible (a descriptor); -1: no such folder, and
 * *gone says whether the folder is empty. */
static int remove_entries(int folder, bool *gone)
{
    struct stat info;
    int down = -1, copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = copy < 0 ? NULL : fdopendir(copy);
    *gone = entries != NULL;
    for (struct dirent *e; down < 0 && entries && (e = readdir(entries));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
            unlinkat(folder, e->d_name, 0) == 0 || unlinkat(folder, e->d_name, AT_REMOVEDIR) == 0)
            continue;
        if ((errno == ENOTEMPTY || errno == EEXIST) &&
            fstatat(folder, e->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode)) {
            fchmodat(folder, e->d_name, 0700, 0);
            down = openat(folder, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        }
        *gone &= down >= 0;
    }
    if (entries)
        closedir(entries);
    return down;
}

/* Down to the deepest folder and up again by "..": paths can be too long, and descriptors too few.
 */
bool file_remove(const char *path)
{
    if (unlink(path) == 0 || rmdir(path) == 0 || errno == ENOENT)
        return true;
    struct stat info;
    int folder = -1, depth = 0;
    if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        chmod(path, 0700);
        folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    for (bool gone = true; gone && folder >= 0 && depth >= 0;) {
        int next = remove_entries(folder, &gone);
        depth += next >= 0 ? 1 : -1;
        if (next < 0 && gone && depth >= 0)
            next = openat(folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(folder);
        folder = next;
    }
    if (folder >= 0)
        close(folder);
    return rmdir(path) == 0;
}
