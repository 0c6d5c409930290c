/* safetensors.h: the file format: 8 bytes little-endian header length, a JSON header {"name":
 * {"dtype", "shape", "data_offsets"}}, raw data.
 *
 * The reader trusts nothing: it checks lengths, offsets, overlaps, shapes, dtypes, duplicate names
 * and JSON before it uses an element. The writer is deterministic: names in the given order,
 * contiguous offsets, header padded with spaces to a multiple of 8.
 */
#ifndef SAFETENSORS_H
#define SAFETENSORS_H
#include <stddef.h>
#include <stdint.h>

typedef struct SafeTensor {
    char *name;
    int dims;
    int64_t shape[8];
    const float *data; /* F32, product(shape) elements */
} SafeTensor;

typedef struct SafeTensors {
    SafeTensor *tensors;
    int count;
    char **keys, **values; /* [pairs], metadata */
    int pairs;
    void *memory; /* the file's bytes; data points into it */
} SafeTensors;

/* Write all, atomically (file.h). Returns NULL, or an error message (free() it). */
char *safetensors_write(const char *path, const SafeTensors *t);
/* Read. Returns NULL and fills *t, or an error message (free() it), with *t empty. F32 only: a
 * tensor of another type is refused by name. */
char *safetensors_read(const char *path, SafeTensors *t);
/* The same from memory, which is copied: the fuzzer's entry. */
char *safetensors_parse(const void *bytes, size_t size, SafeTensors *t);
void safetensors_free(SafeTensors *t); /* the contents, not t itself */
const char *safetensors_value(const SafeTensors *t, const char *key); /* metadata; NULL: none */
/* NULL: none. Valid as long as *t. */
const SafeTensor *safetensors_find(const SafeTensors *t, const char *name);
#endif
