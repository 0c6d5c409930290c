/* safetensors.c: see safetensors.h. The format: https://github.com/huggingface/safetensors
 *
 * The reader parses the header before it allocates memory for the data, so a false header costs
 * nothing. Every message is one line without control characters.
 */
#include "safetensors.h"
#include "check.h"
#include "file.h"
#include <jansson.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    PREFIX = 8,           /* bytes of the header's length */
    HEADER_MAX = 1 << 20, /* 10,000 tensors; read, JSON takes a hundred times its size */
    DIMS_MAX = sizeof(((SafeTensor *)0)->shape) / sizeof(int64_t)
};

/* ---- the reader ---- */

/* The header's length from the first 8 bytes, or why it is impossible in a file of `size` bytes. */
static char *header_length(uint64_t *length, const unsigned char *prefix, uint64_t size)
{
    if (size < PREFIX)
        return format_new("%llu bytes, too short for a safetensors file: truncated?",
                          (unsigned long long)size);
    *length = 0;
    for (int i = 0; i < PREFIX; i++)
        *length |= (uint64_t)prefix[i] << 8 * i;
    if (*length > size - PREFIX)
        return format_new(
            "a header of %llu bytes in a file of %llu: truncated, or not a safetensors file",
            (unsigned long long)*length, (unsigned long long)size);
    if (*length > HEADER_MAX)
        return format_new("a header of %llu bytes: at most %d are read",
                          (unsigned long long)*length, HEADER_MAX);
    return NULL;
}

static char *read_metadata(SafeTensors *t, json_t *pairs)
{
    if (!json_is_object(pairs))
        return format_new("__metadata__ is not an object of strings");
    t->keys = alloc(json_object_size(pairs), sizeof *t->keys);
    t->values = alloc(json_object_size(pairs), sizeof *t->values);
    const char *key;
    json_t *value;
    json_object_foreach (pairs, key, value) {
        if (!json_is_string(value))
            return format_new("__metadata__: '%s' is not a string", key);
        t->keys[t->pairs] = format_new("%s", key);
        t->values[t->pairs++] = format_new("%s", json_string_value(value));
    }
    return NULL;
}

/* The sizes into s->shape, the number of elements into count. */
static char *read_shape(SafeTensor *s, int64_t *count, json_t *shape)
{
    if (!json_is_array(shape) || json_array_size(shape) > DIMS_MAX)
        return format_new("tensor '%s': its shape is not a list of up to %d sizes", s->name,
                          DIMS_MAX);
    s->dims = (int)json_array_size(shape);
    *count = 1;
    for (int i = 0; i < s->dims; i++) {
        json_t *size = json_array_get(shape, (size_t)i);
        s->shape[i] = json_integer_value(size);
        if (!json_is_integer(size) || s->shape[i] < 0 ||
            __builtin_mul_overflow(*count, s->shape[i], count))
            return format_new("tensor '%s': its shape has invalid sizes", s->name);
    }
    return NULL;
}

/* its part of the data */
typedef struct Extent {
    uint64_t begin, end;
    SafeTensor *tensor;
} Extent;

/* One entry: {"dtype": "F32", "shape": [sizes], "data_offsets": [begin, end]}. */
static char *read_entry(SafeTensor *s, Extent *extent, json_t *entry, uint64_t data_size)
{
    const char *dtype = json_string_value(json_object_get(entry, "dtype"));
    if (!dtype)
        return format_new("tensor '%s': has no dtype", s->name);
    if (strcmp(dtype, "F32"))
        return format_new(
            "tensor '%s': its dtype is %s, expected F32: save it as float32, or leave it out",
            s->name, dtype);
    int64_t count = 0;
    char *wrong = read_shape(s, &count, json_object_get(entry, "shape"));
    if (wrong)
        return wrong;
    json_t *offsets = json_object_get(entry, "data_offsets");
    json_t *from = json_array_get(offsets, 0), *to = json_array_get(offsets, 1);
    if (json_array_size(offsets) != 2 || !json_is_integer(from) || !json_is_integer(to))
        return format_new("tensor '%s': its data_offsets are not two whole numbers", s->name);
    json_int_t first = json_integer_value(from), last = json_integer_value(to);
    if (first < 0 || last < first || (uint64_t)last > data_size)
        return format_new("tensor '%s': its data_offsets [%lld, %lld] lie outside the %llu bytes "
                          "of data: truncated?",
                          s->name, (long long)first, (long long)last,
                          (unsigned long long)data_size);
    if ((last - first) % (json_int_t)sizeof(float) ||
        (last - first) / (json_int_t)sizeof(float) != count)
        return format_new(
            "tensor '%s': %lld bytes of data, its shape needs %lld elements of %zu bytes", s->name,
            (long long)(last - first), (long long)count, sizeof(float));
    *extent = (Extent){(uint64_t)first, (uint64_t)last, s};
    return NULL;
}

static int by_place(const void *a, const void *b)
{
    const Extent *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* The format allows no overlap and no gap: sorted by offset, each tensor begins where the one
 * before it ends, and the last one ends with the file. */
static char *check_extents(Extent *extents, int count, uint64_t data_size)
{
    if (count)
        qsort(extents, (size_t)count, sizeof *extents, by_place);
    uint64_t at = 0;
    for (int i = 0; i < count; i++) {
        if (extents[i].begin < at)
            return format_new("tensor '%s': its data overlap those of '%s'",
                              extents[i].tensor->name, extents[i - 1].tensor->name);
        if (extents[i].begin > at)
            return format_new("tensor '%s': %llu bytes before its data belong to no tensor",
                              extents[i].tensor->name, (unsigned long long)(extents[i].begin - at));
        at = extents[i].end;
    }
    if (at != data_size)
        return format_new("%llu bytes at the end belong to no tensor",
                          (unsigned long long)(data_size - at));
    return NULL;
}

/* All entries of the header into t: metadata, names, shapes and offsets in t->memory, which is not
 * filled yet. */
static char *read_entries(SafeTensors *t, json_t *header, uint64_t data_size)
{
    t->tensors = alloc(json_object_size(header), sizeof *t->tensors);
    Extent *extents = alloc(json_object_size(header), sizeof *extents);
    char *wrong = NULL;
    const char *name;
    json_t *entry;
    json_object_foreach (header, name, entry) {
        if (!strcmp(name, "__metadata__"))
            wrong = read_metadata(t, entry);
        else {
            t->tensors[t->count].name = format_new("%s", name);
            wrong = read_entry(&t->tensors[t->count], &extents[t->count], entry, data_size);
            t->count++;
        }
        if (wrong)
            break;
    }
    if (!wrong)
        wrong = check_extents(extents, t->count, data_size);
    if (!wrong) {
        t->memory = alloc(data_size, 1);
        for (int i = 0; i < t->count; i++)
            extents[i].tensor->data = (const float *)((const char *)t->memory + extents[i].begin);
    }
    free(extents);
    return wrong;
}

static char *read_header(SafeTensors *t, const char *text, size_t length, uint64_t data_size)
{
    if (length == 0 || text[0] != '{')
        return format_new("its header is not JSON: not a safetensors file");
    json_error_t error;
    json_t *header = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!header)
        return format_new("its header is invalid JSON, at byte %d: %s", error.position, error.text);
    char *wrong = read_entries(t, header, data_size);
    json_decref(header);
    return wrong;
}

/* One line of limited length, with any text quoted from the file. */
static char *one_line(char *message)
{
    for (size_t i = 0; message && message[i]; i++) {
        if (i == 400)
            message[i] = 0;
        else if ((unsigned char)message[i] < ' ' || message[i] == 127)
            message[i] = '?';
    }
    return message;
}

char *safetensors_parse(const void *bytes, size_t size, SafeTensors *t)
{
    *t = (SafeTensors){0};
    uint64_t length = 0;
    char *wrong = header_length(&length, bytes, size);
    if (!wrong)
        wrong = read_header(t, (const char *)bytes + PREFIX, length, size - PREFIX - length);
    if (!wrong)
        memcpy(t->memory, (const char *)bytes + PREFIX + length, size - PREFIX - length);
    else
        safetensors_free(t);
    return one_line(wrong);
}

static char *read_bytes(void *to, FILE *f, size_t size, const char *what)
{
    if (fread(to, 1, size, f) == size)
        return NULL;
    return format_new("%s could not be read completely: %s", what,
                      ferror(f) ? strerror(errno) : "the file is changing");
}

/* The three parts in their order, each checked before the next is read. */
static char *read_parts(SafeTensors *t, FILE *f, uint64_t size)
{
    unsigned char prefix[PREFIX] = {0};
    uint64_t length = 0;
    char *wrong = size < PREFIX ? NULL : read_bytes(prefix, f, PREFIX, "the header's length");
    if (!wrong)
        wrong = header_length(&length, prefix, size);
    if (wrong)
        return wrong;
    char *text = alloc(length + 1, 1);
    wrong = read_bytes(text, f, length, "the header");
    if (!wrong)
        wrong = read_header(t, text, length, size - PREFIX - length);
    free(text);
    return wrong ? wrong : read_bytes(t->memory, f, size - PREFIX - length, "the data");
}

char *safetensors_read(const char *path, SafeTensors *t)
{
    *t = (SafeTensors){0};
    struct stat found;
    if (stat(path, &found)) /* before fopen: opening a pipe would wait for its writer */
        return format_new("%s: %s", path, strerror(errno));
    if (!S_ISREG(found.st_mode))
        return format_new("%s: not a regular file, expected a safetensors file", path);
    FILE *f = fopen(path, "rbe");
    if (!f)
        return format_new("%s: %s", path, strerror(errno));
    char *wrong = one_line(read_parts(t, f, (uint64_t)found.st_size));
    fclose(f);
    if (!wrong)
        return NULL;
    safetensors_free(t);
    char *message = format_new("%s: %s", path, wrong);
    free(wrong);
    return message;
}

void safetensors_free(SafeTensors *t)
{
    for (int i = 0; i < t->count; i++)
        free(t->tensors[i].name);
    for (int i = 0; i < t->pairs; i++) {
        free(t->keys[i]);
        free(t->values[i]);
    }
    free(t->tensors);
    free(t->keys);
    free(t->values);
    free(t->memory);
    *t = (SafeTensors){0};
}

const char *safetensors_value(const SafeTensors *t, const char *key)
{
    for (int i = 0; i < t->pairs; i++)
        if (!strcmp(t->keys[i], key))
            return t->values[i];
    return NULL;
}

const SafeTensor *safetensors_find(const SafeTensors *t, const char *name)
{
    for (int i = 0; i < t->count; i++)
        if (!strcmp(t->tensors[i].name, name))
            return &t->tensors[i];
    return NULL;
}

/* ---- the writer: 8 bytes of length, the header, the tensors ---- */

static int64_t count_of(const SafeTensor *t)
{
    int64_t count = 1;
    for (int i = 0; i < t->dims; i++)
        count *= t->shape[i];
    return count;
}

/* Consumes value. False: a duplicate name, or not UTF-8. */
static bool set_once(json_t *object, const char *name, json_t *value)
{
    if (json_object_get(object, name)) {
        json_decref(value);
        return false;
    }
    return json_object_set_new(object, name, value) == 0;
}

/* The header as JSON text, padded; NULL where a name is given twice or is not UTF-8. */
static char *header_text(const SafeTensors *t, size_t *length)
{
    json_t *header = json_object(), *pairs = json_object();
    bool good = true;
    for (int i = 0; i < t->pairs; i++)
        good &= set_once(pairs, t->keys[i], json_string(t->values[i]));
    if (t->pairs)
        json_object_set(header, "__metadata__", pairs);
    json_decref(pairs);
    json_int_t begin = 0;
    for (int i = 0; i < t->count; i++) {
        const SafeTensor *s = &t->tensors[i];
        json_t *shape = json_array();
        for (int d = 0; d < s->dims; d++)
            json_array_append_new(shape, json_integer(s->shape[d]));
        json_int_t end = begin + (json_int_t)sizeof(float) * count_of(s);
        json_t *entry = json_pack("{s:s, s:o, s:[I,I]}", "dtype", "F32", "shape", shape,
                                  "data_offsets", begin, end);
        good &= set_once(header, s->name, entry);
        begin = end;
    }
    char *json = good ? json_dumps(header, JSON_COMPACT) : NULL, *text = NULL;
    json_decref(header);
    if (json) {
        size_t padding = 7 - (strlen(json) + 7) % 8;
        text = format_new("%s%*s", json, (int)padding, "");
        *length = strlen(text);
    }
    free(json);
    return text;
}

char *safetensors_write(const char *path, const SafeTensors *t)
{
    size_t length = 0;
    char *header = header_text(t, &length);
    if (!header)
        return format_new("%s: a name is given twice or is not UTF-8", path);
    unsigned char prefix[PREFIX];
    for (int i = 0; i < PREFIX; i++)
        prefix[i] = (unsigned char)((uint64_t)length >> 8 * i);
    NewFile *f = file_begin(path);
    file_put(f, prefix, PREFIX);
    file_put(f, header, length);
    for (int i = 0; i < t->count; i++)
        file_put(f, t->tensors[i].data, sizeof(float) * (size_t)count_of(&t->tensors[i]));
    free(header);
    return file_commit(f);
}
