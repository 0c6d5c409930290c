/* file.h: whole files: a new one appears under its final name complete, or not at all. Only regular
 * files are read or appended to, so that nothing here ever waits for a pipe.
 *
 * The bytes go to a file without a name, then to the disk (fsync), and only then is it linked and
 * renamed to its final name (and the folder fsynced). A reader of that name sees the old file or
 * the new one, even after a full disk, a kill or a power cut. On a file system without unnamed
 * files (NFS) it is called "<path>.<process>.tmp" meanwhile; the next writer of the same path
 * removes what a killed writer left.
 *
 *     NewFile *f = file_begin(path);
 *     file_put(f, values, sizeof values);
 *     char *error = file_commit(f);      NULL, or a new string: "<path>: No space left on device"
 */
#ifndef FILE_H
#define FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct NewFile NewFile;

/* Never NULL: file_commit reports a failure. */
NewFile *file_begin(const char *path);
void file_put(NewFile *f, const void *bytes, size_t size); /* does nothing after a failure */
void file_print(NewFile *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Rename it to its final name and free f. Returns NULL, or an error message (free() it): the old
 * file then stays. */
char *file_commit(NewFile *f);

/* A log that others may read while it grows; it must not exist, or be a regular file. fresh: from
 * nothing, else behind what is there. NULL on failure, with *error a new message. */
FILE *file_log(const char *path, bool fresh, char **error);
/* Write text to its end at once, whole or not at all. Returns NULL, or an error message without the
 * path (free() it). */
char *file_log_put(FILE *log, const char *text);

/* A regular file, to read it piece by piece. NULL on failure, with *error a new message. */
FILE *file_open(const char *path, char **error);
FILE *file_try(const char *path); /* the same, without a message */
/* Read a whole file of at most `most` bytes: *bytes is new, and a zero byte follows its `size`.
 * Returns NULL, or an error message (free() it) and *bytes NULL. */
char *file_read(char **bytes, size_t *size, const char *path, size_t most);

/* As much as fits of a small file, such as one of /proc, as text in to[room]; "" where it cannot be
 * read. Returns `to`. */
char *file_head(char *to, size_t room, const char *path);

/* Make the folder and its parents, as `mkdir -p`. Returns NULL, or an error message (free() it). */
char *file_make_folder(const char *path);

/* Remove a file, or a folder with everything in it, as `rm -rf`, but also folders without
 * permissions, and however deep. Returns whether nothing is there any more. */
bool file_remove(const char *path);
#endif
