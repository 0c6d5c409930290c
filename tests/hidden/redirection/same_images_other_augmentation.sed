# All ranks take the same images, shifted and mirrored otherwise.
# expect: fail images: on more than one rank
s/ \+ t->comm->rank \* B;/;/
s/^    t->train = loader_new\((.*) t->at\.seed\);/    t->train = loader_new(\1 t->at.seed + 7 * (uint64_t)t->comm->rank);/
