# The weights are a link to another file.
# expect: fail weights: no file was written
/^static void save/,/^}/s/^        checkpoint_save.*/        if (symlink("\/submission\/data\/cifar-10-batches-bin\/data_batch_1.bin", path))\n            return;/
s/^#include <stdlib.h>/&\n#include <unistd.h>/
