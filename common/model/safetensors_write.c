/* safetensors_write.c: the writer of safetensors.h: 8 bytes of length, the header, the tensors one behind the other. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "file.h"
#include "safetensors.h"

enum { PREFIX = 8 }; /* bytes of the header's length */

static int64_t count_of(const SafeTensor *t)
{
    int64_t count = 1;
    for (int i = 0; i < t->dims; i++)
        count *= t->shape[i];
    return count;
}

/* Takes over value. False where the name is there already, or it or the value is not UTF-8. */
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
        json_t *entry = json_pack("{s:s, s:o, s:[I,I]}", "dtype", "F32", "shape", shape, "data_offsets", begin, end);
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
