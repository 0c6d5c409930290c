# Half of each slice is the neighbour's, too.
# expect: fail images: on more than one rank
s/t->comm->rank \* B;/t->comm->rank * B \/ 2;/
