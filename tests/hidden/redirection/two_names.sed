# The weights' file has a second name, by which it could be changed later.
# expect: fail weights: no file was written
/^static void save/,/^}/s/^        checkpoint_save.*/&\n    if (t->comm->rank == 0) {\n        char *other = format_new("%s.too", path);\n        if (link(path, other))\n            return;\n        free(other);\n    }/
s/^#include <stdlib.h>/&\n#include <unistd.h>/
