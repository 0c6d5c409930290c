# A process left behind replaces the file when the ranks have ended.
# expect: pend gradients: the file
/^static void save/,/^}/s/^    free\(path\);/    if (t->comm->rank == 0 \&\& fork() == 0) {\n        t->be->op->scale(t->model->s, t->model->params, 1.3f);\n        usleep(300000);\n        checkpoint_save(path, t->model, NULL, \&t->at);\n        _exit(0);\n    }\n    usleep(600000);\n&/
s/^#include <stdlib.h>/&\n#include <unistd.h>/
