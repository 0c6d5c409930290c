/* file.h: atomic writes: a file appears under its final name complete, or not at all.
 *
 * The bytes go to a temporary name beside the final one, then to the disk (fsync), and only then is
 * the file renamed (rename, and fsync of the folder). A reader of the final name sees the old file
 * or the new one, whatever happens to the writer in between: a full disk, a kill, a power cut. A
 * writer that is killed leaves at most "<path>.<process>.tmp".
 *
 *     NewFile *f = file_begin(path);
 *     file_put(f, values, sizeof values);
 *     char *error = file_commit(f);      NULL, or a new string: "<path>: No space left on device"
 */
#ifndef FILE_H
#define FILE_H
#include <stddef.h>

typedef struct NewFile NewFile;

/* Never NULL: file_commit reports a failure. */
NewFile *file_begin(const char *path);
void file_put(NewFile *f, const void *bytes, size_t size); /* does nothing after a failure */
void file_print(NewFile *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Rename it to its final name and free f. Returns NULL, or an error message (free() it): the old
 * file then stays. */
char *file_commit(NewFile *f);

/* Make the folder and its parents, as `mkdir -p`. Returns NULL, or an error message (free() it). */
char *file_make_folder(const char *path);

/* Remove a file, or a folder with everything in it, as `rm -rf`: missing files and failures are
 * ignored. */
void file_remove(const char *path);
#endif
