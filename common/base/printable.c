/* printable.c: see printable.h. */
#include "printable.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ESCAPED = 4 * 4 + 1 }; /* four bytes as \xNN\xNN\xNN\xNN */

/* The bytes of the UTF-8 character at text, and its code; 0: invalid (RFC 3629, section
 * 4). */
static size_t utf8_character(const unsigned char *text, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t bytes = *text < 0x80 ? 1
                 : *text < 0xC2 ? 0
                 : *text < 0xE0 ? 2
                 : *text < 0xF0 ? 3
                 : *text < 0xF5 ? 4
                                : 0;
    *code = bytes < 2 ? *text : *text & (0x7Fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xC0) != 0x80) /* the final zero, too */
            return 0;
        *code = *code << 6 | (text[i] & 0x3F);
    }
    bool surrogate = *code >= 0xD800 && *code <= 0xDFFF;
    return *code < least[bytes] || *code > 0x10FFFF || surrogate ? 0 : bytes;
}

static bool is_safe(uint32_t code)
{
    bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    bool direction = code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
                     (code >= 0x2066 && code <= 0x2069);
    bool none = (code & 0xFFFE) == 0xFFFE || (code >= 0xFDD0 && code <= 0xFDEF); /* not in XML */
    return !control && !direction && !none;
}

/* The character at *from as printable text in to; *from moves past it. */
static void escape(char to[ESCAPED], const unsigned char **from)
{
    uint32_t code;
    size_t bytes = utf8_character(*from, &code);
    if (bytes && is_safe(code))
        snprintf(to, ESCAPED, "%.*s", (int)bytes, (const char *)*from);
    else if (**from == '\n' || **from == '\t')
        strcpy(to, **from == '\n' ? "\\n" : "\\t");
    else
        for (size_t i = 0; i < (bytes ? bytes : 1); i++)
            sprintf(to + 4 * i, "\\x%02x", (*from)[i]);
    *from += bytes ? bytes : 1;
}

char *printable(char *to, size_t room, const char *text)
{
    static const char cut[] = "...";
    size_t used = 0, fits = 0; /* fits: as much of it as leaves room for `cut` */
    char one[ESCAPED];
    *to = 0;
    for (const unsigned char *from = (const unsigned char *)text; *from;) {
        escape(one, &from);
        if (used + strlen(one) >= room) {
            strcpy(to + fits, cut);
            break;
        }
        strcpy(to + used, one);
        used += strlen(one);
        if (used + sizeof cut <= room)
            fits = used;
    }
    return to;
}

int printable_extra(const char *text)
{
    int extra = 0;
    for (; *text; text++)
        extra += (*text & 0xC0) == 0x80;
    return extra;
}
