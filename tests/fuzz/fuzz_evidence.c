/* fuzz_evidence.c: libFuzzer on the messages of a submission: for any bytes the grader reads a
 * backward pass within its limits, a message, or the end. */
#include "../../assessment/grader/inspection.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    enum { RANKS = 2 };
    /* A first byte of 1: behind a head that is right but for what the next bytes say. */
    EvidenceHead head = {.magic = EVIDENCE_MAGIC,
                         .params = 3,
                         .n = 2,
                         .h = 2,
                         .w = 2,
                         .c = 1,
                         .stats_ranks = 1,
                         .name = "mlp",
                         .classes = 10};
    int fd = memfd_create("message", 0);
    bool helped = count > 4 && bytes[0] == 1;
    if (helped) {
        head.n = bytes[1], head.weighted = bytes[2], head.picked = bytes[3];
        if (write(fd, &head, sizeof head) < 0)
            abort();
        bytes += 4, count -= 4;
    }
    if (write(fd, bytes, count) < 0 || lseek(fd, 0, SEEK_SET))
        abort();
    for (;;) {
        char *fault = NULL;
        Pass *p = pass_read(fd, RANKS, &(Images){.count = 300, .h = 2, .w = 2, .c = 1}, &fault);
        if (p && (fault || p->head.n < 1 || p->head.rank >= RANKS || !p->x))
            abort();
        free(fault);
        pass_free(p);
        if (!p)
            break;
    }
    close(fd);
    return 0;
}
