/* json_text.c: see json_text.h. */
#include "json_text.h"
#include "check.h"
#include "file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of the UTF-8 character at text; 0: invalid. By Jansson. */
static size_t character(const char *text)
{
    for (size_t bytes = 1; bytes <= 4 && text[bytes - 1]; bytes++) {
        json_t *one = json_stringn(text, bytes);
        json_decref(one);
        if (one)
            return bytes;
    }
    return 0;
}

json_t *json_text(const char *text)
{
    if (!text)
        return json_null();
    char *exact = alloc(4 * strlen(text) + 1, 1), *to = exact; /* 4: of \xNN */
    while (*text) {
        size_t bytes = character(text);
        if (bytes == 0)
            to += sprintf(to, "\\x%02x", (unsigned char)*text);
        else if (*text == '\\')
            to += sprintf(to, "\\\\");
        else
            to = mempcpy(to, text, bytes);
        text += bytes ? bytes : 1;
    }
    json_t *json = json_string(exact);
    ASSERT(json);
    free(exact);
    return json;
}

static int put(const char *text, size_t size, void *file)
{
    file_put(file, text, size);
    return 0;
}

void json_write(const char *path, const json_t *json, int digits)
{
    NewFile *f = file_begin(path);
    int failed = json_dump_callback(json, put, f, JSON_INDENT(2) | JSON_REAL_PRECISION(digits));
    ASSERT(!failed);
    file_put(f, "\n", 1);
    char *error = file_commit(f);
    REQUIRE(!error, "%s", error);
}
