/* fuzz_idx.c: libFuzzer on the IDX reader: for any bytes, gzip or not, it returns a one-line
 * message, or exactly the bytes that the header promises. The first byte chooses the dimensions, 1
 * to 4; the rest is the file. */
#include "data/data_file.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (count == 0)
        return 0;
    int dims = 1 + bytes[0] % 4, size[4];
    Bytes out;
    char *wrong = idx_parse(&out, dims, size, (Bytes){(uint8_t *)bytes + 1, count - 1});
    if (wrong) {
        if (out.at || out.size || !*wrong || strpbrk(wrong, "\n\r\t"))
            abort();
        free(wrong);
        return 0;
    }
    size_t elements = 1;
    for (int d = 0; d < dims; d++)
        elements *= size[d];
    if (out.size != idx_header(dims) + elements || out.size > 1032 * count)
        abort();
    volatile uint8_t sum = 0; /* read every byte: the address sanitizer sees one that lies
                               * outside */
    for (size_t i = 0; i < out.size; i++)
        sum = sum + out.at[i];
    free(out.at);
    return 0;
}
