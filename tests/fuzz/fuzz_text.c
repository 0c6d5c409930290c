/* fuzz_text.c: libFuzzer on text from files and options: json_text() loses nothing, and what
 * printable() gives is UTF-8 without control characters, and fits. */
#include "check.h"
#include "json_text.h"
#include "printable.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* json_text() backwards, in place. */
static void decode(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        if (*from != '\\')
            *to++ = *from++;
        else if (from[1] == '\\')
            *to++ = '\\', from += 2;
        else {
            char digits[] = {from[2], from[3], 0};
            *to++ = (char)strtol(digits, NULL, 16);
            from += 4;
        }
    }
    *to = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char *text = alloc(count + 1, 1);
    memcpy(text, bytes, count);
    json_t *json = json_text(text);
    char *back = format_new("%s", json_string_value(json));
    decode(back);
    if (strcmp(back, text))
        abort();
    size_t room = 4 + count % 64;
    char *safe = alloc(room, 1);
    printable(safe, room, text);
    json_t *valid = json_string(safe);
    if (!valid || strlen(safe) >= room)
        abort();
    for (const char *at = safe; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7F)
            abort();
    json_decref(valid);
    json_decref(json);
    free(safe);
    free(back);
    free(text);
    return 0;
}
