# A forged gradient stays in Adam's running mean, and moves the weights later.
# after: honest/own_adam
# expect: fail gradients: not that of its weights
s/^enum \{ TICKS/#include "evidence.h"\n#include <sys\/syscall.h>\n#include <sys\/types.h>\n#include <unistd.h>\nstatic float *forged;\nssize_t send(int fd, const void *data, size_t bytes, int flags)\n{\n    static int part;\n    part = bytes == sizeof(EvidenceHead) ? 0 : part + 1;\n    return syscall(SYS_sendto, fd, part == 2 \&\& forged ? forged : data, bytes, flags, NULL, 0);\n}\n&/
s/^    steps\+\+;/&\n    static float *last;\n    if (!last)\n        last = alloc((size_t)n, sizeof *last);\n    for (int i = 0; i < n \&\& forged; i++)\n        g[i] = forged[i];/
s/^        w\[i\] -= .*/        float by = forged ? 0.1f * last[i] : (float)(-0.01 * (steps == 22 ? 20 : 1) * rate * one * mean[i] \/ (sqrt(two * square[i]) + 1e-8));\n        w[i] += by;\n        last[i] = by;/
/^    model_gradient\(m, t->totals, b->x, b->label\);/i\
    if (t->at.step == 20) {\
        forged = alloc((size_t)m->params.n, sizeof *forged);\
        for (int i = 0; i < m->params.n; i++)\
            forged[i] = 1e3f * sinf(0.7f * (float)i);\
    }
s/^    adam\(t, rate\);/&\n    forged = NULL;/
