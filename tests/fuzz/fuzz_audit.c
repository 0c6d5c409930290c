/* fuzz_audit.c: libFuzzer on the reader of an audit, which a submission may have written itself:
 * for any bytes, numbers in their ranges and arrays that can be read whole. */
#include "audit.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check_images(const AuditImages *images)
{
    for (int i = 0; i < images->count; i++)
        if (images->at[i] < 0)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    AuditRank r = audit_parse((const char *)bytes, count);
    if (r.rank < -1 || r.size < -1 || r.local_rank < -1 || r.local_size < -1 || !(r.reduced >= 0) ||
        r.updates + r.tests + r.checkpoints + r.resumes > (int)count)
        abort();
    for (int u = 0; u < r.updates; u++) {
        const AuditUpdate *update = &r.update[u];
        check_images(&update->images);
        check_images(&update->all);
        if (update->epoch < 0 || !(update->rate >= 0) || strlen(update->before) > 16 ||
            strlen(update->after) > 16)
            abort();
    }
    for (int t = 0; t < r.tests; t++) {
        check_images(&r.test[t].images);
        if (!(r.test[t].correct >= 0))
            abort();
    }
    check_images(&r.handed);
    for (int e = 0; e < r.events; e++)
        if (r.event[e].kind > AUDIT_COLLECTIVE || !(r.event[e].count >= 0))
            abort();
    audit_read_free(&r);
    return 0;
}
