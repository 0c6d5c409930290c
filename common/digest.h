/* digest.h: SHA-256: a few digits that tell files, and parameters, apart. */
#ifndef DIGEST_H
#define DIGEST_H
#include <stddef.h>

/* The first size - 1 hexadecimal digits (an even number, at most 64) of SHA-256 over `bytes` bytes,
 * into hex[size]. */
void sha256_hex(char *hex, int size, const void *data, size_t bytes);
#endif
