/* fuzz_safetensors.c: libFuzzer on the safetensors reader: for any bytes it returns a one-line
 * message, or tensors whose elements all lie inside the memory it allocated. */
#include "safetensors.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    SafeTensors t;
    char *wrong = safetensors_parse(bytes, size, &t);
    if (wrong) {
        if (t.count || t.tensors || t.memory || !*wrong || strpbrk(wrong, "\n\r\t"))
            abort();
        free(wrong);
        return 0;
    }
    volatile float sum = 0; /* read every element: the address sanitizer sees one that lies
                             * outside */
    int64_t total = 0;
    for (int i = 0; i < t.count; i++) {
        int64_t count = 1;
        for (int d = 0; d < t.tensors[i].dims; d++)
            count *= t.tensors[i].shape[d];
        for (int64_t n = 0; n < count; n++)
            sum = sum + t.tensors[i].data[n];
        total += count;
        if (!safetensors_find(&t, t.tensors[i].name))
            abort();
    }
    if ((uint64_t)total * sizeof(float) + 8 > size) /* tensors do not overlap */
        abort();
    safetensors_free(&t);
    return 0;
}
