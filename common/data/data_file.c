/* data_file.c: reading a file into memory. */
#include "data_file.h"
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const off_t MOST_BYTES = 1ll << 31;

/* What is wrong with the file's beginning. */
static char *read_head(int file, uint64_t size, HeadCheck check, int argument)
{
    uint8_t bytes[4096];
    ssize_t got = pread(file, bytes, sizeof bytes, 0);
    return got >= 0 ? check((Bytes){bytes, (size_t)got}, size, argument) : NULL;
}

/* Read `size` bytes, fstat's size: a file that shrinks meanwhile is an error, growth is ignored. */
static char *read_all(Bytes *out, int file, size_t size)
{
    *out = (Bytes){alloc(size + 1, 1), 0}; /* + 1: an empty file is memory, too */
    while (out->size < size) {
        ssize_t got = read(file, out->at + out->size, size - out->size);
        if (got > 0)
            out->size += got;
        else if (got == 0 || errno != EINTR) {
            char *fault = format_new("reading stopped after %zu of %zu bytes: %s: a broken disk?",
                                     out->size, size, got ? strerror(errno) : "the file shrank");
            free(out->at);
            *out = (Bytes){0};
            return fault;
        }
    }
    return NULL;
}

char *file_load(Bytes *out, const char *path, HeadCheck check, int argument)
{
    *out = (Bytes){0};
    struct stat info;
    /* O_NONBLOCK: a pipe without a writer must not hang us */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return format_new("cannot be opened: %s: does it exist, with read permission?",
                          strerror(errno));
    char *fault = NULL;
    if (fstat(file, &info))
        fault = format_new("cannot be examined: %s: a broken disk?", strerror(errno));
    else if (!S_ISREG(info.st_mode))
        fault = format_new("is %s, expected a file: unpacked into the wrong folder?",
                           S_ISDIR(info.st_mode) ? "a folder" : "not a regular file");
    else if (info.st_size > MOST_BYTES)
        fault = format_new("%lld bytes, more than any data set here has: the wrong file?",
                           (long long)info.st_size);
    else if (!check || !(fault = read_head(file, (uint64_t)info.st_size, check, argument)))
        fault = read_all(out, file, info.st_size);
    close(file);
    return fault;
}
