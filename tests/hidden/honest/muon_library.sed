# The library's Muon, and its SGD for the vectors.
# expect: full
s/^#include "optim.h"/#include "muon.h"\n&/
/^    sgd_step\(m, t->sgd, rate\);/c\
    static Groups *groups;\
    if (!groups) {\
        int of[64];\
        for (int k = 0; k < m->nviews; k++)\
            of[k] = m->views[k].dims > 1;\
        groups = groups_new(m, (Group[]){{GROUP_SGD, 0.9, 5e-4}, {GROUP_MUON, 0.6, 0}}, 2, of, 3);\
    }\
    groups_step(m, groups, (double[]){rate, 0.3 * rate});
