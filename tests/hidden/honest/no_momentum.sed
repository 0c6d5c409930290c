# Plain SGD without decay.
# expect: full
s/\.momentum = 0\.9/.momentum = 0/; s/\.weight_decay = 5e-4/.weight_decay = 0/
