/* fuzz_landscape.c: libFuzzer on the points that a landscape resumes from: any lines are refused in
 * one line, or are points of the plane, each once. The first two bytes choose the grid, up to 16 x
 * 16; the rest follows the header. */
#include "check.h"
#include "landscape.h"
#include "sweep.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* A landscape may enter these without looking again. */
static void check_points(const Plane *p, const Sweep *log)
{
    char there[16 * 16] = {0};
    for (int k = 0; k < log->rows; k++) {
        const double *value = log->row[k].value;
        int point = (int)log->row[k].setting;
        if (point < 0 || point >= p->nx * p->ny || there[point]++ || value[2] < 0 ||
            !(value[3] >= 0 && value[3] <= 1))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const char header[] = "# {}\npoint,seed,a,b,loss,accuracy\n";
    if (count < 2)
        return 0;
    Plane p = {.nx = 1 + bytes[0] % 16,
               .ny = 1 + bytes[1] % 16,
               .a_low = -1,
               .a_high = 1,
               .b_low = -3,
               .b_high = 0};
    Sweep log = {.values = 4};
    size_t size = sizeof header - 1 + count - 2, good;
    char *text = alloc(size, 1);
    memcpy(text, header, sizeof header - 1);
    memcpy(text + sizeof header - 1, bytes + 2, count - 2);
    char *wrong = sweep_parse(&log, &good, text, size, header);
    if (!wrong)
        wrong = landscape_check(&p, &log);
    if (wrong && (!*wrong || strpbrk(wrong, "\n\r\t")))
        abort();
    if (!wrong)
        check_points(&p, &log);
    free(wrong);
    free(text);
    free(log.row);
    return 0;
}
