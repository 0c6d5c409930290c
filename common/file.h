/* file.h: a file appears under its final name whole, or not at all.
 *
 * The bytes go to a temporary name beside the final one, then to the disk (fsync), and only then is
 * the name exchanged (rename, and fsync of the folder). Whoever opens the final name sees the old
 * file or the new one, whatever happens to the writer in between: a full disk, a kill, a power cut.
 * A writer that is killed leaves at most "<path>.<process>.tmp".
 *
 *     NewFile *f = file_begin(path);
 *     file_put(f, numbers, sizeof numbers);
 *     char *error = file_commit(f);      NULL, or a new string: "<path>: No space left on device"
 */
#ifndef FILE_H
#define FILE_H
#include <stddef.h>

typedef struct NewFile NewFile;

/* never NULL: a failure is remembered for file_commit */
NewFile *file_begin(const char *path);
void file_put(NewFile *f, const void *bytes, size_t size); /* after a failure this does nothing */
void file_print(NewFile *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Put it in place and free f. Returns NULL, or a new string that says what failed (free() it): the
 * file under the final name is then the old one. */
char *file_commit(NewFile *f);

/* Make the folder and the ones above it, as `mkdir -p`. Returns NULL, or a new string that says
 * what failed (free() it). */
char *file_make_folder(const char *path);

/* Remove a file, or a folder with all in it, as `rm -rf`: what is not there, or cannot be removed,
 * is passed over. */
void file_remove(const char *path);
#endif
