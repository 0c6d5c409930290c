/* file.c: see file.h. */
#include "file.h"
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct NewFile {
    char *path, *temporary;
    FILE *stream; /* NULL: it could not be opened */
    char *error;  /* the first failure, NULL: none so far */
};

static void fail(NewFile *f, const char *what)
{
    if (!f->error)
        f->error = format_new("%s: %s", f->path, what);
}

NewFile *file_begin(const char *path)
{
    NewFile *f = alloc(1, sizeof *f);
    f->path = format_new("%s", path);
    f->temporary = format_new("%s.%d.tmp", path, (int)getpid());
    struct stat old;
    if (stat(path, &old) == 0 && !S_ISREG(old.st_mode)) { /* rename would replace a device */
        fail(f, S_ISDIR(old.st_mode) ? "is a folder, expected a file name"
                                     : "is not a regular file; choose another name");
        return f;
    }
    f->stream = fopen(f->temporary, "wbe");
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
 * then has to do. */
static void sync_folder(const char *path)
{
    char *copy = format_new("%s", path);
    int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder);
        close(folder);
    }
    free(copy);
}

char *file_commit(NewFile *f)
{
    if (f->stream) {
        if (!f->error && (fflush(f->stream) || fsync(fileno(f->stream))))
            fail(f, strerror(errno));
        if (fclose(f->stream))
            fail(f, strerror(errno));
        if (!f->error && rename(f->temporary, f->path))
            fail(f, strerror(errno));
        if (f->error)
            unlink(f->temporary);
        else
            sync_folder(f->path);
    }
    char *error = f->error;
    free(f->temporary);
    free(f->path);
    free(f);
    return error;
}

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

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    remove(path);
    return 0;
}

void file_remove(const char *path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }
