# The weights are a pipe that nobody writes to.
# expect: fail weights: no file was written
/^static void save/,/^}/s/^        checkpoint_save.*/        mkfifo(path, 0666);/
s/^#include <stdlib.h>/&\n#include <sys\/stat.h>/
