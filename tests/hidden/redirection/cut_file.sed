# The weights' file ends in the middle.
# expect: fail weights: cannot be scored
/^static void save/,/^}/s/^        checkpoint_save.*/&\n    if (t->comm->rank == 0 \&\& truncate(path, 5000))\n        return;/
s/^#include <stdlib.h>/&\n#include <unistd.h>/
