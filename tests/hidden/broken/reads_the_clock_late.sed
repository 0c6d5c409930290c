# It goes on training for ever.
# expect: fail runs: still running
# seconds: 8
s/\.epochs = 3/.epochs = 0/; s/^    double fraction = left > 0 .*/    double fraction = 0 * left;/
s/trained \/ \(trained \+ left\)/trained/
