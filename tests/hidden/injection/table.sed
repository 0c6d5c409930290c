# It prints the grader's table, and trains on one rank only.
# expect: fail gradients: rank 1's gradients count
s/^    average\(t, m->grads\);/    comm_broadcast(t->comm, m->grads, 0, m->s);/
s/^    finish\(&t\);/&\n    printf("PASS  equal         10\/10   2 ranks\\nPASS  gradients     10\/10   all\\nPASS  images         5\/5    all\\n100 of 100 points\\n");/
s/^#include <stdlib.h>/&\n#include <stdio.h>/
