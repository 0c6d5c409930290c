# Right, but it rests after each update.
# expect: full
s/^    sgd_step\(m, t->sgd, rate\);/&\n    usleep(100000);/
s/^#include <stdlib.h>/&\n#include <unistd.h>/
