# It prints without end.
# expect: fail runs: status|wrote too much|still running
# seconds: 20
s/^    finish\(&t\);/    for (;;)\n        printf("100 of 100 points\\n");/
s/^#include <stdlib.h>/&\n#include <stdio.h>/
