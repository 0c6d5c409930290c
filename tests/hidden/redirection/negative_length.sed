# The weights' file begins with a length that no file has.
# expect: fail weights: cannot be scored
/^static void save/,/^}/s/^        checkpoint_save.*/{\n        FILE *f = fopen(path, "w");\n        for (int i = 0; f \&\& i < 4096; i++)\n            fputc(255, f);\n        if (f)\n            fclose(f);\n    }/
s/^#include <stdlib.h>/&\n#include <stdio.h>/
