# The weights' file is 100 GB, with nothing in it.
# expect: fail weights: cannot be scored|no file
/^static void save/,/^}/s/^        checkpoint_save.*/        close(open(path, O_CREAT | O_WRONLY, 0666)), (void)!truncate(path, 100000000000);/
s/^#include <stdlib.h>/&\n#include <fcntl.h>\n#include <unistd.h>/
