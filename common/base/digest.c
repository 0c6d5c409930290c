/* digest.c: see digest.h. */
#include "digest.h"
#include "check.h"
#include <openssl/evp.h>
#include <stdio.h>

void sha256_hex(char *hex, int size, const void *data, size_t bytes)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    int made = EVP_Digest(data, bytes, digest, NULL, EVP_sha256(), NULL);
    ASSERT(made == 1 && size <= 65);
    for (int i = 0; i < size / 2; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}
