/* data_file.h: parsing untrusted files in memory. For the readers (data_*.c), their tests and their
 * fuzzers.
 *
 * A function returns NULL on success, else an error message (free() it): a phrase with a likely
 * cause, such as "12 bytes, expected 16: truncated?". It never ends the run, and never allocates
 * more than the stored bytes can justify. The reader adds the file's name and the remedy, and calls
 * die().
 */
#ifndef DATA_FILE_H
#define DATA_FILE_H
#include "data.h"
#include "number.h"

typedef struct Bytes {
    uint8_t *at;
    size_t size;
} Bytes;

/* A whole regular file into new memory (free(out->at)); refuses folders, pipes, and files over 2
 * GiB; and, before it reads the rest, what `check` refuses (NULL: nothing): it gets the file's
 * first bytes, at most 4096, and its size. */
typedef char *(*HeadCheck)(Bytes head, uint64_t size, int argument);
char *file_load(Bytes *out, const char *path, HeadCheck check, int argument);

/* One IDX file as stored, gzip or not -> out: the unpacked file in new memory, its elements from
 * idx_header(dims) on; size[dims]. */
char *idx_parse(Bytes *out, int dims, int size[/*dims*/], Bytes stored);
static inline size_t idx_header(int dims) { return 4 + 4 * (size_t)dims; }

/* One CIFAR-10 file of `count` records -> images first … first + count - 1 of `out`, already
 * allocated. */
char *cifar_parse(Images *out, int first, int count, Bytes stored);

#endif
