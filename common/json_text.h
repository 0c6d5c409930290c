/* json_text.h: JSON as a file; any text as a JSON string, without loss. JSON is UTF-8; names of
 * files and folders need not be.
 */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H
#include <jansson.h>

/* Never fails: a byte that is not UTF-8 becomes "\xNN" and a backslash two of them, so that no two
 * texts become the same. NULL becomes null. */
json_t *json_text(const char *text);
/* The whole of `json` as a file, indented, real numbers with that many digits. A failure ends the
 * run (exit 2). */
void json_write(const char *path, const json_t *json, int digits);
#endif
