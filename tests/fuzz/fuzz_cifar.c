/* fuzz_cifar.c: libFuzzer on the CIFAR-10 reader: for any bytes it returns a one-line message, or
 * labels of at most 9 and the pixels in order. The first byte gives the number of records expected,
 * 1 to 3; the rest is the file. */
#include "check.h"
#include "data/data_file.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (count == 0)
        return 0;
    int records = 1 + bytes[0] % 3;
    Images images = {.count = records,
                     .h = 32,
                     .w = 32,
                     .c = 3,
                     .pixels = alloc(records, 3072),
                     .labels = alloc(records, 1)};
    char *wrong = cifar_parse(&images, 0, records, (Bytes){(uint8_t *)bytes + 1, count - 1});
    if (wrong && (!*wrong || strpbrk(wrong, "\n\r\t")))
        abort();
    for (int i = 0; i < records && !wrong; i++) {
        const uint8_t *record = bytes + 1 + i * 3073;
        if (images.labels[i] > 9 || images.labels[i] != record[0] ||
            images.pixels[i * 3072] != record[1] || images.pixels[i * 3072 + 3071] != record[3072])
            abort();
    }
    free(wrong);
    free(images.pixels);
    free(images.labels);
    return 0;
}
