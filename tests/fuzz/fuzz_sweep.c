/* fuzz_sweep.c: libFuzzer on the reader of a sweep's file: for any bytes behind its header it
 * returns a one-line message, or rows that are found again, each once, and print as these bytes.
 * The first byte chooses the number of values, 1 to 8; the rest follows the header. */
#include "check.h"
#include "sweep.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check_rows(const Sweep *s, const char *text)
{
    char line[1024];
    for (int i = 0; i < s->rows; i++) {
        const SweepRow *row = &s->row[i];
        int used = snprintf(line, sizeof line, "%.17g,%lld", row->setting, (long long)row->seed);
        for (int v = 0; v < s->values; v++)
            used += snprintf(line + used, sizeof line - used, ",%.9g", row->value[v]);
        if (sweep_find(s, row->setting, row->seed) != row || memcmp(text, line, used) ||
            text[used] != '\n')
            abort();
        text += used + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const char header[] = "# {}\nn,seed,a\n";
    if (count == 0)
        return 0;
    Sweep s = {.values = 1 + bytes[0] % SWEEP_VALUES};
    size_t size = sizeof header - 1 + count - 1, good;
    char *text = alloc(size, 1);
    memcpy(text, header, sizeof header - 1);
    memcpy(text + sizeof header - 1, bytes + 1, count - 1);
    char *wrong = sweep_parse(&s, &good, text, size, header);
    if (wrong ? !*wrong || strpbrk(wrong, "\n\r\t") : good < sizeof header - 1 || good > size)
        abort();
    if (!wrong)
        check_rows(&s, text + sizeof header - 1);
    free(wrong);
    free(text);
    free(s.row);
    return 0;
}
