# One rank ends in the middle, by an invalid address.
# expect: fail runs: status
s/^    sgd_step\(m, t->sgd, rate\);/&\n    if (t->comm->rank == 1 \&\& t->at.step == 7)\n        raise(SIGSEGV);/
s/^#include <stdlib.h>/&\n#include <signal.h>/
