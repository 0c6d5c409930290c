# It waits a little in each update.
# expect: full
s/^#include <stdlib.h>/&\n#include <unistd.h>/
s/^    sgd_step\(m, t->sgd, rate\);/&\n    usleep(20000);/
