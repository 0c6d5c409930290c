# The weights' file is empty.
# expect: fail weights: cannot be scored
/^static void save/,/^}/s/^        checkpoint_save.*/        close(open(path, O_CREAT | O_WRONLY, 0666));/
s/^#include <stdlib.h>/&\n#include <fcntl.h>\n#include <unistd.h>/
