# All ranks take the same images.
# expect: fail images: 1?[0-9]+ % of the images were on more than one rank
s/ \+ t->comm->rank \* B;/;/
