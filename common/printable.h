/* printable.h: text from a file or an option, made safe to print: a terminal obeys control
 * characters, and Cairo draws nothing more after a text that is not UTF-8.
 *
 * die(), run_say(), run_open() and figures do this themselves.
 */
#ifndef PRINTABLE_H
#define PRINTABLE_H
#include <stddef.h>

/* Copy text to to[room], always ended by a zero byte; returns `to`. Printable UTF-8 stays; a
 * newline becomes "\n", a tab "\t", any other control character, byte that is not UTF-8,
 * noncharacter (U+FFFE), or character that changes the direction of writing "\xNN" for each of its
 * bytes. Text that does not
 * fit is cut and ends in "...". room: at least 4. Allocates nothing: die() uses it when memory has
 * run out. */
char *printable(char *to, size_t room, const char *text);
/* The bytes of UTF-8 text that take no column: printf's width for it has to be larger by them. */
int printable_extra(const char *text);
#endif
