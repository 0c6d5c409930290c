/* fuzz_sources.c: libFuzzer on the reader of archives that students hand in: any bytes give sources
 * within the limits, or an explained fault. */
#include "../../assessment/grader/class_sources.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static Members *f;
    if (!f)
        f = mmap(NULL, sizeof *f + MOST_READ, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *f = (Members){0};
    Reading reading = {bytes, count, false, f};
    read_archive(&reading);
    if (f->used > MOST_READ || f->members > MOST_MEMBERS + 1 || !memchr(f->fault, 0, 256))
        abort();
    size_t at = 0;
    while (at + sizeof(Record) <= f->used) {
        Record r;
        memcpy(&r, f->at + at, sizeof r);
        if (!memchr(r.path, 0, sizeof r.path) || !memchr(r.fault, 0, sizeof r.fault) ||
            r.size > MOST_INNER || (*r.fault && r.size))
            abort();
        char *name = name_of(r.path);
        if (strchr(name, '/'))
            abort();
        free(name);
        at += sizeof r + r.size;
    }
    if (at != f->used)
        abort();
    return 0;
}
