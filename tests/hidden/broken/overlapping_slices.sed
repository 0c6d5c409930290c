# The ranks' slices overlap by half.
# expect: fail images: on more than one rank
s/ \+ t->comm->rank \* B;/ + t->comm->rank * B \/ 2;/
