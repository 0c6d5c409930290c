/* safetensors.h: the file format: 8 bytes little-endian header length, a JSON header {"name":
 * {"dtype", "shape", "data_offsets"}}, raw data.
 *
 * The reader believes nothing: lengths, offsets, overlaps, shapes, dtypes, duplicate names and JSON
 * are checked before a number is used. The writer is deterministic: names in the order given,
 * offsets contiguous, header padded with spaces to a multiple of 8.
 */
#ifndef SAFETENSORS_H
#define SAFETENSORS_H
#include <stddef.h>
#include <stdint.h>

typedef struct SafeTensor {
    char *name;
    int dims;
    int64_t shape[8];
    const float *data; /* F32, product(shape) numbers */
} SafeTensor;

typedef struct SafeTensors {
    SafeTensor *tensors;
    int count;
    char **keys, **values; /* metadata, `pairs` of them */
    int pairs;
    void *memory; /* the file's bytes; data points into it */
} SafeTensors;

/* Write all, atomically (temporary name, fsync, rename, fsync of the folder). Returns NULL, or a
 * new string that says what failed (free() it). */
char *safetensors_write(const char *path, const SafeTensors *t);
/* Read. Returns NULL and fills *t, or a new string that says what is wrong, with *t empty. F32 only
 * (others are refused by name). */
char *safetensors_read(const char *path, SafeTensors *t);
/* The same from memory: what the fuzzer drives. bytes are copied. */
char *safetensors_parse(const void *bytes, size_t size, SafeTensors *t);
void safetensors_free(SafeTensors *t); /* what read or parse made; not t itself */
const char *safetensors_value(const SafeTensors *t, const char *key); /* metadata; NULL: none */
/* NULL: none. Lives as long as *t */
const SafeTensor *safetensors_find(const SafeTensors *t, const char *name);
#endif
