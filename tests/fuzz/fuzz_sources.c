/* fuzz_sources.c: libFuzzer on the reader of archives that students hand in: any bytes give sources
 * within the limits, or an explained fault; no path leads out. */
#include "../../assessment/grader/class_entries.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static Members *f;
    if (!f)
        f = mmap(NULL, sizeof *f + MOST_READ, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *f = (Members){0};
    char *own = alloc(count + 1, 1);
    memcpy(own, bytes, count);
    Reading reading = {own, count, false, f};
    read_archive(&reading);
    free(own);
    if (f->used > MOST_READ || f->members > MOST_MEMBERS + 1 || !memchr(f->fault, 0, 256))
        abort();
    Entries e = {0};
    add_records(&e, f);
    for (int i = 0; i < e.count; i++)
        if (!*e.of[i].path || strstr(e.of[i].path, "..") == e.of[i].path ||
            e.of[i].size > MOST_INNER || (e.of[i].fault && e.of[i].size))
            abort();
    entries_free(&e);
    return 0;
}
