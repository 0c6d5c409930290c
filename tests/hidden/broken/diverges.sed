# A rate a million times as high.
# expect: fail runs: status
s/\.rate = o->rate \* t->comm->size/.rate = 1e6 * o->rate/
