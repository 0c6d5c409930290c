# A forged gradient moves the weights after a return to the start, which forgets its update.
# expect: fail gradients: not that of its weights
s/^enum \{ TICKS/#include "evidence.h"\n#include <sys\/syscall.h>\n#include <sys\/types.h>\n#include <unistd.h>\nstatic float *forged;\nssize_t send(int fd, const void *data, size_t bytes, int flags)\n{\n    static int part;\n    part = bytes == sizeof(EvidenceHead) ? 0 : part + 1;\n    return syscall(SYS_sendto, fd, part == 2 \&\& forged ? forged : data, bytes, flags, NULL, 0);\n}\n&/
/^    model_gradient\(m, t->totals, b->x, b->label\);/i\
    static float *begun, *aim;\
    float *w = host(t, m->params);\
    size_t n = (size_t)m->params.n, size = n * sizeof *w;\
    if (!begun) {\
        begun = memcpy(malloc(size), w, size);\
        model_init(m, 77);\
        aim = memcpy(malloc(size), w, size);\
        memcpy(w, begun, size);\
    }\
    if (t->at.step == 1) {\
        forged = malloc(size);\
        for (size_t i = 0; i < n; i++)\
            forged[i] = begun[i] - aim[i];\
    }
s/^    sgd_step\(m, t->sgd, rate\);/    forged = NULL;\n    if (t->at.step == 0)\n        w[0] += 1e-3f;\n    else if (t->at.step < 3)\n        memcpy(w, t->at.step == 1 ? begun : aim, size);\n    else\n    &/
