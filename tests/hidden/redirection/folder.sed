# The weights are a folder.
# expect: fail weights: no file was written
/^static void save/,/^}/s/^        checkpoint_save.*/        mkdir(path, 0777);/
s/^#include <stdlib.h>/&\n#include <sys\/stat.h>/
