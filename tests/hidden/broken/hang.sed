# Rank 1 waits for ever.
# expect: fail runs: still running
# seconds: 8
s/^    sgd_step\(m, t->sgd, rate\);/&\n    while (t->comm->rank == 1 \&\& t->at.step == 7)\n        pause();/
s/^#include <stdlib.h>/&\n#include <unistd.h>/
